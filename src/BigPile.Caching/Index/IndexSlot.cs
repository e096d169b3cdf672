namespace BigPile.Caching.Index;

/// <summary>One place in the index: where an entry's block is, and enough of its hash to skip nearly all others.</summary>
/// <remarks>
/// <code>
/// bit 63..40  tag: bits 63..40 of the key's hash
/// bit 39..36  zero
/// bit 35..0   the block's address; zero with a mark in bit 36: an entry was removed here
/// </code>
/// All zero is a place that was never used. Address 0 is never given out, so no entry looks like that.
/// </remarks>
internal readonly struct IndexSlot(ulong word)
{
    private const ulong TagMask = ~0UL << 40;
    private const ulong RemovedWord = 1UL << 36;

    internal IndexSlot(ulong hash, ulong address) : this((hash & TagMask) | address)
    {
    }

    internal static IndexSlot Removed => new(RemovedWord);

    internal ulong Word => word;

    internal bool IsUnused => word == 0;

    internal bool IsRemoved => word == RemovedWord;

    internal ulong Address => word & PilePointer.AddressMask;

    internal bool MayBe(ulong hash) => ((word ^ hash) & TagMask) == 0 && Address != 0;
}
