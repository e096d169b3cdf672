using System.Buffers.Binary;

namespace BigPile.Caching.Index;

/// <summary>Positions of a walk through a table: the known bits of a key's hash, in reversed order.</summary>
/// <remarks>
/// A bucket of level n holds the hashes that share their low n bits. With the bits reversed, these are one contiguous range. A walk visits
/// the ranges in order; a split meanwhile only divides a range. However the index grew since, each entry that stays has one position, and a
/// walk meets it once. A position does not depend on the size of the index, so a forged one costs no more than a real one. As Redis's SCAN.
/// </remarks>
internal static class WalkPlace
{
    /// <summary>One past the last position.</summary>
    internal const ulong End = 1UL << IndexSlot.KnownHashBits;

    internal static ulong Of(ulong hash) => Reverse(hash & (End - 1));

    /// <summary>The known bits of the hashes at a position.</summary>
    internal static ulong HashAt(ulong place) => Reverse(place);

    /// <summary>The position behind a bucket's range.</summary>
    internal static ulong EndOf(ulong bucket, int level) => Reverse(bucket) + (1UL << (IndexSlot.KnownHashBits - level));

    private static ulong Reverse(ulong bits)
    {
        bits = ((bits >> 1) & 0x5555555555555555) | ((bits & 0x5555555555555555) << 1);
        bits = ((bits >> 2) & 0x3333333333333333) | ((bits & 0x3333333333333333) << 2);
        bits = ((bits >> 4) & 0x0F0F0F0F0F0F0F0F) | ((bits & 0x0F0F0F0F0F0F0F0F) << 4);
        return BinaryPrimitives.ReverseEndianness(bits) >> (64 - IndexSlot.KnownHashBits);
    }
}
