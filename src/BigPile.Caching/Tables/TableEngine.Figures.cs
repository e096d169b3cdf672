using System;
using System.Threading;
using BigPile.Access;
using BigPile.Caching.Index;
using BigPile.Caching.Metrics;
using Microsoft.Extensions.Logging;

namespace BigPile.Caching.Tables;

/// <summary>Statistics and damage reports, also after the table is closed.</summary>
internal sealed partial class TableEngine
{
    /// <summary>Counter values at close; null while open. Guarded by the lock on <see cref="Counters"/>.</summary>
    private long[]? _finalCounterValues;

    /// <summary>Statistics at close; null while open. Same lock.</summary>
    private TableStatistics? _finalStatistics;
    private long _damageCount; // interlocked
    private long _damagedLines; // interlocked

    /// <summary>Called when the index is found damaged. A lock is held: it must only record.</summary>
    internal Action? OnDamage { get; init; }

    /// <summary>The number of buckets; 0 once closed.</summary>
    internal long BucketCount
    {
        get
        {
            lock (Counters) // the index must not be disposed meanwhile
                return _finalStatistics == null ? (long)Index.BucketCount : 0;
        }
    }

    /// <summary>The value of each counter; after close, the final one.</summary>
    internal long[] CounterValues
    {
        get
        {
            lock (Counters)
                return _finalCounterValues ?? Counters.Snapshot();
        }
    }

    /// <summary>The statistics; after close, the final ones.</summary>
    internal TableStatistics Statistics
    {
        get
        {
            lock (Counters)
                return _finalStatistics ?? Describe();
        }
    }

    /// <summary>Adds to a counter, from outside of critical regions.</summary>
    internal void Count(Counter counter, int delta = 1)
    {
        using ReadScope scope = EnterReader();
        Counters.Add(scope.Critical, counter, delta);
    }

    private TableStatistics Describe()
    {
        TableStatistics inMemory = Feed.AddTo(DescribeMemory());
        return Disk?.AddTo(inMemory) ?? inMemory;
    }

    private TableStatistics DescribeMemory() => new(
        CountNow, Counters[Counter.PayloadBytes], Index.SizeBytes, Counters[Counter.Hits], Counters[Counter.Misses],
        Counters[Counter.Inserts] + Counters[Counter.Replacements], Counters[Counter.Removals])
    {
        BlockBytes = Counters[Counter.FootprintBytes],
        EvictionBytes = Limits.EvictorBytes,
        Inserts = Counters[Counter.Inserts],
        Collisions = Counters[Counter.Collisions],
        Evictions = Counters[Counter.Evictions],
        Expirations = Counters[Counter.Expirations],
        StaleReads = Factories.StaleReads,
        UnreadableEntries = Factories.UnreadableEntries,
    };

    /// <summary>How often the index was found damaged.</summary>
    internal long DamageCount => Volatile.Read(ref _damageCount);

    /// <summary>How often a bucket line was found damaged; entries in it may be missing.</summary>
    internal long DamagedLines => Volatile.Read(ref _damagedLines);

    private void ReportDamagedLine()
    {
        Interlocked.Increment(ref _damagedLines);
        ReportDamage("has a line that can't be right");
    }

    /// <summary>Reports damage in the index, which was repaired as far as possible.</summary>
    internal void ReportDamage(string what)
    {
        bool mayHaveRemoved = _isInUse && RemovalLog.Removed == null; // removals of keys it lost go unrecorded
        Index.SetFlag(mayHaveRemoved ? IndexHead.DamagedFlag | IndexHead.RemovedFlag : IndexHead.DamagedFlag, true);
        Feed.Lose(); // entries may have gone, or be found again
        if (Interlocked.Increment(ref _damageCount) == 1)
            Heap.Logger.LogError("The index of the table '{Table}' is damaged: it {What}. What it misses is found by a walk", Name, what);
        if (RemovalLog.Removed == null) // else the running inspection finds it
            OnDamage?.Invoke();
    }

    /// <summary>Checks index, entries, counters, limits and the evictor's queues. No other thread uses the table. For tests.</summary>
    /// <exception cref="InvalidOperationException">An invariant is broken; the message says which.</exception>
    internal void CheckInvariants() => new TableCheck(this).Run();

    /// <summary>Frees the index. No thread is in the table any more; statistics stay as they are now.</summary>
    public void Dispose() => Dispose(isDropped: false);

    /// <summary>As <see cref="Dispose()"/>; the statistics of a dropped table show nothing left.</summary>
    internal void Dispose(bool isDropped)
    {
        PileCapacity.Remove(Shrink);
        lock (Counters)
        {
            if (_finalStatistics != null)
                return;
            _finalCounterValues = Counters.Snapshot();
            _finalStatistics = isDropped
                ? Describe() with { EntryCount = 0, EntryBytes = 0, IndexBytes = 0, BlockBytes = 0, EvictionBytes = 0, FeedBytes = 0 }
                : Describe();
            Index.Dispose();
            Limits.Dispose();
            Feed.Dispose();
            Disk?.Dispose();
        }
    }

    private long CountNow => Limits.AreOn ? Limits.Budget.Entries : Math.Max(0, Counters.Entries);
}
