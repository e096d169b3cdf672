using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using BigPile.Access;
using BigPile.Caching.Intents;
using BigPile.Caching.Tables;
using BigPile.Memory.Concurrency;
using BigPile.Tables;
using Microsoft.Extensions.Logging;

namespace BigPile.Caching.Recovery;

/// <summary>Compares indexes of an earlier process with the blocks of the pile, while the tables are in use.</summary>
/// <remarks>
/// The opening has recovered all changes that a kill interrupted, so the inspection finds something only if a file was damaged.
/// Phase 1 inspects the lines: it repairs wrong levels, cuts damaged chains, and clears wrong slots. Phase 2 inspects the blocks: an entry
/// without a slot is inserted again, unless its key was removed since the inspection began (<see cref="RemovedKeys"/>). One thread does it,
/// under the lock of one bucket at a time. Finally the counters of damaged tables are counted anew.
/// </remarks>
/// <param name="heap">The pile.</param>
/// <param name="engines">The tables, by id.</param>
/// <param name="dropped">The ids of dropped tables, and the version up to which blocks of the id belong to them.</param>
/// <param name="stop">Ends it.</param>
internal sealed unsafe class IndexInspection(
    TableHeap heap, IReadOnlyDictionary<int, TableEngine> engines, IReadOnlyDictionary<int, ulong> dropped, CancellationToken stop)
{
    private const int EntriesAtOnce = 64;
    private const long ManyEntries = 100_000;

    // The pause before the inspection of many entries: a process that was just started has more urgent work.
    private static readonly TimeSpan FirstPause = TimeSpan.FromSeconds(2);

    private readonly ulong[] _found = new ulong[EntriesAtOnce]; // addresses of blocks to inspect

    /// <summary>Inspects lines and blocks, until a pass finds no new damage.</summary>
    internal void Run()
    {
        if (engines.Values.Sum(static engine => engine.Statistics.EntryCount) > ManyEntries)
            _ = stop.WaitHandle.WaitOne(FirstPause);
        var damagedLines = new Dictionary<TableEngine, long>();
        do
        {
            foreach (TableEngine engine in engines.Values)
                damagedLines[engine] = InspectLines(engine);
            InspectBlocks();
        }
        while (damagedLines.Any(static pair => pair.Key.DamagedLines != pair.Value)); // a chain was cut after its blocks were inspected
        foreach ((TableEngine engine, long seen) in damagedLines)
            new TableInspection(engine).End(seen);
        heap.Logger.LogInformation(
            "The tables' indexes were inspected; {Damaged} places were repaired",
            engines.Values.Sum(static engine => engine.DamageCount));
    }

    // If two buckets shared a line, the first one may have kept slots that belong to the other. A further pass, without shared lines,
    // finds them.
    private long InspectLines(TableEngine engine)
    {
        long before;
        do
        {
            before = engine.DamagedLines;
            InspectLinesOnce(engine);
        }
        while (engine.DamagedLines != before);
        return before;
    }

    // Each bucket is inspected in a critical region of its own: outside one, a drop of the table may dispose the index.
    private void InspectLinesOnce(TableEngine engine)
    {
        bool isWhole = false;
        try
        {
            for (ulong number = 0; !isWhole && TryEnter(engine, out ChangeScope scope); number++)
            {
                using (scope)
                    isWhole = InspectLine(engine, number);
                stop.ThrowIfCancellationRequested();
            }
        }
        finally
        {
            if (!isWhole && TryEnter(engine, out ChangeScope scope))
            {
                using (scope)
                    engine.Index.EndInspection(isWhole: false);
            }
        }
    }

    // Returns whether all buckets are inspected.
    private static bool InspectLine(TableEngine engine, ulong number)
    {
        if (number == 0)
            engine.Index.BeginInspection();
        if (number >= engine.Index.BucketCount)
        {
            engine.Index.EndInspection(isWhole: true);
            return true;
        }
        new TableInspection(engine).InspectBucket(number);
        return false;
    }

    private void InspectBlocks()
    {
        ulong end = heap.EndAddress; // entries that are put behind it later are in their index
        for (ulong address = 0; address < end; address += heap.SegmentUnits)
            InspectSegment(address);
    }

    private void InspectSegment(ulong address)
    {
        ulong end = address + heap.SegmentUnits;
        while (address < end)
        {
            stop.ThrowIfCancellationRequested();
            int count = heap.Collect(ref address, end, _found);
            for (int at = 0; at < count;)
                at += InspectBlocks(_found.AsSpan(at, count - at));
        }
    }

    /// <summary>Inspects blocks, up to one of a table that is just being configured.</summary>
    /// <returns>The number of inspected blocks.</returns>
    private int InspectBlocks(ReadOnlySpan<ulong> addresses)
    {
        heap.EnsureShadowCapacity();
        int done = 0;
        using (ChangeScope scope = heap.EnterWriter())
        {
            foreach (ulong address in addresses)
                heap.Prefetch(address);
            while (done < addresses.Length && TryInspect(scope.Critical, addresses[done]))
                done++;
        }
        if (done == 0)
            Thread.Yield();
        return done;
    }

    private bool TryInspect(CriticalRegion critical, ulong address)
    {
        if (!FoundEntries.TryReadTableId(heap, address, out int tableId))
            return true;
        if (dropped.TryGetValue(tableId, out ulong upTo))
            _ = TableDrop.FreeDropped(heap, address, upTo);
        if (!engines.TryGetValue(tableId, out TableEngine? engine) || engine.IsClosed)
            return true; // blocks of other dropped tables are freed by the index of that table
        if (!engine.IsOpen)
            return false;
        if (!new TableInspection(engine).IsKnown(address))
            _ = new FoundEntries(engine).AddFound(critical, address);
        return true;
    }

    private static bool TryEnter(TableEngine engine, out ChangeScope scope)
    {
        scope = default;
        try
        {
            scope = engine.EnterWriter();
            return true;
        }
        catch (ObjectDisposedException) when (engine.IsClosed)
        {
            return false;
        }
    }
}
