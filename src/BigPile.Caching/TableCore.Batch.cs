using System;
using System.Numerics;
using System.Runtime.CompilerServices;
using BigPile.Caching.Index;
using BigPile.Caching.Keys;
using BigPile.Concurrency;

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

    /// <summary>Reads a key on behalf of a batch: the caller is inside, and counts itself.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool TryReadInBatch<TReader>(ThreadPresence presence, in KeyProbe key, ref TReader reader, out EntryInfo info)
        where TReader : struct, Pile.IPayloadReader, allows ref struct =>
        TryReadInside<TReader, AllChecks>(presence, key, ref reader, minVersion: 0, out info);

    internal void CountReads(ThreadPresence presence, int hits, int misses)
    {
        if (!_countsReads)
            return;
        if (hits != 0)
            _counters.Add(presence, Counter.Hits, hits);
        if (misses != 0)
            _counters.Add(presence, Counter.Misses, misses);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void PrefetchEntry(ulong hash)
    {
        Bucket* bucket = _index.Find(hash, out _);
        uint match = Bucket.Match(bucket, IndexSlot.TagOf(hash));
        if (match != 0)
            Pile.PrefetchEntry(Bucket.Load(bucket, BitOperations.TrailingZeroCount(match)).Address);
    }
}
