using System.Buffers.Binary;

namespace BigPile.Caching.Index;

/// <summary>Places of a walk through a table: the known bits of the keys' hashes, read backwards.</summary>
/// <remarks>
/// A bucket holds the hashes that have their low bits in common, as many as its level says. Read backwards, those are one stretch of
/// numbers; so a walk takes the buckets by their stretches, and one that is split meanwhile only cuts its stretch in two. Wherever a walk
/// goes on from, and however the index grew since, each entry that stays has one place, and is met once. A place says nothing of the
/// size of the index: one that was made up costs no more than a true one.
/// </remarks>
internal static class WalkPlace
{
    /// <summary>One past the last place.</summary>
    internal const ulong End = 1UL << IndexSlot.KnownHashBits;

    /// <summary>The place of a hash.</summary>
    internal static ulong Of(ulong hash) => Reverse(hash & (End - 1));

    /// <summary>The known bits of the hashes at a place.</summary>
    internal static ulong HashAt(ulong place) => Reverse(place);

    /// <summary>The place behind a bucket's stretch.</summary>
    internal static ulong EndOf(ulong bucket, int level) => Reverse(bucket) + (1UL << (IndexSlot.KnownHashBits - level));

    private static ulong Reverse(ulong bits)
    {
        bits = ((bits >> 1) & 0x5555555555555555) | ((bits & 0x5555555555555555) << 1);
        bits = ((bits >> 2) & 0x3333333333333333) | ((bits & 0x3333333333333333) << 2);
        bits = ((bits >> 4) & 0x0F0F0F0F0F0F0F0F) | ((bits & 0x0F0F0F0F0F0F0F0F) << 4);
        return BinaryPrimitives.ReverseEndianness(bits) >> (64 - IndexSlot.KnownHashBits);
    }
}
