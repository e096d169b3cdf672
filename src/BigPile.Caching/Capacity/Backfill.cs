using System.Threading;
using BigPile.Caching.Eviction;

namespace BigPile.Caching.Capacity;

/// <summary>Backfill progress: how many buckets of a large table have entered their entries into a new evictor's queues.</summary>
/// <remarks>
/// The limit holds at once; the queues fill in the background and by the callers that evict, some buckets at a time, in bucket order. A
/// split moves entries to higher buckets only, so every entry that stays is met. One that is met twice is queued twice, which only brings
/// its turn forward.
/// Thread safety: all members may be called concurrently.
/// </remarks>
/// <param name="evictor">The evictor whose queues are filled.</param>
/// <param name="entersMain">Whether all go to the main queue, as while a table fills.</param>
internal sealed class Backfill(Evictor evictor, bool entersMain)
{
    /// <summary>The first bucket that no thread has taken. Interlocked.</summary>
    private long _nextBucket;

    /// <summary>Threads between <see cref="Begin"/> and <see cref="End"/>. Interlocked.</summary>
    private int _workers;

    internal Evictor Evictor => evictor;

    internal bool EntersMain => entersMain;

    /// <summary>Whether a bucket has not been taken yet.</summary>
    internal bool IsPending(ulong bucket) => (long)bucket >= Volatile.Read(ref _nextBucket);

    /// <summary>Whether all buckets were taken and no thread works on one.</summary>
    internal bool IsDone(ulong bucketCount) => Volatile.Read(ref _nextBucket) >= (long)bucketCount && Volatile.Read(ref _workers) == 0;

    /// <summary>Takes the next buckets, until <see cref="End"/>.</summary>
    /// <returns>The first of them; not below the number of buckets when there are no more.</returns>
    internal ulong Begin(int buckets)
    {
        // Before buckets are taken: IsDone reads them in the other order, so it misses no thread at work.
        Interlocked.Increment(ref _workers);
        return (ulong)(Interlocked.Add(ref _nextBucket, buckets) - buckets);
    }

    /// <summary>Ends the work that <see cref="Begin"/> took.</summary>
    internal void End() => Interlocked.Decrement(ref _workers);
}
