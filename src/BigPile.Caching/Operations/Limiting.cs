using System;
using System.Diagnostics;
using System.Threading;
using BigPile.Access;
using BigPile.Caching.Eviction;
using BigPile.Caching.Eviction.Policies;
using BigPile.Caching.Index;
using BigPile.Caching.Metrics;
using BigPile.Caching.Tables;
using BigPile.Concurrency;

namespace BigPile.Caching.Operations;

/// <summary>Changes a table's options, and begins and ends the enforcement of limits.</summary>
internal static class Limiting
{
    /// <summary>The maximum lines of a bucket in a speculative table, which bounds the cost of every operation.</summary>
    private const int MaxSpeculativeLines = 4;

    private const long TypicalEntryBytes = 256; // until there are EntriesThatTell
    private const long EntriesThatTell = 16; // from so many on the mean counts
    private const long LeastBlockBytes = 512 << 10; // includes the evictor's sixteen shards

    /// <summary>Applies a table's options before it is used.</summary>
    internal static TableCore Begin(this TableCore core)
    {
        core.ApplyLocked(core.Options);
        return core;
    }

    /// <summary>
    /// Changes the options of a live table. Calls wait meanwhile. A new limit on a large table takes a walk through its index.
    /// </summary>
    internal static void Configure(this TableCore core, TableOptions options)
    {
        options.Validate();
        PileRegions.ThrowIfInRegion();
        long now = core.Clock.BeforeLock;
        lock (core.ConfigurationLock)
        {
            if (core.IsConfigured && options.FixedIndex != core.Options.FixedIndex)
                throw new ArgumentException(
                    $"TableOptions.FixedIndex of the table '{core.Name}' can't be changed while the table lives.", nameof(options));
            core.RequireSpaceForIndex(options);
            // Paused: no call sees half of the options. The evictions come after it, as they enter the table.
            core.RunPausedLocked(() => core.ApplyLocked(options));
            core.EvictSurplus(now);
        }
    }

    // An index does not shrink: under a limit below its size no entry could stay.
    private static void RequireSpaceForIndex(this TableCore core, TableOptions options)
    {
        bool isLowered = core.IsConfigured && options.MaxBytes < (core.Options.MaxBytes ?? long.MaxValue);
        if (!isLowered || core.BytesBesideIndex(options.MaxBytes!.Value) >= LeastBlockBytes)
            return;
        long least = core.LeastMaxBytes(core.LeastMaxBytes(options.MaxBytes.Value)); // twice: the allowance depends on the limit
        throw new ArgumentException(
            $"TableOptions.MaxBytes of the table '{core.Name}' can't be lowered to {options.MaxBytes:N0}: its index takes "
            + $"{core.Index.SizeBytes:N0} bytes and does not shrink. Set it to {least:N0} at least, or drop the table and create it again.",
            nameof(options));
    }

    private static long LeastMaxBytes(this TableCore core, long limit) => limit - core.BytesBesideIndex(limit) + LeastBlockBytes;

    /// <summary>Begins to enforce limits, once the index knows every entry.</summary>
    internal static void BeginLimits(this TableCore core)
    {
        long now = core.Clock.BeforeLock;
        lock (core.ConfigurationLock)
        {
            core.RunPausedLocked(() =>
            {
                core.IsRebuilding = false; // no call that has read it is under way
                core.ApplyLocked(core.Options);
            });
            core.EvictSurplus(now);
        }
    }

    /// <summary>Recounts all entries while no thread is in the table: the counters of a damaged index may be wrong.</summary>
    internal static void RecountLocked(this TableCore core)
    {
        core.RunPausedLocked(() =>
        {
            // Paused, so nothing is put between the count and its effect. The evictor goes by wrong sums, and is made anew.
            core.Counters.Reset(core.CountAllLocked());
            core.DropLimits();
            core.ApplyLocked(core.Options);
        });
        core.EvictSurplus(core.Clock.Now);
    }

    // No thread is in the table. Slots that point to no entry are cleared.
    private static BlockCount CountAllLocked(this TableCore core)
    {
        var count = default(BlockCount);
        for (ulong number = 0; number < core.Index.BucketCount; number++)
        {
            using ReadScope scope = core.Pile.Blocks.EnterReader();
            foreach (SlotPlace place in core.Index.SlotsOf(number))
            {
                if (core.TryViewLocked(place, out LockedEntry entry))
                    count += core.CountOf(entry);
                else
                    place.Store(default);
            }
        }
        return count;
    }

    // No thread is in the table.
    private static void ApplyLocked(this TableCore core, TableOptions options)
    {
        core.Options = options;
        core.CountsReads = options.Statistics;
        core.MaxLines = options.CollisionMode == CollisionMode.Durable ? int.MaxValue : options.FixedIndex ? 1 : MaxSpeculativeLines;
        if (core.IsLimited && !core.IsRebuilding)
            core.SetLimits(options);
        else
            core.DropLimits();
        core.CountsUses = core.Evictor != null || options.FixedIndex;
    }

    private static void SetLimits(this TableCore core, TableOptions options)
    {
        Debug.Assert(!core.IsRebuilding, "Limits need a complete index.");
        // No put holds a reservation now, so the usage is what the counters say.
        core.Usage.MaxEntries = options.MaxEntries ?? long.MaxValue;
        core.Usage.Entries = core.Counters[Counter.Entries];
        core.Usage.FootprintBytes = core.Counters[Counter.FootprintBytes];
        long expected = Math.Min(core.Usage.MaxEntries, (options.MaxBytes ?? long.MaxValue) / core.MeanEntryBytes());
        var capacity = new TableCapacity(Math.Max(1, expected), options.MaxBytes ?? expected);
        if (core.Evictor is { } evictor && !evictor.IsTooDivided(capacity))
        {
            evictor.SetCapacity(capacity); // it keeps what it has learned
            return;
        }
        core.DropLimits();
        core.Evictor = new Evictor(new EvictionHost(core), capacity, isCertain: options.MaxBytes == null);
        core.Usage.ClearByPriority();
        if (core.Usage.Entries != 0)
            core.BeginBackfill(core.Evictor);
    }

    /// <summary>The mean footprint of an entry; an estimate while there are few.</summary>
    internal static long MeanEntryBytes(this TableCore core)
    {
        long entries = Interlocked.Read(ref core.Usage.Entries);
        return entries < EntriesThatTell ? TypicalEntryBytes : Math.Max(1, Interlocked.Read(ref core.Usage.FootprintBytes) / entries);
    }

    /// <summary>The weight of an entry in the evictor: its footprint if bytes are limited, else 1.</summary>
    internal static double WeightOf(this TableCore core, long payloadBytes) =>
        core.Options.MaxBytes == null ? 1 : core.Pile.Blocks.FootprintBytesOf(payloadBytes);

    private static void DropLimits(this TableCore core)
    {
        core.Backfill = null;
        core.Evictor?.Dispose();
        core.Evictor = null;
    }

    /// <summary>
    /// Whether lowered limits leave far more to evict than one put should: all of it would be copied before any is written to the file.
    /// </summary>
    internal static bool IsFarOverLimits(this TableCore core)
    {
        const int MostEntries = 256; // above the limit
        const long MostBytes = 1 << 20; // above the limit
        TableUsage usage = core.Usage;
        return core.Evictor != null
            && (Interlocked.Read(ref usage.Entries) - MostEntries > usage.MaxEntries
                || Interlocked.Read(ref usage.FootprintBytes) - MostBytes > core.BlockLimitBytes);
    }

    /// <summary>
    /// Evicts one entry of a table that is over its limits, and writes it to the file. The caller is outside of critical regions.
    /// </summary>
    /// <returns>Whether there was an evictable entry.</returns>
    internal static bool TryEvictOne(this TableCore core, long now)
    {
        using (ChangeScope scope = core.EnterWriter())
        {
            if (core.Evictor is not { } evictor || !core.TryEvictInTurn(evictor, now))
                return false;
        }
        // One at a time: so no more than one copy waits for the file.
        core.DrainSpill();
        return true;
    }

    // Evicts what is over the limits after they were lowered.
    private static void EvictSurplus(this TableCore core, long now)
    {
        Debug.Assert(core.ConfigurationLock.IsHeldByCurrentThread, "The limits stay as they are until the table is within them.");
        while (core.IsOverLimits() && core.TryEvictOne(now))
            continue;
    }

    /// <summary>
    /// Evicts some of what is over the limits: entries that were never evictable when these were lowered may be evictable now. The caller
    /// is outside of critical regions.
    /// </summary>
    internal static void EvictSurplus(this TableCore core, int most, CancellationToken stop = default)
    {
        while (most-- > 0 && !stop.IsCancellationRequested && core.IsOverLimits() && core.TryEvictOne(core.Clock.Now))
            continue;
    }

    private static bool IsOverLimits(this TableCore core)
    {
        TableUsage usage = core.Usage;
        return core.Evictor != null
            && (Interlocked.Read(ref usage.Entries) > usage.MaxEntries
                || Interlocked.Read(ref usage.FootprintBytes) > core.BlockLimitBytes);
    }
}
