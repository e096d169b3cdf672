using System;
using System.Numerics;
using System.Runtime.CompilerServices;
using BigPile.Caching.Index;

namespace BigPile.Caching;

/// <summary>Many keys at once: their cache lines come while others are worked on.</summary>
internal sealed unsafe partial class TableCore
{
    /// <summary>The keys whose lines are fetched together: fewer wait longer, more drive each other out.</summary>
    internal const int GroupKeys = 16;

    /// <summary>Brings the buckets of hashes towards the processor.</summary>
    internal void PrefetchBuckets(ReadOnlySpan<ulong> hashes)
    {
        foreach (ulong hash in hashes)
            _index.Prefetch(hash);
    }

    /// <summary>Brings the blocks that hashes probably lead to towards the processor. The caller is inside.</summary>
    internal void PrefetchEntries(ReadOnlySpan<ulong> hashes)
    {
        foreach (ulong hash in hashes)
            PrefetchEntry(hash);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void PrefetchEntry(ulong hash)
    {
        Bucket* bucket = _index.Find(hash, out _);
        uint match = Bucket.Match(bucket, IndexSlot.TagOf(hash));
        if (match != 0)
            Pile.Entries.Prefetch(Bucket.Load(bucket, BitOperations.TrailingZeroCount(match)).Address);
    }
}
