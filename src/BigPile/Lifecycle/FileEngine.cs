using System;
using System.Diagnostics;
using System.IO;
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

/// <summary>Keeps a pile in the files of a directory.</summary>
/// <remarks>
/// Order of opening: the directory's lock and its superblock; catalog and codec; stripes, so that readers wait; segments; what a kill or a
/// power cut left is put right by <see cref="FileRecovery"/>; the superblock states that the pile is in use; the codec's stamp; readers
/// go on. A kill in between changes nothing: all of it is done again. What each step leaves: CRASH.md, the rows of opening.
/// </remarks>
internal sealed class FileEngine : PileEngine
{
    private const string RedoName = "redo";

    private readonly PileDirectory _directory;
    private readonly StripeFile? _stripeFile;
    private readonly SeqLockStripes? _stripes;
    private readonly ShadowHeaderTable? _shadowHeaders;
    private readonly RedoFile? _redo;
    private readonly FlushLog? _log;
    private readonly Flusher? _flusher;
    private readonly ITimer? _flushTimer;

    /// <summary>Opens the pile in a directory, or makes one there.</summary>
    internal FileEngine(PileOptions options, string name, ILogger logger) : base(options, logger)
    {
        _directory = PileDirectory.Open(options, logger);
        Superblock superblock = _directory.Superblock;
        try
        {
            Catalog = _directory.Catalog;
            Codecs = new PileCodecs(options.Codec, Catalog, options.CodecOptions);
            CodecStamp.Check(Catalog, Codec, _directory.Path);
            _stripeFile = StripeFile.OpenForWriting(_directory.Files, superblock.PileId);
            _directory.Segments.ListChanged = _stripeFile.OnSegmentsChanged;
            OpenSegments(
                superblock.SegmentBytes, _directory.Segments, options.MaxBytes, superblock.PileId, superblock.GenerationBase);
            TouchAhead();
            Versions = new Versions(superblock.PileId, superblock.VersionLimit, superblock.RaiseVersionLimit);
            _shadowHeaders = _directory.IsShared ? ShadowHeaderTable.None() : ShadowHeaderTable.Open(_directory.Files);
            var recovery = new FileRecovery(_directory, Map!, Allocator!, _shadowHeaders, options.Checksums != PileChecksums.Off);
            _redo = RedoFile.Open(_directory.Files, RedoName);
            _log = new FlushLog(_directory, options.FlushLogBytes);
            var reclaimer = new FlushReclaimer(this, Allocator!, _shadowHeaders, _log, logger);
            LazyRecovery = new LazyRecovery(Barrier, Map!, Allocator!.Pool, recovery.PageRecovery, _directory.Faults);
            Report = recovery.Run(_redo, _log, Versions, LazyRecovery, logger);
            CodecStamp.Enter(Catalog, Codec);
            _stripes = _stripeFile.EndRecovery();
            bool checksEveryRead = superblock.ChecksumKind != BlockChecksumKind.None && options.Checksums == PileChecksums.AtEveryRead;
            var rules = new BlockRules(
                _directory.Path, superblock.ChecksumKind, checksEveryRead, _redo, _shadowHeaders, recovery.PageRecovery, recovery.FreeEpoch);
            Blocks = new BlockStore(Barrier, Map!, Allocator, _stripes, reclaimer, rules);
            _flusher = new Flusher(name, Meter, Blocks, _directory, _log, Versions, LazyRecovery, logger);
            Allocator.FlushWanted = reclaimer.RequestFlush; // from here on there is somebody who flushes
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

    internal override Lock Flushing => _flusher?.Flushing ?? base.Flushing;

    /// <summary>What is thrown when the system refuses a file.</summary>
    internal static PileStorageException CantBeOpened(string directory, Exception e) => new(
        $"The pile in '{directory}' can't be opened: "
        + FileErrors.WithRemedy(e, "Make room, or make its files accessible, and open it again."), e);

    private protected override void WriteThrough(ProgressGauge gauge)
    {
        if (!_directory.IsShared)
            _flusher!.Flush(gauge);
    }

    private protected override void StopBackground() =>
        Background.TryRun("stopping the flushes by interval", () => _flushTimer?.Dispose());

    // A closed pile states that no page has traces of a kill or of a power cut: what they mean is known only now.
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
            // by another thread, which has examined them
        }
    }

    private protected override void CloseCleanly()
    {
        Debug.Assert(Barrier.IsClosed, "Nobody is inside any more.");
        try
        {
            _directory.Catalog.Reconcile(); // first of all: what a failed call left must not go with what becomes durable
            _flusher!.FlushAtEnd();
            Debug.Assert(Blocks.ShadowHeaders.Count == 0, "A pile is clean only if each header is where its block is.");
            _directory.Superblock.MarkClean(Versions.Last);
            _directory.UnmarkInUse();
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new PileStorageException($"The pile in '{_directory.Path}' could not be written through at its end: {e.Message} What was "
                + "flushed before is durable.", e);
        }
    }

    private protected override void CloseFiles()
    {
        Debug.Assert(Barrier.IsClosed, "Whoever is inside writes to redo records and to the table of moved blocks.");
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
