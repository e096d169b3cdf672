using System;
using System.Diagnostics;
using System.IO;
using System.Threading;
using BigPile.Access;
using BigPile.Concurrency;
using BigPile.Durability;
using BigPile.Memory;
using BigPile.Reporting;
using BigPile.Telemetry;
using Microsoft.Extensions.Logging;

namespace BigPile.Lifecycle;

/// <summary>Makes a mapped pile outlive a power cut.</summary>
/// <remarks>
/// Storing through the map dirties whole folios of the system's cache, so writing 1.2 MB of scattered changes through it wrote 966 MB.
/// A flush therefore copies the blocks that changed since the last one to a log. A checkpoint writes the segments themselves: when more
/// changed than the lists hold, or the log is full. It is fuzzy, since changes go on while the device writes; what changed meanwhile is
/// the first batch of the next log. Where nothing changed there is none; and where the disk has no room for it, the segments are written
/// once more while nothing changes: a checkpoint needs no room that is not there.
/// What a kill and a power cut leave behind each step: CRASH.md, the rows of flushing.
/// </remarks>
internal sealed class Flusher
{
    private const int MaxFuzzySyncs = 3;

    private readonly string _name;
    private readonly PileMeter _meter;
    private readonly BlockStore _blocks;
    private readonly PileDirectory _directory;
    private readonly FlushLog _log;
    private readonly Versions _versions;
    private readonly LazyRecovery _lazyRecovery;
    private readonly FlushSnapshot _snapshot;
    private readonly SegmentSync _sync;
    private readonly ILogger _logger;
    private readonly Lock _flushing = new();
    private bool _needsCheckpoint;
    private FlushTrouble? _trouble;

    /// <summary>Flushes a mapped pile.</summary>
    internal Flusher(
        string name, PileMeter meter, BlockStore blocks, PileDirectory directory, FlushLog log, Versions versions, LazyRecovery lazyRecovery,
        ILogger logger)
    {
        _name = name;
        _meter = meter;
        _blocks = blocks;
        _directory = directory;
        _log = log;
        _versions = versions;
        _lazyRecovery = lazyRecovery;
        _logger = logger;
        _snapshot = new FlushSnapshot(blocks, directory, versions);
        _sync = new SegmentSync(blocks.Barrier, blocks.Allocator.Pool, directory);
        _needsCheckpoint = !directory.LastShutdown.WasClean; // the segments hold changes that no list knows
        _blocks.HasNewHeaders = _needsCheckpoint;
    }

    /// <summary>Held by whoever flushes, and by whoever closes the pile.</summary>
    internal Lock Flushing => _flushing;

    /// <summary>What was wrong with the last flush; null when nothing was.</summary>
    internal FlushTrouble? Trouble => Volatile.Read(ref _trouble);

    /// <summary>Bytes of segments that were written anew because the device had refused them before.</summary>
    internal long RewrittenBytes => _sync.RewrittenBytes;

    /// <summary>Writes through what changed; returns when all that was done before is durable.</summary>
    /// <remarks>The caller is outside of all calls.</remarks>
    /// <exception cref="PileStorageException">The device refused or is full. What was durable before still is.</exception>
    internal void Flush(ProgressGauge gauge)
    {
        // Who listens is the application's code: no lock is held while it is told.
        using Activity? activity = PileActivity.Start(PileTelemetry.FlushActivity, PileTelemetry.PileNameTag, _name);
        PastActivity checkpoint = default;
        TimeSpan duration;
        try
        {
            duration = FlushTimed(gauge, ref checkpoint);
        }
        catch (Exception e)
        {
            RecordCheckpoint(checkpoint, e);
            activity.Fail(e);
            throw;
        }
        RecordCheckpoint(checkpoint);
        _meter.RecordFlush(_name, duration);
    }

    private TimeSpan FlushTimed(ProgressGauge gauge, ref PastActivity checkpoint)
    {
        lock (_flushing)
        {
            try
            {
                long start = Stopwatch.GetTimestamp();
                IOException? refusal = FlushLocked(gauge, ref checkpoint);
                _directory.Catalog.Reconcile(); // of a call that failed meanwhile
                RecordTrouble(refusal == null ? null : FlushTrouble.WithoutLog(_directory.Path, refusal));
                return Stopwatch.GetElapsedTime(start);
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                _blocks.ShadowHeaders.Postpone();
                string remedy = e is IOException { } full && FileErrors.IsDiskFull(full)
                    ? "Make room on the disk, and flush again."
                    : "Flush again once the device can be written.";
                var failure = new PileStorageException($"The pile in '{_directory.Path}' could not be flushed: {e.Message} {remedy}", e);
                Volatile.Write(ref _trouble, FlushTrouble.Failed(failure));
                throw failure;
            }
        }
    }

    private void RecordCheckpoint(in PastActivity checkpoint, Exception? failure = null) =>
        PileActivity.Record(PileTelemetry.CheckpointActivity, PileTelemetry.PileNameTag, _name, checkpoint, failure);

    private void RecordTrouble(FlushTrouble? trouble)
    {
        if (trouble != null && _trouble?.Reason != trouble.Reason)
            _logger.LogWarning("{Trouble}", trouble.Details);
        Volatile.Write(ref _trouble, trouble);
    }

    // What comes back is what the system says where the disk had no room for the log.
    private IOException? FlushLocked(ProgressGauge gauge, ref PastActivity checkpoint)
    {
        Debug.Assert(_flushing.IsHeldByCurrentThread && !CriticalRegion.Current.IsInRegion, "One flush at a time, by nobody it would wait for.");
        _directory.Superblock.ReconcileAll(); // which log counts must be known before one is written
        bool isCheckpoint = _needsCheckpoint || _log.IsSpaceRequested;
        _needsCheckpoint = true; // until this one has ended well: the lists of changes are taken on the way
        if (!_directory.LastShutdown.WasClean)
            _lazyRecovery.RecoverAll(); // what a page that nobody looked at says of the epoch before must not be taken for a later one
        CrashPoints.Pass(CrashPoint.RecoveredBeforeStated);
        _directory.Superblock.MarkRecovered(); // before anything is freed in the log's own epoch
        IOException? refusal = null;
        for (int attempt = 0; attempt < MaxFuzzySyncs && refusal == null; attempt++)
        {
            if (isCheckpoint)
            {
                checkpoint = checkpoint.HasBegun ? checkpoint : PastActivity.Begin();
                RunExclusive(_snapshot.BeginCheckpoint);
                _sync.Run(gauge);
            }
            using FlushBatch? batch = CaptureExclusive(isCheckpoint);
            if (batch != null)
            {
                if (!gauge.HasBegun)
                    gauge.Begin(batch.IsEmpty ? 0 : batch.LengthBytes);
                refusal = Write(batch, isCheckpoint);
                if (refusal == null)
                {
                    Commit();
                    return null;
                }
            }
            isCheckpoint = true;
        }
        // writers were faster than the device, again and again, or there is no room for what they do meanwhile: they wait for once
        checkpoint = checkpoint.HasBegun ? checkpoint : PastActivity.Begin();
        RunExclusive(() =>
        {
            _snapshot.BeginCheckpoint();
            refusal = WriteExclusive(releasesSpace: refusal != null) ?? refusal;
        });
        Commit();
        return refusal;
    }

    private IOException? Write(FlushBatch batch, bool isCheckpoint)
    {
        if (!batch.IsEmpty)
        {
            return isCheckpoint
                ? _log.Restart(batch.Bytes, _versions.Limit, _snapshot.Version)
                : _log.Append(batch.Bytes, _versions.Limit);
        }
        if (isCheckpoint)
            _log.RestartEmpty(_snapshot.Version, releasesSpace: false);
        return null;
    }

    private void Commit()
    {
        _needsCheckpoint = false;
        _blocks.HasNewHeaders = false;
        Debug.Assert(_blocks.FreeEpoch == _directory.Superblock.LogEpoch, "What is freed, or laid out, has the mark of another epoch.");
        _snapshot.Release();
    }

    /// <summary>Copies what changed; none when that is too much for the log.</summary>
    private FlushBatch? CaptureExclusive(bool isCheckpoint)
    {
        FlushBatch? batch = null;
        RunExclusive(() =>
        {
            batch = _snapshot.TryCapture(_log.CapacityBytes);
            if (isCheckpoint)
                _blocks.FreeEpoch = _directory.Superblock.LogEpoch + (batch is { IsEmpty: true } ? FlushLog.EpochsWithoutBatch : 1);
        });
        if (batch == null || (isCheckpoint ? _log.FitsWhenEmpty(batch.LengthBytes) : _log.Fits(batch.LengthBytes)))
            return batch;
        batch.Dispose();
        return null;
    }

    // A checkpoint while nothing changes: only the headers of moved blocks are not in the segments. What comes back is what the system says
    // where it had no room for them.
    private IOException? WriteExclusive(bool releasesSpace)
    {
        _sync.Run();
        IOException? refusal = null;
        if (_snapshot.HasShadowHeaders)
        {
            using FlushBatch headers = _snapshot.CaptureShadowHeaders();
            _blocks.FreeEpoch = _directory.Superblock.LogEpoch + 1;
            refusal = _log.Restart(headers.Bytes, _versions.Limit, _snapshot.Version);
            if (refusal == null)
                return null;
            _snapshot.StoreShadowHeaders();
            _sync.Run();
        }
        _blocks.FreeEpoch = _directory.Superblock.LogEpoch + FlushLog.EpochsWithoutBatch;
        _log.RestartEmpty(_snapshot.Version, releasesSpace || refusal != null);
        return refusal;
    }

    private void RunExclusive(Action action) => _blocks.Barrier.RunExclusive(action);

    /// <summary>Closes: writes everything through, and leaves nothing that could be undone. Nobody is inside any more.</summary>
    internal void FlushAtEnd()
    {
        Debug.Assert(_flushing.IsHeldByCurrentThread && _blocks.Barrier.IsClosed, "No flush runs, and nothing changes any more.");
        // before the marks get the log's own epoch: a kill must not take them for marks of before a cut
        if (!_directory.LastShutdown.WasClean)
            _directory.Superblock.MarkRecovered();
        CompletePendingFrees();
        Debug.Assert(_snapshot.IsEmpty, "Nothing that a later owner could undo is left.");
        _sync.Run();
    }

    // The epoch makes final what was freed; then nothing is left that could be undone.
    private void CompletePendingFrees()
    {
        _snapshot.BeginCheckpoint();
        if (_snapshot.IsEmpty)
            return;
        _ = WriteExclusive(releasesSpace: false);
        _snapshot.InstallShadowHeaders();
        _snapshot.Release();
    }
}
