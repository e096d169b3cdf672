using System;
using System.Threading;
using BigPile.Caching.Index;
using BigPile.Caching.Metrics;
using Microsoft.Extensions.Logging;

namespace BigPile.Caching.Tables;

/// <summary>What is told of a table to those who are not inside, also once it is closed.</summary>
internal sealed partial class TableCore
{
    private long[]? _finalCounterValues;
    private TableStatistics? _finalStatistics;
    private long _damageCount;
    private long _damagedLines;

    /// <summary>Told when something in the index turns out to be damaged; under a lock, so it only takes note.</summary>
    internal Action? OnDamage { get; init; }

    /// <summary>The buckets that a walk through everything goes through.</summary>
    internal long BucketCount
    {
        get
        {
            lock (Counters) // held by who asks from outside, while the index must be there
                return _finalStatistics == null ? (long)Index.BucketCount : 0;
        }
    }

    /// <summary>What each counter says; once the table was closed, what it said then.</summary>
    internal long[] CounterValues
    {
        get
        {
            lock (Counters)
                return _finalCounterValues ?? Counters.Snapshot();
        }
    }

    /// <summary>What can be counted; once the table was closed, what could be then.</summary>
    internal TableStatistics Statistics
    {
        get
        {
            lock (Counters)
                return _finalStatistics ?? Describe();
        }
    }

    private TableStatistics Describe()
    {
        TableStatistics inMemory = DescribeMemory();
        if (Spill == null)
            return inMemory;
        (long entries, long bytes) = Spill.Size;
        return inMemory with
        {
            SpilledEntries = entries,
            SpilledBytes = bytes,
            SpillReturns = Spill.Promoted,
            SpillLosses = Spill.Lost,
        };
    }

    private TableStatistics DescribeMemory() => new(
        CountNow, Counters[Counter.PayloadBytes], Index.SizeBytes, Counters[Counter.Hits], Counters[Counter.Misses],
        Counters[Counter.Inserts] + Counters[Counter.Replacements], Counters[Counter.Removals])
    {
        BlockBytes = Counters[Counter.FootprintBytes],
        EvictionBytes = Evictor?.SizeBytes ?? 0,
        Inserts = Counters[Counter.Inserts],
        Collisions = Counters[Counter.Collisions],
        Evictions = Counters[Counter.Evictions],
        Expirations = Counters[Counter.Expirations],
    };

    /// <summary>How often something in the index turned out to be damaged.</summary>
    internal long DamageCount => Volatile.Read(ref _damageCount);

    /// <summary>How often a line turned out to be damaged: entries that it led to may be missing.</summary>
    internal long DamagedLines => Volatile.Read(ref _damagedLines);

    private void ReportDamagedLine()
    {
        Interlocked.Increment(ref _damagedLines);
        ReportDamage("has a line that can't be right");
    }

    /// <summary>Notes that something in the index is damaged, and was mended as far as it can be.</summary>
    internal void ReportDamage(string what)
    {
        bool mayHaveRemoved = IsInUse && RemovedKeys == null; // keys that it has lost, and that nobody notes
        SetFlag(mayHaveRemoved ? IndexHead.DamagedFlag | IndexHead.RemovedFlag : IndexHead.DamagedFlag, true);
        if (Interlocked.Increment(ref _damageCount) == 1)
            Pile.Logger.LogError("The index of the table '{Table}' is damaged: it {What}. What it misses is found by a walk", Name, what);
        if (RemovedKeys == null) // else who compares the index with the pile sees it
            OnDamage?.Invoke();
    }

    /// <summary>Frees the index. Nobody is inside any more; who asks for statistics gets those of now.</summary>
    public void Dispose() => Dispose(isDropped: false);

    /// <summary>As <see cref="Dispose()"/>; of a table that was dropped nothing is left.</summary>
    internal void Dispose(bool isDropped)
    {
        lock (Counters)
        {
            if (_finalStatistics != null)
                return;
            _finalCounterValues = Counters.Snapshot();
            _finalStatistics = isDropped
                ? Describe() with { EntryCount = 0, EntryBytes = 0, IndexBytes = 0, BlockBytes = 0, EvictionBytes = 0 }
                : Describe();
            Index.Dispose();
            Evictor?.Dispose();
            Evictor = null;
            Spill?.Dispose();
        }
    }

    private long CountNow => Evictor != null ? Interlocked.Read(ref Usage.Entries) : Math.Max(0, Counters.Entries);
}
