using System.Threading;
using BigPile.Caching.Eviction;

namespace BigPile.Caching.Tables;

/// <summary>How far the queues of a large table's evictor have the entries that were there before them.</summary>
/// <remarks>
/// A limit on a table with many entries holds from the first instant, and its queues fill beside all use: some buckets at a time, by
/// whoever comes first. Buckets are taken in their order, and a split only moves entries to later ones: so each entry that stays is met,
/// and one that is met twice is in its queue twice, which costs it nothing but an earlier turn.
/// </remarks>
/// <param name="evictor">Whose queues they are.</param>
internal sealed class Adoption(Evictor evictor)
{
    private long _nextBucket;
    private int _workers;

    internal Evictor Evictor => evictor;

    /// <summary>Whether the buckets from a number on are still to come.</summary>
    internal bool IsPending(ulong bucket) => (long)bucket >= Interlocked.Read(ref _nextBucket);

    /// <summary>Whether there is nothing left to do, and nobody at it.</summary>
    internal bool IsDone(ulong bucketCount) => Interlocked.Read(ref _nextBucket) >= (long)bucketCount && Volatile.Read(ref _workers) == 0;

    /// <summary>Takes the next buckets, until <see cref="End"/>.</summary>
    /// <returns>The first of them; not below the number of buckets when there are no more.</returns>
    internal ulong Begin(int buckets)
    {
        Interlocked.Increment(ref _workers);
        return (ulong)(Interlocked.Add(ref _nextBucket, buckets) - buckets);
    }

    /// <summary>States that the buckets that were taken are done.</summary>
    internal void End() => Interlocked.Decrement(ref _workers);
}
