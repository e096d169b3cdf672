using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.Linq;
using System.Threading;
using BigPile.Caching.Operations;
using BigPile.Caching.Tables;
using BigPile.Concurrency;
using Microsoft.Extensions.Logging;

namespace BigPile.Caching.Persistence;

/// <summary>Compares indexes that an earlier process left with the blocks of the pile, while the tables are in use.</summary>
/// <remarks>
/// What threads were at was put right by the notes when the tables were opened, so there is nothing to find unless a file was damaged.
/// First the lines are looked at: a level, a chain or a slot that is not right is mended, or goes. Then the blocks: an entry that no slot
/// leads to is taken in again, unless its key was removed since (<see cref="RemovedKeys"/>). Everything is done under the lock of a
/// bucket, one at a time, by one thread that gives way to others. Of a table where something was damaged all is counted anew in the end.
/// </remarks>
/// <param name="pile">The pile.</param>
/// <param name="cores">The tables, by their ids.</param>
/// <param name="dropped">The ids of tables that were dropped, and the version up to which blocks that are still there are theirs.</param>
/// <param name="stop">Ends it.</param>
internal sealed unsafe class IndexInspection(
    Pile pile, IReadOnlyDictionary<int, TableCore> cores, IReadOnlyDictionary<int, ulong> dropped, CancellationToken stop)
{
    private const int EntriesAtOnce = 64;
    private const long ManyEntries = 100_000;

    // A process that was just started has more urgent things to do.
    private static readonly TimeSpan FirstPause = TimeSpan.FromSeconds(2);

    private readonly ulong[] _found = new ulong[EntriesAtOnce];

    /// <summary>Goes through lines and blocks.</summary>
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
        while (damagedLines.Any(static pair => pair.Key.DamagedLines != pair.Value)); // a chain that was cut behind the look at its blocks
        foreach ((TableCore core, long seen) in damagedLines)
            core.EndInspection(seen);
        pile.Logger.LogInformation(
            "The tables' indexes were compared with the pile; {Damaged} places were mended",
            cores.Values.Sum(static core => core.DamageCount));
    }

    // Whoever looked at a line that two buckets led to may have left in it what is not his: another pass sees that, once none is shared.
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

    // The index is there only for who is inside: the table may be dropped meanwhile.
    private void InspectLinesOnce(TableCore core)
    {
        bool isWhole = false;
        try
        {
            for (ulong number = 0; !isWhole && TryEnter(core, out CriticalRegion? critical); number++)
            {
                try
                {
                    isWhole = InspectLine(core, number);
                }
                finally
                {
                    pile.Blocks.Exit(critical);
                }
                stop.ThrowIfCancellationRequested();
            }
        }
        finally
        {
            if (!isWhole && TryEnter(core, out CriticalRegion? critical))
            {
                core.Index.EndInspection(isWhole: false);
                pile.Blocks.Exit(critical);
            }
        }
    }

    // Says whether it was the last one.
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
        ulong end = pile.Entries.EndAddress; // what is put behind it later is in its index
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

    /// <summary>Looks at blocks, until one is of a table that is just being configured.</summary>
    /// <returns>How many were looked at.</returns>
    private int InspectBlocks(ReadOnlySpan<ulong> addresses)
    {
        pile.Blocks.EnsureShadowCapacity();
        CriticalRegion critical = pile.Barrier.EnterWriter();
        int done = 0;
        try
        {
            foreach (ulong address in addresses)
                pile.Entries.Prefetch(address);
            while (done < addresses.Length && TryInspect(critical, addresses[done]))
                done++;
        }
        finally
        {
            pile.Blocks.ExitAfterFree(critical);
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
            return true; // what is left of another table that was dropped goes by its own index
        if (!core.IsOpen)
            return false;
        if (!core.IsKnown(address))
            _ = core.AddFound(critical, address);
        return true;
    }

    private bool TryEnter(TableCore core, [NotNullWhen(true)] out CriticalRegion? critical)
    {
        critical = null;
        try
        {
            critical = core.EnterWriter();
            return true;
        }
        catch (ObjectDisposedException) when (core.IsClosed)
        {
            return false;
        }
    }
}
