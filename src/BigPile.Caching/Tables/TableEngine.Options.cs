using System;
using System.Threading;
using BigPile.Caching.Metrics;
using BigPile.Concurrency;

namespace BigPile.Caching.Tables;

/// <summary>The table's options, and what follows from them. They change while no thread is in the table.</summary>
internal sealed partial class TableEngine
{
    /// <summary>The maximum lines of a bucket in a speculative table, which bounds the cost of every operation.</summary>
    private const int MaxSpeculativeLines = 4;

    private const long LeastBlockBytes = 512 << 10; // includes the evictor's sixteen shards

    private TableOptions _options;
    private bool _isConfigured;
    private bool _countsReads;
    private bool _countsUses;
    private int _maxLines;
    private bool _putsPlain;

    internal TableOptions Options => Volatile.Read(ref _options);

    /// <summary>Whether the application has configured the table.</summary>
    internal bool IsConfigured => Volatile.Read(ref _isConfigured);

    /// <summary>Whether hits and misses are counted.</summary>
    internal bool CountsReads => _countsReads;

    /// <summary>Whether uses of entries are counted, for eviction or a bounded bucket.</summary>
    internal bool CountsUses => _countsUses;

    /// <summary>Whether entries put without options are plain.</summary>
    internal bool PutsPlain => _putsPlain;

    /// <summary>The maximum number of lines of a bucket.</summary>
    internal int MaxLines => _maxLines;

    /// <summary>Applies the options before the table is used.</summary>
    internal TableEngine Begin()
    {
        PileCapacity.Add(Shrink); // first: the pile may become nearly full meanwhile
        ApplyLocked(_options);
        return this;
    }

    internal void ReapplyLocked() => RunPausedLocked(() => ApplyLocked(Options));

    /// <summary>The options are the application's own from here on.</summary>
    internal void MarkConfigured() => Volatile.Write(ref _isConfigured, true);

    /// <summary>
    /// Changes the options of a live table. Calls wait meanwhile. A new limit on a large table takes a walk through its index.
    /// </summary>
    internal void Configure(TableOptions options)
    {
        options.Validate();
        PileRegions.ThrowIfInRegion();
        long now = Clock.BeforeLock;
        lock (ConfigurationLock)
        {
            if (IsConfigured && options.FixedIndex != Options.FixedIndex)
                throw new ArgumentException(
                    $"TableOptions.FixedIndex of the table '{Name}' can't be changed while the table lives.", nameof(options));
            RequireSpaceForIndex(options);
            // Paused: no call sees half of the options. The evictions come after it, as they enter the table.
            RunPausedLocked(() => new FeedSwitch(this).ApplyLocked(options)); // first: where it fails, nothing has changed
            RunPausedLocked(() => ApplyLocked(options));
            Shrink.EvictLocked(now);
        }
    }

    /// <summary>Ends the rebuild: the index knows every entry, and limits are enforced from now on.</summary>
    internal void EndRebuild()
    {
        long now = Clock.BeforeLock;
        lock (ConfigurationLock)
        {
            RunPausedLocked(() =>
            {
                Visibility.EndRebuild(); // no call that has read the opposite is under way
                ApplyLocked(Options);
            });
            Shrink.EvictLocked(now);
        }
    }

    /// <summary>Recounts all entries while no thread is in the table: the counters of a damaged index may be wrong.</summary>
    internal void RecountLocked()
    {
        RunPausedLocked(() =>
        {
            // Paused, so nothing is put between the count and its effect. The evictor goes by wrong sums, and is made anew.
            Counters.Reset(Entries.CountAll(Index));
            Limits.End(Options);
            ApplyLocked(Options);
        });
        Shrink.EvictLocked(Clock.Now);
    }

    // An index does not shrink: under a limit below its size no entry could stay.
    private void RequireSpaceForIndex(TableOptions options)
    {
        bool isLowered = IsConfigured && options.MaxBytes < (Options.MaxBytes ?? long.MaxValue);
        if (!isLowered || Limits.BytesBesideIndex(options.MaxBytes!.Value) >= LeastBlockBytes)
            return;
        long least = LeastMaxBytes(LeastMaxBytes(options.MaxBytes.Value)); // twice: the allowance depends on the limit
        throw new ArgumentException(
            $"TableOptions.MaxBytes of the table '{Name}' can't be lowered to {options.MaxBytes:N0}: its index takes "
            + $"{Index.SizeBytes:N0} bytes and does not shrink. Set it to {least:N0} at least, or drop the table and create it again.",
            nameof(options));
    }

    private long LeastMaxBytes(long limit) => limit - Limits.BytesBesideIndex(limit) + LeastBlockBytes;

    // No thread is in the table.
    private void ApplyLocked(TableOptions options)
    {
        Volatile.Write(ref _options, options);
        _countsReads = options.Statistics;
        Liveness.RefreshFrom(options.EagerRefresh);
        _putsPlain = options is { DefaultMaxAge: null, DefaultSliding: null, NullMaxAge: null, KeepsLifetime: false }
            && options.DefaultPriority == EntryPriority.Normal;
        _maxLines = options.CollisionMode == CollisionMode.Durable ? int.MaxValue : options.FixedIndex ? 1 : MaxSpeculativeLines;
        // Without limits puts need not count, until the pile has no segment left to grow by.
        bool isLimited = options.MaxEntries != null || options.MaxBytes != null || Shrink.IsDueWithoutLimits(options);
        if (!isLimited || Visibility.IsRebuilding) // limits need a complete index
            Limits.End(options);
        else if (Limits.Begin(options, Counters[Counter.Entries], Counters[Counter.FootprintBytes], new EvictionHost(this)) is { } backfill)
            Heap.Background.Queue($"filling the queues of the table '{Name}'", () => Shrink.CompleteBackfill(backfill));
        _countsUses = Limits.AreOn || options.FixedIndex;
    }
}
