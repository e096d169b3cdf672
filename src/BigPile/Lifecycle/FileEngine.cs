using System;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Threading;
using BigPile.Access;
using BigPile.Allocation;
using BigPile.Catalog;
using BigPile.Concurrency;
using BigPile.Durability;
using BigPile.Layout;
using BigPile.Memory;
using BigPile.Reporting;
using Microsoft.Extensions.Logging;

namespace BigPile.Lifecycle;

/// <summary>The engine of a pile in the files of a directory.</summary>
/// <remarks>
/// A kill while it is opened changes nothing: the next opening repeats all of it. What each step leaves: Durability/crash/opening.md.
/// </remarks>
internal sealed class FileEngine : PileEngine
{
    private const string RedoName = "redo";

    private readonly PileDirectory _directory; // locked by this process
    private readonly StripeFile? _stripeFile; // what readers in other processes map
    private readonly SeqLockStripes? _stripes; // the stripes in that file
    private readonly ShadowHeaderTable? _shadowHeaders; // empty, without a file, in a shared pile
    private readonly RedoFile? _redo; // records of running replacements
    private readonly FlushLog? _log; // the flusher's
    private readonly Flusher? _flusher; // null until the opening has got so far
    private readonly ITimer? _flushTimer; // null without an interval

    /// <summary>Opens the pile in a directory, or creates it.</summary>
    internal FileEngine(PileOptions options, string name, ILogger logger) : base(options, logger)
    {
        _directory = PileDirectory.Open(options, logger); // lock, superblock, catalog
        Superblock superblock = _directory.Superblock;
        try
        {
            Catalog = _directory.Catalog;
            Codecs = new PileCodecs(options.Codec, Catalog, options.CodecOptions);
            CodecStamp.Check(Catalog, Codec, _directory.Path);
            _stripeFile = StripeFile.OpenForWriting(_directory.Files, superblock.PileId); // keeps readers out until EndRecovery
            _directory.Segments.ListChanged = _stripeFile.OnSegmentsChanged;
            PileLimit limit = LimitChoice.For(options).ForHeld(superblock.ListedSegments.Values.Sum());
            OpenSegments(options, superblock.SegmentBytes, _directory.Segments, limit, superblock.PileId, superblock.GenerationBase);
            WorkAhead(options);
            Versions = new Versions(
                superblock.PileId, superblock.VersionLimit, superblock.RaiseVersionLimit,
                options.IsInTurn ? null : work => Background.Queue("reserving versions", work));
            _shadowHeaders = _directory.IsShared ? ShadowHeaderTable.None() : ShadowHeaderTable.Open(_directory.Files);
            var recovery = new FileRecovery(_directory, Map!, Allocator!, _shadowHeaders, options.Checksums != PileChecksums.Off);
            _redo = RedoFile.Open(_directory.Files, RedoName);
            _log = new FlushLog(_directory, options.FlushLogBytes);
            var reclaimer = new FlushReclaimer(this, Allocator!, _shadowHeaders, _log, logger);
            LazyRecovery = new LazyRecovery(Barrier, Map!, Allocator!.Pool, recovery.PageRecovery, _directory.Faults);
            Report = recovery.Run(_redo, _log, Versions, LazyRecovery, logger); // repairs, and then states "in use"
            CodecStamp.Enter(Catalog, Codec); // behind "in use": see there
            _stripes = _stripeFile.EndRecovery(); // readers in other processes go on
            bool checksEveryRead = superblock.ChecksumKind != BlockChecksumKind.None && options.Checksums == PileChecksums.AtEveryRead;
            var rules = new BlockRules(
                _directory.Path, superblock.ChecksumKind, checksEveryRead, _redo, _shadowHeaders, recovery.PageRecovery,
                recovery.FreeMarkEpoch);
            Blocks = new BlockStore(Barrier, Map!, Allocator, _stripes, reclaimer, rules);
            _flusher = new Flusher(name, Meter, Blocks, _directory, _log, Versions, LazyRecovery, logger);
            Allocator.FlushWanted = reclaimer.RequestFlush; // only now that there is a flusher
            _flushTimer = options.FlushInterval is { } interval
                ? Background.Every(options.TimeProvider, interval, "the flush by interval", reclaimer.FlushQuietly)
                : null;
        }
        catch (Exception e)
        {
            AbandonUnopened();
            if (e is IOException or UnauthorizedAccessException)
                throw CantBeOpened(_directory.Path, e);
            throw;
        }
    }

    internal override PileDirectory? Directory => _directory;

    internal override FlushTrouble? FlushTrouble => _flusher!.Trouble;

    internal override long RewrittenBytes => _flusher!.RewrittenBytes;

    internal override ulong FlushedVersion => _flusher!.FlushedVersion;

    internal override void RequestCheckpoint() => _flusher!.RequestCheckpoint();

    internal override Lock Flushing => _flusher?.Flushing ?? base.Flushing;

    /// <summary>The exception for a file that the system refuses.</summary>
    internal static PileStorageException CantBeOpened(string directory, Exception e) => new(
        $"The pile in '{directory}' can't be opened: "
        + FileErrors.WithRemedy(e, "Free disk space, or make its files accessible, and open it again."), e);

    private protected override void WriteThrough(ProgressGauge gauge)
    {
        if (_directory.IsShared)
            return;
        _flusher!.Flush(gauge);
        if (Allocator!.Pool.Free.IsTrimWanted) // what it has released
            Trimmer.Request();
    }

    private protected override void StopBackground() =>
        Background.TryRun("stopping the flushes by interval", () => _flushTimer?.Dispose());

    // A closed pile states that no page holds traces of a kill or a power cut; only now is it known what they mean.
    private protected override void RecoverRemaining()
    {
        if (_directory.LastShutdown.WasClean)
            return;
        try
        {
            LazyRecovery.RecoverAll();
        }
        catch (ObjectDisposedException) when (Barrier.IsClosed)
        {
            // by another thread, which has recovered them
        }
    }

    private protected override void CloseCleanly()
    {
        Debug.Assert(Barrier.IsClosed, "No operation is running any more.");
        try
        {
            _directory.Catalog.Reconcile(); // first: a record of a failed call must not become durable with the rest
            _flusher!.FlushAtEnd(); // segments are on the device before MarkClean says "closed"
            Debug.Assert(Blocks.ShadowHeaders.Count == 0, "A pile is clean only without shadow headers.");
            Versions.End();
            _directory.Superblock.MarkClean(Versions.Last);
            _directory.UnmarkInUse(); // last: a copy made before is reported as one
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new PileStorageException($"The pile in '{_directory.Path}' could not be written through at its end: {e.Message} What was "
                + "flushed before is durable.", e);
        }
    }

    private protected override void CloseFiles()
    {
        Debug.Assert(Barrier.IsClosed, "Running operations would write to redo records and shadow headers.");
        try
        {
            _log?.Dispose();
        }
        finally
        {
            _redo?.Dispose();
            _shadowHeaders?.Dispose();
        }
    }

    private protected override void DisposeStripes()
    {
        _stripes?.Dispose();
        _stripeFile?.Dispose();
    }
}
