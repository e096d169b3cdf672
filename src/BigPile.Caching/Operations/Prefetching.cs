using System;
using System.Diagnostics;
using System.Numerics;
using System.Runtime.CompilerServices;
using BigPile.Caching.Index;
using BigPile.Caching.Tables;
using BigPile.Concurrency;

namespace BigPile.Caching.Operations;

/// <summary>Fetches the cache lines that many keys need: they come while others are worked on.</summary>
internal static unsafe class Prefetching
{
    /// <summary>The keys whose lines are fetched together: fewer wait longer, more drive each other out.</summary>
    internal const int GroupKeys = 16;

    /// <summary>Brings the buckets of hashes towards the processor.</summary>
    internal static void PrefetchBuckets(this TableCore core, ReadOnlySpan<ulong> hashes)
    {
        foreach (ulong hash in hashes)
            core.Index.Prefetch(hash);
    }

    /// <summary>Brings the blocks that hashes probably lead to towards the processor. The caller is inside.</summary>
    internal static void PrefetchEntries(this TableCore core, ReadOnlySpan<ulong> hashes)
    {
        Debug.Assert(CriticalRegion.Current.IsInRegion, "The index and its segments stay only as long as the caller is inside.");
        foreach (ulong hash in hashes)
            core.PrefetchEntry(hash);
    }

    /// <summary>Brings the block that a hash probably leads to towards the processor. The caller is inside.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static void PrefetchEntry(this TableCore core, ulong hash)
    {
        Bucket* bucket = core.Index.Find(hash, out _);
        uint match = Bucket.Match(bucket, IndexSlot.TagOf(hash));
        if (match != 0)
            core.Pile.Entries.Prefetch(Bucket.Load(bucket, BitOperations.TrailingZeroCount(match)).Address);
    }
}
