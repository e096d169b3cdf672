using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.ExceptionServices;
using System.Runtime.InteropServices;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Caching.Entries;
using BigPile.Caching.Operations;
using BigPile.Caching.Tables;
using BigPile.Concurrency;
using BigPile.Layout;
using BigPile.Tables;
using Microsoft.Extensions.Logging;

namespace BigPile.Caching.Persistence;

/// <summary>Finds the entries of all tables by walking through the pile, part by part, while the tables are in use.</summary>
/// <remarks>
/// Of two blocks with one key the higher version is right, and the other is freed: a kill came between a put's publishing and its freeing.
/// Removals meanwhile leave marks, so that a block which the walk has yet to find does not come back. A part whose walk fails is walked
/// through again a little later: until all are done the marks stay, and limits and sweeps wait, so to give up would let them grow.
/// Parts that are spread over the pile come first. By them the other entries of a table are estimated, and its index grows at once for
/// those that there are for certain: to split a bucket that has hardly any entries yet costs little.
/// </remarks>
/// <param name="pile">The pile.</param>
/// <param name="cores">The tables whose entries are to be found, by their ids.</param>
/// <param name="dropped">The ids of tables that were dropped, and the version up to which entries are theirs.</param>
/// <param name="readiness">Is told how far the walk is.</param>
/// <param name="stop">Ends the walk.</param>
internal sealed class IndexRebuild(
    Pile pile, IReadOnlyDictionary<int, TableCore> cores, IReadOnlyDictionary<int, ulong> dropped, CacheReadiness readiness,
    CancellationToken stop)
{
    private const int EntriesAtOnce = 512;
    private const int EntriesInGroup = 32;
    private const int UsualPartBytes = 1 << 20;

    private static readonly TimeSpan LongestPause = TimeSpan.FromMinutes(1);

    private readonly ulong _lastBefore = pile.Engine.Versions.Last;
    private EntryEstimate _estimate = new(0);
    private TableCore?[] _tablesById = []; // those that were looked up
    private long _unreadable;

    /// <summary>The ids of tables whose index has all entries.</summary>
    internal IReadOnlySet<int> Known { get; init; } = new HashSet<int>();

    /// <summary>The time after which what failed is tried again; twice as long each time, up to a minute.</summary>
    internal TimeSpan FirstPause { get; init; } = TimeSpan.FromSeconds(1);

    /// <summary>The bytes of a part; a power of two, and whole pages.</summary>
    internal int PartBytes { get; init; } = UsualPartBytes;

    private ulong PartUnits => Math.Min((ulong)PartBytes / SizeClasses.GranuleBytes, pile.Entries.SegmentUnits);

    /// <summary>Walks, and then lets the tables begin with what has to wait for the end. The first failure is thrown.</summary>
    internal void RunOnce()
    {
        Begin();
        try
        {
            Parallel.ForEach(InOrder(Parts()), Options(), Walk);
        }
        catch (AggregateException e)
        {
            ExceptionDispatchInfo.Throw(e.Flatten().InnerExceptions[0]); // each of them says why: the cache can't be opened
        }
        foreach (TableCore core in cores.Values)
            core.EndRebuild();
        End();
    }

    /// <summary>As <see cref="RunOnce"/>, and what fails is logged and tried again until it works or the cache is disposed.</summary>
    internal void Run()
    {
        Begin();
        TryUntilDone(Parts(), Walk);
        TryUntilDone([.. cores.Values], static core => core.EndRebuild());
        End();
    }

    private void Begin() => readiness.Expect((long)pile.Entries.EndAddress);

    private void End()
    {
        if (_unreadable != 0)
            pile.Logger.LogError("The walk for the tables' entries came upon {Count} that can't be read, and left them out", _unreadable);
        pile.Logger.LogInformation("The tables' index was rebuilt from {Count} entries", readiness.EntriesFound);
    }

    private int[] Parts()
    {
        _estimate = new EntryEstimate((int)(pile.Entries.EndAddress / PartUnits));
        return [.. _estimate.Order()];
    }

    // One after the other: by itself each worker would get a range of its own.
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
            pile.Engine.Background.ReportFailure(
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
            int count = pile.Entries.Collect(ref address, end, found);
            for (int at = 0; at < count; at += EntriesInGroup)
                TakeIn(found.AsSpan(at, Math.Min(EntriesInGroup, count - at)), group);
            readiness.Advance((long)(address - before), count);
        }
        stop.ThrowIfCancellationRequested();
    }

    // Blocks first, then the buckets that they tell, then each under its lock: what one waits for comes while others are worked on.
    private void TakeIn(ReadOnlySpan<ulong> addresses, Group group)
    {
        pile.Blocks.EnsureShadowCapacity();
        CriticalRegion critical = pile.Barrier.EnterWriter();
        try
        {
            foreach (ulong address in addresses)
                pile.Entries.Prefetch(address);
            group.Count = 0;
            foreach (ulong address in addresses)
                See(address, group);
            TakeInSeen(critical, group);
        }
        finally
        {
            pile.Blocks.ExitAfterFree(critical);
        }
    }

    private void See(ulong address, Group group)
    {
        EntryView view = pile.Entries.ViewRecovered(address); // its page was, when the walk came by
        if (view.IsNone)
            return; // freed since
        EntryHead head = Rebuilding.HeadOf(view);
        if (TableOf(head.TableId) is not { } core)
        {
            DropOthers(address, head);
            return;
        }
        ref Found found = ref group.Found[group.Count];
        if (!core.TrySee(address, view, head, ref found))
        {
            if (!pile.Entries.View(address).IsNone)
                Interlocked.Increment(ref _unreadable);
        }
        else if (found.Address != 0)
        {
            group.Add(core);
        }
    }

    private static void TakeInSeen(CriticalRegion critical, Group group)
    {
        int added = 0;
        for (int at = 0; at < group.Count; at++)
        {
            TableCore core = group.Cores[at];
            if (core.AddFound(critical, group.Found[at]))
                added++;
            if (added == 0 || (at + 1 < group.Count && group.Cores[at + 1] == core))
                continue;
            core.RecordFound(added);
            group.CountNew(core, added);
            added = 0;
        }
    }

    // What two threads write at once one of them may lose, and looks up again.
    private TableCore? TableOf(int tableId)
    {
        TableCore?[] tables = _tablesById;
        if ((uint)tableId < (uint)tables.Length && tables[tableId] is { } known)
            return known;
        if (Known.Contains(tableId) || !cores.TryGetValue(tableId, out TableCore? core))
            return null;
        if (tableId >= tables.Length)
        {
            Array.Resize(ref tables, tableId + 1);
            _tablesById = tables;
        }
        return tables[tableId] = core;
    }

    private void DropOthers(ulong address, in EntryHead head)
    {
        if (Known.Contains(head.TableId))
            return;
        bool isRead = dropped.TryGetValue(head.TableId, out ulong upTo) && Dropping.FreeDropped(pile, address, upTo);
        if (!isRead && head.Version <= _lastBefore) // else of a table that was made since, perhaps with the id of one that was dropped
            Interlocked.Increment(ref _unreadable);
    }

    /// <summary>Entries that were seen, and are to be taken in.</summary>
    private sealed class Group(bool countsNew)
    {
        internal readonly Found[] Found = new Found[EntriesInGroup];
        internal readonly TableCore[] Cores = new TableCore[EntriesInGroup];

        internal int Count { get; set; }

        /// <summary>How many were taken in of the table of each id, if they are counted.</summary>
        internal Dictionary<int, int>? New { get; } = countsNew ? [] : null;

        internal void Add(TableCore core)
        {
            if (Cores[Count] != core)
                Cores[Count] = core;
            Count++;
        }

        internal void CountNew(TableCore core, int entries)
        {
            if (New != null)
                CollectionsMarshal.GetValueRefOrAddDefault(New, core.Id, out _) += entries;
        }
    }
}
