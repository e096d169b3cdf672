using System.Diagnostics;

namespace BigPile.Ports.Layout;

/// <summary>A reference to an object in one word: bits 27..0, its first granule; bits 63..28, the generation of that granule.</summary>
internal readonly record struct Reference(ulong Word)
{
    internal const int HeadBits = 28;
    private const ulong HeadMask = (1UL << HeadBits) - 1;

    /// <summary>The highest generation; the next one is 1, since 0 is never valid.</summary>
    internal const ulong MaxGeneration = (1UL << (64 - HeadBits)) - 1;

    internal Reference(long head, ulong generation) : this((generation << HeadBits) | (ulong)head)
    {
        Debug.Assert(head is >= 0 and < 1L << HeadBits, "A granule's number leaves the bits of the generation alone.");
        Debug.Assert(generation is >= 1 and <= MaxGeneration, "Generation 0 is that of a granule that was never used.");
    }

    internal long Head => (long)(Word & HeadMask);

    internal ulong Generation => Word >> HeadBits;
}
