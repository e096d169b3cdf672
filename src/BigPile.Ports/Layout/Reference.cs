using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;

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

/// <summary>
/// An entry of a port's ring: a reference, and the same XORed with a mask of its number, so that other values are detected.
/// </summary>
internal readonly unsafe struct RingEntry(byte* at, long number)
{
    internal const long Bytes = 16;
    private const ulong Spread = 0x9E3779B97F4A7C15;

    private ref ulong Word => ref Unsafe.AsRef<ulong>(at);

    private ref ulong Check => ref Unsafe.AsRef<ulong>(at + sizeof(ulong));

    private ulong Mask => ((ulong)number + 1) * Spread;

    internal void Write(Reference reference)
    {
        Volatile.Write(ref Word, reference.Word);
        Volatile.Write(ref Check, reference.Word ^ Mask);
    }

    /// <summary>Reads the reference of this number.</summary>
    /// <returns><see langword="false"/> if the entry is not of this number.</returns>
    internal bool TryRead(out Reference reference)
    {
        reference = new Reference(Volatile.Read(ref Word));
        return Volatile.Read(ref Check) == (reference.Word ^ Mask);
    }
}
