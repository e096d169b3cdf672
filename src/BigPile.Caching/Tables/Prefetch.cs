using System;
using System.Diagnostics;
using System.Numerics;
using System.Runtime.CompilerServices;
using BigPile.Caching.Index;
using BigPile.Concurrency;

namespace BigPile.Caching.Tables;

/// <summary>Prefetches the cache lines that many keys need.</summary>
internal readonly unsafe struct Prefetch(TableEngine table)
{
    /// <summary>Keys per group: with fewer, misses overlap less; with more, lines evict each other.</summary>
    internal const int GroupKeys = 16;

    internal void Buckets(ReadOnlySpan<ulong> hashes)
    {
        foreach (ulong hash in hashes)
            table.Index.Prefetch(hash);
    }

    /// <summary>Prefetches the blocks that the hashes probably lead to. The caller is in a critical region.</summary>
    internal void Entries(ReadOnlySpan<ulong> hashes)
    {
        Debug.Assert(PileRegions.Current.IsOpen, "The critical region keeps the index and its segments.");
        foreach (ulong hash in hashes)
            Entry(hash);
    }

    /// <summary>Prefetches the block that a hash probably leads to. The caller is in a critical region.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Entry(ulong hash)
    {
        Bucket* bucket = table.Index.Find(hash, out _); // may wait for a split
        uint match = Bucket.Match(bucket, IndexSlot.TagOf(hash)); // the first line only
        if (match != 0)
            table.Heap.Prefetch(Bucket.Load(bucket, BitOperations.TrailingZeroCount(match)).Address);
    }
}
