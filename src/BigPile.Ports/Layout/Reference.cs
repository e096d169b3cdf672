namespace BigPile.Ports.Layout;

/// <summary>Names an object in one word: its first granule (28 bits), and which of the objects that began there it is (36 bits).</summary>
internal readonly record struct Reference(ulong Word)
{
    internal const int HeadBits = 28;
    private const ulong HeadMask = (1UL << HeadBits) - 1;

    /// <summary>The highest generation; behind it they begin anew at 1, since 0 is nobody's.</summary>
    internal const ulong MaxGeneration = (1UL << (64 - HeadBits)) - 1;

    internal Reference(long head, ulong generation) : this((generation << HeadBits) | (ulong)head)
    {
    }

    internal long Head => (long)(Word & HeadMask);

    internal ulong Generation => Word >> HeadBits;
}
