using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using BigPile.Access;
using BigPile.Caching.Operations;
using BigPile.Caching.Tables;
using BigPile.Memory.Concurrency;
using Microsoft.Extensions.Logging;

namespace BigPile.Caching.Persistence;

/// <summary>Compares indexes of an earlier process with the blocks of the pile, while the tables are in use.</summary>
/// <remarks>
/// The opening has recovered all changes that a kill interrupted, so the inspection finds something only if a file was damaged.
/// Phase 1 inspects the lines: it repairs wrong levels, cuts damaged chains, and clears wrong slots. Phase 2 inspects the blocks: an entry
/// without a slot is inserted again, unless its key was removed since (<see cref="RemovedKeys"/>). One thread does it, under the lock of
/// one bucket at a time. Finally the counters of damaged tables are counted anew.
/// </remarks>
/// <param name="pile">The pile.</param>
/// <param name="cores">The tables, by id.</param>
/// <param name="dropped">The ids of dropped tables, and the version up to which blocks of the id belong to them.</param>
/// <param name="stop">Ends it.</param>
internal sealed unsafe class IndexInspection(
    Pile pile, IReadOnlyDictionary<int, TableCore> cores, IReadOnlyDictionary<int, ulong> dropped, CancellationToken stop)
{
    private const int EntriesAtOnce = 64;
    private const long ManyEntries = 100_000;

    // The pause before the inspection of many entries: a process that was just started has more urgent work.
    private static readonly TimeSpan FirstPause = TimeSpan.FromSeconds(2);

    private readonly ulong[] _found = new ulong[EntriesAtOnce]; // addresses of blocks to inspect

    /// <summary>Inspects lines and blocks, until a pass finds no new damage.</summary>
    internal void Run()
    {
        if (cores.Values.Sum(static core => core.Statistics.EntryCount) > ManyEntries)
            _ = stop.WaitHandle.WaitOne(FirstPause);
        var damagedLines = new Dictionary<TableCore, long>();
        do
        {
            foreach (TableCore core in cores.Values)
                damagedLines[core] = InspectLines(core);
            InspectBlocks();
        }
        while (damagedLines.Any(static pair => pair.Key.DamagedLines != pair.Value)); // a chain was cut after its blocks were inspected
        foreach ((TableCore core, long seen) in damagedLines)
            core.EndInspection(seen);
        pile.Logger.LogInformation(
            "The tables' indexes were compared with the pile; {Damaged} places were repaired",
            cores.Values.Sum(static core => core.DamageCount));
    }

    // If two buckets shared a line, the first one may have kept slots that belong to the other. A further pass, without shared lines,
    // finds them.
    private long InspectLines(TableCore core)
    {
        long before;
        do
        {
            before = core.DamagedLines;
            InspectLinesOnce(core);
        }
        while (core.DamagedLines != before);
        return before;
    }

    // Each bucket is inspected in a critical region of its own: outside one, a drop of the table may dispose the index.
    private void InspectLinesOnce(TableCore core)
    {
        bool isWhole = false;
        try
        {
            for (ulong number = 0; !isWhole && TryEnter(core, out ChangeScope scope); number++)
            {
                using (scope)
                    isWhole = InspectLine(core, number);
                stop.ThrowIfCancellationRequested();
            }
        }
        finally
        {
            if (!isWhole && TryEnter(core, out ChangeScope scope))
            {
                using (scope)
                    core.Index.EndInspection(isWhole: false);
            }
        }
    }

    // Returns whether all buckets are inspected.
    private static bool InspectLine(TableCore core, ulong number)
    {
        if (number == 0)
            core.Index.BeginInspection();
        if (number >= core.Index.BucketCount)
        {
            core.Index.EndInspection(isWhole: true);
            return true;
        }
        core.InspectBucket(number);
        return false;
    }

    private void InspectBlocks()
    {
        ulong end = pile.Entries.EndAddress; // entries that are put behind it later are in their index
        for (ulong address = 0; address < end; address += pile.Entries.SegmentUnits)
            InspectSegment(address);
    }

    private void InspectSegment(ulong address)
    {
        ulong end = address + pile.Entries.SegmentUnits;
        while (address < end)
        {
            stop.ThrowIfCancellationRequested();
            int count = pile.Entries.Collect(ref address, end, _found);
            for (int at = 0; at < count;)
                at += InspectBlocks(_found.AsSpan(at, count - at));
        }
    }

    /// <summary>Inspects blocks, up to one of a table that is just being configured.</summary>
    /// <returns>The number of inspected blocks.</returns>
    private int InspectBlocks(ReadOnlySpan<ulong> addresses)
    {
        pile.Blocks.EnsureShadowCapacity();
        int done = 0;
        using (ChangeScope scope = pile.Blocks.EnterWriter())
        {
            foreach (ulong address in addresses)
                pile.Entries.Prefetch(address);
            while (done < addresses.Length && TryInspect(scope.Critical, addresses[done]))
                done++;
        }
        if (done == 0)
            Thread.Yield();
        return done;
    }

    private bool TryInspect(CriticalRegion critical, ulong address)
    {
        if (!Rebuilding.TryReadTableId(pile, address, out int tableId))
            return true;
        if (dropped.TryGetValue(tableId, out ulong upTo))
            _ = Dropping.FreeDropped(pile, address, upTo);
        if (!cores.TryGetValue(tableId, out TableCore? core) || core.IsClosed)
            return true; // blocks of other dropped tables are freed by the index of that table
        if (!core.IsOpen)
            return false;
        if (!core.IsKnown(address))
            _ = core.AddFound(critical, address);
        return true;
    }

    private static bool TryEnter(TableCore core, out ChangeScope scope)
    {
        scope = default;
        try
        {
            scope = core.EnterWriter();
            return true;
        }
        catch (ObjectDisposedException) when (core.IsClosed)
        {
            return false;
        }
    }
}
