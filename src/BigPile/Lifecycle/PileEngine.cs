using System;
using System.Diagnostics;
using System.Threading;
using BigPile.Access;
using BigPile.Allocation;
using BigPile.Catalog;
using BigPile.Concurrency;
using BigPile.Durability;
using BigPile.Reporting;
using BigPile.Telemetry;
using Microsoft.Extensions.Logging;

namespace BigPile.Lifecycle;

/// <summary>Opens, holds and closes the parts of a pile: in memory, in files, or in files that another process writes.</summary>
/// <remarks>
/// The common part; the rest is in <see cref="MemoryEngine"/>, <see cref="FileEngine"/> and <see cref="ReaderEngine"/>. A lease keeps the
/// segments and the directory lock until it ends. Lock order: the flush lock, then the barrier's <c>Closing</c>.
/// </remarks>
internal abstract class PileEngine
{
    private int _areTablesTaken; // 1 while a cache has the pile's tables; interlocked

    /// <summary>Prepares an engine; nothing is opened yet.</summary>
    protected PileEngine(PileOptions options, ILogger logger)
    {
        Meter = PileMeter.Of(options.MeterFactory);
        Barrier = new OperationBarrier(options.Directory);
        Background = new BackgroundWork(logger, () => Barrier.IsClosed);
        Refusals = new Refusals(Background, logger, options.TimeProvider);
    }

    /// <summary>The meter of the pile and of what is built on it.</summary>
    internal PileMeter Meter { get; }

    /// <summary>Admits operations.</summary>
    internal OperationBarrier Barrier { get; }

    /// <summary>Reserves the pile's tables for one cache, until <see cref="ReleaseTables"/>.</summary>
    /// <returns><see langword="false"/> if another cache has them.</returns>
    internal bool TryTakeTables() => Interlocked.Exchange(ref _areTablesTaken, 1) == 0;

    /// <summary>Ends what <see cref="TryTakeTables"/> began.</summary>
    internal void ReleaseTables() => Volatile.Write(ref _areTablesTaken, 0);

    /// <summary>Runs the background work of the pile and its tables.</summary>
    internal BackgroundWork Background { get; }

    /// <summary>The puts that were refused as the pile was full.</summary>
    internal Refusals Refusals { get; }

    internal BlockStore Blocks { get; private protected set; } = null!;

    /// <summary>Reads blocks that another process may be writing; null for any other pile.</summary>
    internal SharedReader? Shared { get; private protected set; }

    /// <summary>Recovers the pages that an earlier owner left.</summary>
    internal LazyRecovery LazyRecovery { get; private protected set; } = null!;

    /// <summary>The entry versions of tables.</summary>
    internal Versions Versions { get; private protected set; } = null!;

    /// <summary>The definitions that payloads refer to by id.</summary>
    internal PileCatalog Catalog { get; private protected set; } = null!;

    /// <summary>Serializes objects and keys.</summary>
    internal PileCodecs Codecs { get; private protected set; } = null!;

    internal IPileCodec Codec => Codecs.Objects;

    /// <summary>Trims memory.</summary>
    internal Trimmer Trimmer { get; private protected set; } = null!;

    /// <summary>The most bytes of the segments.</summary>
    internal PileLimit Limit { get; private set; } = null!; // set by OpenSegments

    /// <summary>What was found when the pile was opened.</summary>
    internal OpeningReport Report { get; private protected set; } = OpeningReport.OfNew;

    /// <summary>A unique id of this opening of the pile.</summary>
    internal Guid SessionId { get; } = Guid.NewGuid();

    /// <summary>The id of a mapped pile; otherwise that of the session.</summary>
    internal Guid Id => Directory?.Superblock.PileId ?? SessionId;

    /// <summary>The directory of a mapped pile, otherwise null.</summary>
    internal virtual PileDirectory? Directory => null;

    /// <summary>Bytes of freed blocks that wait for a flush.</summary>
    internal long PendingFreeBytes => Blocks.Allocator.PendingFreeBytes;

    /// <summary>The problem of the last flush; null if it had none.</summary>
    internal virtual FlushTrouble? FlushTrouble => null;

    /// <summary>Bytes of segments that were rewritten because a sync of them had failed.</summary>
    internal virtual long RewrittenBytes => 0;

    /// <summary>The version up to which all entries are durable; of a pile that ends with its process, 0.</summary>
    internal virtual ulong FlushedVersion => 0;

    /// <summary>Raised when it has risen, on the flushing thread, with no lock held.</summary>
    internal event Action? Flushed;

    /// <summary>Has the next flush be a checkpoint. For tests.</summary>
    internal virtual void RequestCheckpoint() => throw new NotSupportedException();

    private protected SegmentMap? Map { get; set; } // null until OpenSegments; freed by Release

    private protected Allocator? Allocator { get; set; } // the same; owns the segments

    /// <summary>
    /// Takes over the current state of the writing process without waiting for it; does nothing if this process is the writer.
    /// </summary>
    internal virtual void Refresh()
    {
    }

    /// <summary>Counts what the pile's memory is used for. The caller is in a critical region.</summary>
    internal virtual AllocatorCounters Count() => Blocks.Allocator.Snapshot();

    /// <summary>The flush lock: held during a flush, and while the pile is closed.</summary>
    internal virtual Lock Flushing { get; } = new();

    internal static PileEngine Open(PileOptions options, string name, ILogger logger)
    {
        if (options.Directory == null)
            return new MemoryEngine(options, logger);
        return options.ReadOnly ? new ReaderEngine(options, logger) : new FileEngine(options, name, logger);
    }

    /// <summary>Makes durable what was done before; does nothing for a pile that ends with its process.</summary>
    /// <exception cref="PileStorageException">The device refused or is full. What was durable before still is.</exception>
    internal void Flush(ProgressGauge gauge)
    {
        PileRegions.ThrowIfInRegion();
        Barrier.EnterReader().Exit(); // throws if the pile is closed
        WriteThrough(gauge);
        Flushed?.Invoke();
        gauge.Complete();
    }

    /// <summary>Closes the pile once the running calls have ended; does nothing if it is closed.</summary>
    internal void Close()
    {
        Debug.Assert(!PileRegions.Current.IsOpen, "The closing thread would wait for itself.");
        StopBackground(); // no new flush by the timer; a running one ends before the lock below
        RecoverRemaining(); // while operations still run: it may take long
        Background.TryRun("the report of refused puts", () => Refusals.Say(isClosing: true));
        lock (Flushing) // a flush that runs ends first
        {
            lock (Barrier.Closing)
            {
                if (Barrier.IsClosed) // by another thread, which was first
                    return;
                Barrier.Close(); // returns when all operations have left
                try
                {
                    Allocator?.Pool.Growth.End(); // a segment that is being made is there before the superblock says that all is
                    CloseCleanly(); // if it throws, the next owner goes by what the superblock says
                }
                finally
                {
                    Abandon(); // in each case: nobody else would unlock the directory
                }
            }
        }
    }

    /// <summary>Frees the memory and unlocks the directory: no operation is running, and no lease is left.</summary>
    /// <remarks>The directory stays locked until then: another owner would write under the leases.</remarks>
    internal void Release()
    {
        Debug.Assert(Barrier.IsClosed && Blocks is not { Leases.IsAny: true }, "Memory is freed only without operations and leases.");
        try
        {
            Codecs?.Clear();
            Allocator?.Dispose(); // unmaps or frees the segments
        }
        finally
        {
            try
            {
                Map?.Dispose();
                DisposeStripes();
            }
            finally
            {
                Directory?.Dispose(); // last: unlocks the directory
            }
        }
    }

    /// <summary>Creates what every pile has. The allocator owns the store's memory from here on.</summary>
    private protected void OpenSegments(
        PileOptions options, long segmentBytes, SegmentStore store, PileLimit limit, Guid pileId, uint generationBase)
    {
        Limit = limit;
        Map = new SegmentMap(segmentBytes);
        Allocator = new Allocator(Map, store, limit, pileId, generationBase);
        Trimmer = new Trimmer(Barrier, Allocator, Background, options);
        Allocator.Pool.Growth.Time = options.TimeProvider;
    }

    /// <summary>Makes segments, and touches their pages, ahead of the allocator, in the background.</summary>
    private protected void WorkAhead(PileOptions options)
    {
        PagePool pool = Allocator!.Pool;
        if (pool.StoreKind != StoreKind.Managed && !options.IsInTurn)
            pool.Growth.SpareWanted = () => Background.Queue("making a segment ahead", pool.MakeSpare);
        if (!PageToucher.IsWorthwhile)
            return;
        pool.Touch = (segment, first, end) =>
            Background.Queue("touching memory ahead", new PageToucher(Barrier, pool, segment, first, end).TouchAll);
    }

    /// <summary>Stops the pile's own background work.</summary>
    private protected virtual void StopBackground()
    {
    }

    /// <summary>Recovers the remaining pages: a closed pile states that none holds traces of a kill or a power cut.</summary>
    private protected virtual void RecoverRemaining()
    {
    }

    /// <summary>Flushes; does nothing if nothing outlives the process.</summary>
    private protected virtual void WriteThrough(ProgressGauge gauge)
    {
    }

    /// <summary>Syncs the files and marks them as cleanly closed. No operation is running any more.</summary>
    private protected virtual void CloseCleanly()
    {
    }

    /// <summary>Closes the files beside the segments.</summary>
    private protected virtual void CloseFiles()
    {
    }

    private protected abstract void DisposeStripes();

    /// <summary>Closes a pile whose opening failed. Only its own background work knows of it.</summary>
    private protected void AbandonUnopened()
    {
        StopBackground();
        Barrier.Close();
        Abandon();
    }

    // Each step runs whatever the earlier ones threw: a lock that stays would keep all others out of the directory.
    private void Abandon()
    {
        Debug.Assert(Barrier.IsClosed, "No operation is running when files are closed.");
        Trimmer?.End();
        try
        {
            CloseFiles();
        }
        finally
        {
            if (Blocks is not { Leases.IsAny: true })
                Release();
        }
    }
}
