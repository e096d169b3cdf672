using System.Diagnostics;
using BigPile.Layout;

namespace BigPile.Caching.Index;

/// <summary>One place in the index: where an entry's block is, and enough of its key's hash to skip nearly all others.</summary>
/// <remarks>
/// <code>
/// bit 63..36  tag: bits 33..6 of the key's hash
/// bit 35..0   the block's address; never 0
/// </code>
/// All zero is an empty place: address 0 is never given out. A bucket's number tells bits 5..0 of the hash, since there are at least
/// 64 buckets, a page of memory; with the tag that makes 34 bits, so that a bucket is split without a look at the records, however large
/// the table grows.
/// </remarks>
internal readonly struct IndexSlot(ulong word)
{
    /// <summary>The bits of the hash that a bucket's number tells in a table of any size.</summary>
    internal const int BucketHashBits = 6;

    /// <summary>The bits of the hash that bucket and tag tell together.</summary>
    internal const int KnownHashBits = 34;

    /// <summary>Those bits.</summary>
    internal const ulong KnownHashMask = (1UL << KnownHashBits) - 1;

    internal const ulong TagMask = ~0UL << TagOffset;

    /// <summary>The lowest bit of the tag.</summary>
    internal const int TagOffset = BlockAddress.Bits;

    private const int TagShift = BlockAddress.Bits - BucketHashBits;

    internal IndexSlot(ulong hash, ulong address) : this(TagOf(hash) | address) =>
        Debug.Assert((address & ~BlockAddress.Mask) == 0, "An address that is too long would change the tag.");

    /// <summary>A slot that leads to a mark: in the place of the tag it has what follows from the address, so that damage shows.</summary>
    internal static IndexSlot OfMark(ulong address) => new((address * 0x9E3779B97F4A7C15) >> 30, address); // Fibonacci hashing

    /// <summary>Whether it leads to a mark, as it was stored.</summary>
    internal bool IsOfMark => word == OfMark(Address).Word;

    internal ulong Word => word;

    internal bool IsEmpty => word == 0;

    /// <summary>The part of the key's hash that the slot has, at its place in the word.</summary>
    internal ulong Tag => word & TagMask;

    internal ulong Address => word & BlockAddress.Mask;

    /// <summary>The tag of a hash, where a slot has it.</summary>
    internal static ulong TagOf(ulong hash) => (hash << TagShift) & TagMask;

    internal bool MayBe(ulong hash) => ((word ^ (hash << TagShift)) & TagMask) == 0 && word != 0;

    /// <summary>The low bits of the key's hash.</summary>
    internal ulong KnownHash(ulong bucket) => (word >> BlockAddress.Bits << BucketHashBits) | (bucket & ((1 << BucketHashBits) - 1));
}
