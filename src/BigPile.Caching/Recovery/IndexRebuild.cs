using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.ExceptionServices;
using System.Runtime.InteropServices;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Access;
using BigPile.Caching.Entries;
using BigPile.Caching.Tables;
using BigPile.Layout;
using BigPile.Memory.Concurrency;
using BigPile.Tables;
using Microsoft.Extensions.Logging;

namespace BigPile.Caching.Recovery;

/// <summary>Rebuilds indexes by a walk through the pile, part by part, while the tables are in use.</summary>
/// <remarks>
/// Of two blocks with one key the higher version is valid, and the other is freed: a kill came between the publication of a put and its
/// free of the old block. Removals during the walk leave tombstones, so that a block which the walk finds later does not come back. A part
/// that fails is walked again after a pause. The rebuild never gives up: until it is complete, tombstones stay, and limits and sweeps wait.
/// Samples, parts spread over the pile, are walked first. From them a lower bound of each table's entries is estimated, and its index grows
/// to that at once: to split a bucket that is nearly empty costs little.
/// </remarks>
/// <param name="heap">The pile.</param>
/// <param name="engines">The tables to rebuild, by id.</param>
/// <param name="dropped">The ids of dropped tables, and the version up to which entries of the id belong to them.</param>
/// <param name="readiness">Receives the progress.</param>
/// <param name="stop">Ends the walk.</param>
internal sealed class IndexRebuild(
    TableHeap heap, IReadOnlyDictionary<int, TableEngine> engines, IReadOnlyDictionary<int, ulong> dropped, CacheReadiness readiness,
    CancellationToken stop)
{
    private const int EntriesAtOnce = 512;
    private const int EntriesInGroup = 32;
    private const int UsualPartBytes = 1 << 20;

    private static readonly TimeSpan LongestPause = TimeSpan.FromMinutes(1);

    private readonly ulong _lastBefore = heap.Versions.Last;
    private EntryEstimate _estimate = new(0);
    private FoundEntries?[] _tablesById = []; // a cache of lookups in engines
    private long _unreadable; // entries that could not be read

    /// <summary>The ids of tables whose index is complete. The walk skips their entries.</summary>
    internal IReadOnlySet<int> Known { get; init; } = new HashSet<int>();

    /// <summary>The pause before failed parts are walked again. It doubles each time, up to a minute.</summary>
    internal TimeSpan FirstPause { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>The bytes of a part; a power of two, and whole pages.</summary>
    internal int PartBytes { get; init; } = UsualPartBytes;

    private ulong PartUnits => Math.Min((ulong)PartBytes / SizeClasses.GranuleBytes, heap.SegmentUnits);

    /// <summary>Walks once, and then ends the rebuild of each table. Throws the first failure.</summary>
    internal void RunOnce()
    {
        Begin();
        try
        {
            Parallel.ForEach(InOrder(Parts()), Options(), Walk);
        }
        catch (AggregateException e)
        {
            ExceptionDispatchInfo.Throw(e.Flatten().InnerExceptions[0]); // the caller gets the cause itself, not an aggregate
        }
        foreach (TableEngine engine in engines.Values)
            new FoundEntries(engine).Complete();
        End();
    }

    /// <summary>As <see cref="RunOnce"/>, but logs failures, and retries until all succeeds or the cache is disposed.</summary>
    internal void Run()
    {
        Begin();
        TryUntilDone(Parts(), Walk);
        TryUntilDone([.. engines.Values], static engine => new FoundEntries(engine).Complete());
        End();
    }

    private void Begin() => readiness.Expect((long)heap.EndAddress);

    private void End()
    {
        if (_unreadable != 0)
            heap.Logger.LogError("The walk for the tables' entries found {Count} that can't be read, and skipped them", _unreadable);
        heap.Logger.LogInformation("The tables' index was rebuilt from {Count} entries", readiness.EntriesFound);
    }

    private int[] Parts()
    {
        _estimate = new EntryEstimate((int)(heap.EndAddress / PartUnits));
        return [.. _estimate.Order()];
    }

    // Keeps the order of the parts: the default partitioner would give each worker a range of its own.
    private static OrderablePartitioner<T> InOrder<T>(IEnumerable<T> parts) =>
        Partitioner.Create(parts, EnumerablePartitionerOptions.NoBuffering);

    private ParallelOptions Options() => new() { MaxDegreeOfParallelism = Environment.ProcessorCount, CancellationToken = stop };

    private void TryUntilDone<T>(T[] parts, Action<T> work)
    {
        for (TimeSpan pause = FirstPause; parts.Length != 0; pause = pause * 2 < LongestPause ? pause * 2 : LongestPause)
        {
            var failed = new ConcurrentBag<T>();
            Parallel.ForEach(InOrder(parts), Options(), part => Try(part, work, failed));
            parts = [.. failed];
            if (parts.Length != 0 && stop.WaitHandle.WaitOne(pause))
                stop.ThrowIfCancellationRequested();
        }
        readiness.Failure = null;
    }

    [SuppressMessage("Design", "CA1031", Justification = "Whatever it is, the part is tried again.")]
    private void Try<T>(T part, Action<T> work, ConcurrentBag<T> failed)
    {
        try
        {
            work(part);
        }
        catch (Exception e) when (e is not OperationCanceledException and not ObjectDisposedException)
        {
            readiness.Failure = e;
            failed.Add(part);
            heap.Background.ReportFailure(
                "the walk for the tables' entries, which is tried again; limits and sweeps wait for it", e);
        }
    }

    private void Walk(int part)
    {
        int sample = _estimate.SampleOf(part);
        var group = new Group(countsNew: sample >= 0);
        Walk((ulong)part * PartUnits, group);
        if (group.New == null || !_estimate.Add(sample, group.New))
            return;
        foreach ((int id, long entries) in _estimate.Least())
            TableOf(id)?.GrowAhead(entries, stop);
    }

    private void Walk(ulong address, Group group)
    {
        ulong end = address + PartUnits;
        var found = new ulong[EntriesAtOnce];
        while (address < end && !stop.IsCancellationRequested)
        {
            ulong before = address;
            int count = heap.Collect(ref address, end, found);
            for (int at = 0; at < count; at += EntriesInGroup)
                TakeIn(found.AsSpan(at, Math.Min(EntriesInGroup, count - at)), group);
            readiness.Advance((long)(address - before), count);
        }
        stop.ThrowIfCancellationRequested();
    }

    // A pipeline that hides cache misses: prefetch all blocks, read them and prefetch their buckets, then insert under the locks.
    private void TakeIn(ReadOnlySpan<ulong> addresses, Group group)
    {
        heap.EnsureShadowCapacity();
        using ChangeScope scope = heap.EnterWriter();
        foreach (ulong address in addresses)
            heap.Prefetch(address);
        group.Count = 0;
        foreach (ulong address in addresses)
            See(address, group);
        TakeInSeen(scope.Critical, group);
    }

    private void See(ulong address, Group group)
    {
        BlockSnapshot view = heap.ViewRecovered(address); // Collect has recovered its page
        if (view.IsNone)
            return; // freed since
        EntryHead head = EntryHead.Of(view);
        if (TableOf(head.TableId) is not { } table)
        {
            DropOthers(address, head);
            return;
        }
        ref Found found = ref group.Found[group.Count];
        if (!table.TrySee(address, view, head, ref found))
        {
            if (!heap.View(address).IsNone)
                Interlocked.Increment(ref _unreadable);
        }
        else if (found.Address != 0)
        {
            group.Add(table);
        }
    }

    private static void TakeInSeen(CriticalRegion critical, Group group)
    {
        int added = 0;
        for (int at = 0; at < group.Count; at++)
        {
            FoundEntries table = group.Tables[at];
            if (table.AddFound(critical, group.Found[at]))
                added++;
            if (added == 0 || (at + 1 < group.Count && group.Tables[at + 1] == table))
                continue;
            table.RecordFound(added);
            group.CountNew(table.TableId, added);
            added = 0;
        }
    }

    // Not synchronized: a race may lose a cached lookup, which is then repeated.
    private FoundEntries? TableOf(int tableId)
    {
        FoundEntries?[] tables = _tablesById;
        if ((uint)tableId < (uint)tables.Length && tables[tableId] is { } known)
            return known;
        if (Known.Contains(tableId) || !engines.TryGetValue(tableId, out TableEngine? engine))
            return null;
        if (tableId >= tables.Length)
        {
            Array.Resize(ref tables, tableId + 1);
            _tablesById = tables;
        }
        return tables[tableId] ??= new FoundEntries(engine);
    }

    private void DropOthers(ulong address, in EntryHead head)
    {
        if (Known.Contains(head.TableId))
            return;
        bool isRead = dropped.TryGetValue(head.TableId, out ulong upTo) && TableDrop.FreeDropped(heap, address, upTo);
        if (!isRead && head.Version <= _lastBefore) // a newer one belongs to a table made since, perhaps with a dropped table's id
            Interlocked.Increment(ref _unreadable);
    }

    /// <summary>A batch of entries that were read, and are to be inserted into their indexes.</summary>
    private sealed class Group(bool countsNew)
    {
        internal readonly Found[] Found = new Found[EntriesInGroup];
        internal readonly FoundEntries[] Tables = new FoundEntries[EntriesInGroup];

        internal int Count { get; set; }

        /// <summary>The number of inserted entries by table id; null: not counted, as the part is no sample.</summary>
        internal Dictionary<int, int>? New { get; } = countsNew ? [] : null;

        internal void Add(FoundEntries table)
        {
            if (Tables[Count] != table)
                Tables[Count] = table;
            Count++;
        }

        internal void CountNew(int tableId, int entries)
        {
            if (New != null)
                CollectionsMarshal.GetValueRefOrAddDefault(New, tableId, out _) += entries;
        }
    }
}
