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

/// <summary>Opens what a pile consists of, keeps it, and closes it: in memory, in files, or in files that another process writes.</summary>
/// <remarks>
/// What is common is here; what differs is in <see cref="MemoryEngine"/>, <see cref="FileEngine"/> and <see cref="ReaderEngine"/>.
/// Order of closing: the timer of flushes stops; pages that nobody needed are examined; nobody comes in any more, and everybody has left;
/// files are settled and written through; logs, redo records and the table of moved blocks are unmapped; segments are freed, at last the
/// directory's lock. A lease puts the last two off until it ends. Locks: the flush's, then the closing's.
/// </remarks>
internal abstract class PileEngine
{
    private int _areTablesTaken;

    /// <summary>Prepares a keeper; nothing is opened yet.</summary>
    protected PileEngine(PileOptions options, ILogger logger)
    {
        Meter = PileMeter.Of(options.MeterFactory);
        Barrier = new OperationBarrier(options.Directory);
        Background = new BackgroundWork(logger, () => Barrier.IsClosed);
    }

    /// <summary>Where the pile, and what is made of it, states its figures.</summary>
    internal PileMeter Meter { get; }

    /// <summary>Who may come in.</summary>
    internal OperationBarrier Barrier { get; }

    /// <summary>Takes the pile's tables for one cache, until <see cref="ReleaseTables"/>.</summary>
    /// <returns><see langword="false"/> when another one has them.</returns>
    internal bool TryTakeTables() => Interlocked.Exchange(ref _areTablesTaken, 1) == 0;

    /// <summary>Gives back what <see cref="TryTakeTables"/> took.</summary>
    internal void ReleaseTables() => Volatile.Write(ref _areTablesTaken, 0);

    /// <summary>Runs what the pile and its tables do in the background.</summary>
    internal BackgroundWork Background { get; }

    /// <summary>The blocks.</summary>
    internal BlockStore Blocks { get; private protected set; } = null!;

    /// <summary>How blocks are read that another process may be writing; none in any other pile.</summary>
    internal SharedReader? Shared { get; private protected set; }

    /// <summary>Has the pages examined that an earlier owner left.</summary>
    internal LazyRecovery LazyRecovery { get; private protected set; } = null!;

    /// <summary>Numbers the entries of tables.</summary>
    internal Versions Versions { get; private protected set; } = null!;

    /// <summary>What payloads refer to by number.</summary>
    internal PileCatalog Catalog { get; private protected set; } = null!;

    /// <summary>Makes payloads of objects, and bytes of keys.</summary>
    internal PileCodecs Codecs { get; private protected set; } = null!;

    /// <summary>Makes payloads of objects.</summary>
    internal IPileCodec Codec => Codecs.Objects;

    /// <summary>Gives memory back.</summary>
    internal Trimmer Trimmer { get; private protected set; } = null!;

    /// <summary>What was found when the pile was opened.</summary>
    internal OpeningReport Report { get; private protected set; } = OpeningReport.OfNew;

    /// <summary>Tells this opening of the pile from every other one.</summary>
    internal Guid SessionId { get; } = Guid.NewGuid();

    /// <summary>The id of a mapped pile; of other piles, that of the session.</summary>
    internal Guid Id => Directory?.Superblock.PileId ?? SessionId;

    /// <summary>The directory of a mapped pile.</summary>
    internal virtual PileDirectory? Directory => null;

    /// <summary>Bytes of freed blocks that wait for a flush.</summary>
    internal long PendingFreeBytes => Blocks.Allocator.PendingFreeBytes;

    /// <summary>What was wrong with the last flush; null when nothing was.</summary>
    internal virtual FlushTrouble? FlushTrouble => null;

    /// <summary>Bytes of segments that were written anew because the device had refused them before.</summary>
    internal virtual long RewrittenBytes => 0;

    private protected SegmentMap? Map { get; set; }

    private protected Allocator? Allocator { get; set; }

    /// <summary>Takes over what another process has made of the pile by now, without waiting for it; nothing where none writes.</summary>
    internal virtual void Refresh()
    {
    }

    /// <summary>What the pile's memory is used for. The caller is inside.</summary>
    internal virtual AllocatorCounters Count() => Blocks.Allocator.Snapshot();

    /// <summary>Held while something is flushed, and by whoever closes.</summary>
    internal virtual Lock Flushing { get; } = new();

    /// <summary>Opens a pile.</summary>
    internal static PileEngine Open(PileOptions options, string name, ILogger logger)
    {
        if (options.Directory == null)
            return new MemoryEngine(options, logger);
        return options.ReadOnly ? new ReaderEngine(options, logger) : new FileEngine(options, name, logger);
    }

    /// <summary>Makes durable what was done before; of a pile that outlives no process there is nothing to do.</summary>
    /// <exception cref="PileStorageException">The device refused or is full. What was durable before still is.</exception>
    internal void Flush(ProgressGauge gauge)
    {
        CriticalRegion.ThrowIfInRegion();
        Barrier.EnterReader().Exit(); // refuses if the pile is closed
        WriteThrough(gauge);
        gauge.Complete();
    }

    /// <summary>Closes the pile once the calls that run have ended; does nothing when it is closed.</summary>
    internal void Close()
    {
        Debug.Assert(!CriticalRegion.Current.IsInRegion, "Whoever closes a pile would wait for itself.");
        StopBackground();
        RecoverRemaining();
        lock (Flushing)
        {
            lock (Barrier.Closing)
            {
                if (Barrier.IsClosed)
                    return;
                Barrier.Close();
                try
                {
                    CloseCleanly();
                }
                finally
                {
                    Abandon();
                }
            }
        }
    }

    /// <summary>Frees the memory and lets go of the directory: nobody is inside any more, and nobody looks at a payload.</summary>
    /// <remarks>Until then the directory is nobody else's: whoever opened it would write under the leases.</remarks>
    internal void Release()
    {
        Debug.Assert(Barrier.IsClosed && Blocks is not { Leases.IsAny: true }, "Nobody looks at memory that goes, inside or by a lease.");
        try
        {
            Codecs?.Clear();
            Allocator?.Dispose();
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
                Directory?.Dispose();
            }
        }
    }

    /// <summary>Makes what every pile has. The store's memory is the allocator's from here on.</summary>
    private protected void OpenSegments(long segmentBytes, SegmentStore store, long limitBytes, Guid pileId, uint generationBase)
    {
        Map = new SegmentMap(segmentBytes);
        Allocator = new Allocator(Map, store, limitBytes, pileId, generationBase);
        Trimmer = new Trimmer(Barrier, Allocator, Background);
    }

    /// <summary>Touches new segments ahead of the allocator.</summary>
    private protected void TouchAhead()
    {
        if (!PageToucher.IsWorthwhile)
            return;
        PagePool pool = Allocator!.Pool;
        pool.Touch = (segment, first, end) =>
            Background.Queue("touching memory ahead", new PageToucher(Barrier, pool, segment, first, end).TouchAll);
    }

    /// <summary>Stops what the pile itself began in the background.</summary>
    private protected virtual void StopBackground()
    {
    }

    /// <summary>Examines the pages that nobody needed: a closed pile states that none has traces of a kill or of a power cut.</summary>
    private protected virtual void RecoverRemaining()
    {
    }

    /// <summary>Writes through what changed; nothing where nothing outlives the process.</summary>
    private protected virtual void WriteThrough(ProgressGauge gauge)
    {
    }

    /// <summary>Writes files through and marks them as cleanly closed. Nobody is inside any more.</summary>
    private protected virtual void CloseCleanly()
    {
    }

    /// <summary>Closes the files beside the segments.</summary>
    private protected virtual void CloseFiles()
    {
    }

    /// <summary>Frees the stripes.</summary>
    private protected abstract void DisposeStripes();

    /// <summary>Closes a pile that was never opened to its end. Nobody knows of it but what it began itself.</summary>
    private protected void AbandonUnopened()
    {
        StopBackground();
        Barrier.Close();
        Abandon();
    }

    // Each step is made whatever the ones before threw: a lock that stays would keep the directory from everybody.
    private void Abandon()
    {
        Debug.Assert(Barrier.IsClosed, "Nobody is inside any more when files are closed.");
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
