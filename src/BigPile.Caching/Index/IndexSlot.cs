using System.Diagnostics;
using BigPile.Layout;

namespace BigPile.Caching.Index;

/// <summary>A slot of the index: the address of an entry's block, and enough of its key's hash to skip nearly all other keys.</summary>
/// <remarks>
/// <code>
/// bit 63..36  tag: bits 33..6 of the key's hash
/// bit 35..0   the block's address; never 0
/// </code>
/// All zero is an empty slot: no block is at address 0. The bucket's number has bits 5..0 of the hash, as there are at least 64 buckets,
/// a page of memory. With the tag that makes 34 known bits, so a split never reads the entries, however large the table is.
/// </remarks>
internal readonly struct IndexSlot(ulong word)
{
    /// <summary>The number of low hash bits that a bucket's number has in a table of any size.</summary>
    internal const int BucketHashBits = 6;

    /// <summary>The number of low hash bits that a bucket's number and a tag have together.</summary>
    internal const int KnownHashBits = 34;

    internal const ulong KnownHashMask = (1UL << KnownHashBits) - 1;

    internal const ulong TagMask = ~0UL << TagOffset;

    /// <summary>The lowest bit of the tag.</summary>
    internal const int TagOffset = BlockAddress.Bits;

    private const int TagShift = BlockAddress.Bits - BucketHashBits;

    internal IndexSlot(ulong hash, ulong address) : this(TagOf(hash) | address) =>
        Debug.Assert((address & ~BlockAddress.Mask) == 0, "An address with more bits would change the tag.");

    /// <summary>A slot that points to a tag mark. Instead of a hash's tag it has a check of the address, which detects damage.</summary>
    internal static IndexSlot OfMark(ulong address) => new((address * 0x9E3779B97F4A7C15) >> 30, address); // Fibonacci hashing

    /// <summary>Whether it points to a tag mark, and its check is right.</summary>
    internal bool IsOfMark => word == OfMark(Address).Word;

    internal ulong Word => word;

    internal bool IsEmpty => word == 0;

    /// <summary>The tag, in its bits of the word.</summary>
    internal ulong Tag => word & TagMask;

    internal ulong Address => word & BlockAddress.Mask;

    /// <summary>The tag of a hash, in its bits of a slot's word.</summary>
    internal static ulong TagOf(ulong hash) => (hash << TagShift) & TagMask;

    internal bool MayBe(ulong hash) => ((word ^ (hash << TagShift)) & TagMask) == 0 && word != 0;

    /// <summary>The known low bits of the key's hash.</summary>
    /// <param name="bucket">The number of the slot's bucket.</param>
    internal ulong KnownHash(ulong bucket) => (word >> BlockAddress.Bits << BucketHashBits) | (bucket & ((1 << BucketHashBits) - 1));
}
