using System;
using System.Diagnostics;
using System.IO;
using System.Threading;
using BigPile.Access;
using BigPile.Checking;
using BigPile.Concurrency;
using BigPile.Durability;
using BigPile.Memory;
using BigPile.Memory.Checking;
using BigPile.Reporting;
using BigPile.Telemetry;
using Microsoft.Extensions.Logging;

namespace BigPile.Lifecycle;

/// <summary>Makes changes of a mapped pile durable against power cuts.</summary>
/// <remarks>
/// Stores through the map dirty whole folios of the page cache: syncing 1.2 MB of scattered changes wrote 966 MB. So a flush copies the
/// blocks that changed since the last one to a log. A checkpoint syncs the segments themselves: when the dirty lists overflowed, or the log
/// is full. It is fuzzy (changes go on while the device writes): what changed meanwhile is the first batch of the next log, if anything.
/// If the disk has no space for that batch, the segments are synced once more while writers are blocked: a checkpoint needs no disk space.
/// Lock order: the flush lock, then the barrier's <c>Closing</c>. What a crash leaves after each step: Durability/crash/flush.md.
/// </remarks>
internal sealed class Flusher
{
    private const int MaxFuzzySyncs = 3; // then writers are blocked while the device writes

    private readonly string _name; // of the pile, in metrics
    private readonly PileMeter _meter; // gets the duration of each flush
    private readonly BlockStore _blocks; // what is flushed; its FreeMarkEpoch is written here
    private readonly PileDirectory _directory; // superblock and catalog
    private readonly FlushLog _log; // used under _flushing
    private readonly Versions _versions; // each batch has their limit
    private readonly LazyRecovery _lazyRecovery; // the first flush after a crash has all pages recovered
    private readonly FlushSnapshot _snapshot; // what a flush captures; under _flushing
    private readonly SegmentSync _sync; // syncs segments; under _flushing
    private readonly ILogger _logger; // gets each new trouble
    private readonly Lock _flushing = new(); // one flush at a time, and none while the pile is closed
    private bool _needsCheckpoint; // whether the next flush must be a checkpoint; under _flushing
    private FlushTrouble? _trouble; // of the last flush; written under _flushing, read without it

    /// <summary>Flushes a mapped pile.</summary>
    internal Flusher(
        string name, PileMeter meter, BlockStore blocks, PileDirectory directory, FlushLog log, Versions versions,
        LazyRecovery lazyRecovery, ILogger logger)
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
        // The segments then hold changes and pending frees that no dirty list has: a batch of the log would lack them.
        _needsCheckpoint = !directory.LastShutdown.WasClean;
        _blocks.HasNewHeaders = _needsCheckpoint;
    }

    /// <summary>The flush lock: held during a flush, and while the pile is closed.</summary>
    internal Lock Flushing => _flushing;

    /// <summary>The problem of the last flush; null if it had none.</summary>
    internal FlushTrouble? Trouble => Volatile.Read(ref _trouble);

    /// <summary>Bytes of segments that were rewritten because a sync of them had failed.</summary>
    internal long RewrittenBytes => _sync.RewrittenBytes;

    /// <summary>Flushes; returns when everything done before is durable.</summary>
    /// <remarks>The caller is outside of any critical region.</remarks>
    /// <exception cref="PileStorageException">The device refused or is full. What was durable before still is.</exception>
    internal void Flush(ProgressGauge gauge)
    {
        // Listeners are application code: no lock is held while they run.
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
                _directory.Catalog.Reconcile(); // removes the record of a call that failed meanwhile
                RecordTrouble(refusal == null ? null : FlushTrouble.WithoutLog(_directory.Path, refusal));
                return Stopwatch.GetElapsedTime(start);
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                _blocks.ShadowHeaders.Postpone(); // else every writer would flush again at once
                string remedy = e is IOException { } full && FileErrors.IsDiskFull(full)
                    ? "Free some disk space, and flush again."
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

    // Returns the system's error if the disk had no space for the log.
    private IOException? FlushLocked(ProgressGauge gauge, ref PastActivity checkpoint)
    {
        Debug.Assert(_flushing.IsHeldByCurrentThread && !PileRegions.Current.IsOpen, "One flush at a time, outside of all regions.");
        _directory.Superblock.ReconcileAll(); // which log is current must be certain before one is written
        bool isCheckpoint = _needsCheckpoint || _log.IsSpaceRequested;
        _needsCheckpoint = true; // until this flush succeeds: it takes the dirty lists, which can't be put back
        if (!_directory.LastShutdown.WasClean)
            _lazyRecovery.RecoverAll(); // the free marks of an unrecovered page could be taken for marks of a later epoch
        CrashPoints.Pass(CrashPoint.RecoveredBeforeStated);
        _directory.Superblock.MarkRecovered(); // before anything is freed in the log's current epoch
        IOException? refusal = null;
        for (int attempt = 0; attempt < MaxFuzzySyncs && refusal == null; attempt++)
        {
            if (isCheckpoint)
            {
                checkpoint = checkpoint.HasBegun ? checkpoint : PastActivity.Begin();
                RunExclusive(_snapshot.BeginCheckpoint); // what is dirty from here on may miss the sync, and is captured below
                _sync.Run(gauge); // changes go on; what they store is captured below
            }
            // Between BeginCheckpoint and here the changes have made new dirty lists; without a checkpoint the lists reach back to the
            // last flush.
            using FlushBatch? batch = CaptureExclusive(isCheckpoint);
            if (batch != null)
            {
                if (!gauge.HasBegun)
                    gauge.Begin(batch.IsEmpty ? 0 : batch.LengthBytes);
                refusal = Write(batch, isCheckpoint);
                if (refusal == null)
                {
                    ReleaseDurable();
                    return null;
                }
            }
            isCheckpoint = true; // too much for the log: the segments take it
        }
        // writers kept outrunning the device, or the disk has no space for their changes: block them this once
        checkpoint = checkpoint.HasBegun ? checkpoint : PastActivity.Begin();
        RunExclusive(() =>
        {
            _snapshot.BeginCheckpoint();
            refusal = WriteExclusive(releasesSpace: refusal != null) ?? refusal;
        });
        ReleaseDurable();
        return refusal;
    }

    private IOException? Write(FlushBatch batch, bool isCheckpoint)
    {
        if (!batch.IsEmpty)
        {
            // The limit goes with the batch: after a power cut no version below it is handed out again.
            return isCheckpoint
                ? _log.Restart(batch.Bytes, _versions.Limit, _snapshot.Version)
                : _log.Append(batch.Bytes, _versions.Limit);
        }
        if (isCheckpoint)
            _log.RestartEmpty(_snapshot.Version, releasesSpace: false);
        return null;
    }

    // The flush is durable: pending frees may complete.
    private void ReleaseDurable()
    {
        _needsCheckpoint = false;
        _blocks.HasNewHeaders = false;
        Debug.Assert(_blocks.FreeMarkEpoch == _directory.Superblock.LogEpoch, "Frees and layouts are marked with another epoch.");
        // Not before: until the flush is durable a power cut brings back the flushed blocks, whose bytes must be there.
        _snapshot.Release();
    }

    /// <summary>Captures the changes; null if they are too many for the log.</summary>
    private FlushBatch? CaptureExclusive(bool isCheckpoint)
    {
        FlushBatch? batch = null;
        RunExclusive(() =>
        {
            batch = _snapshot.TryCapture(_log.CapacityBytes);
            if (isCheckpoint)
                // This checkpoint makes final, by the epoch in the headers, what was freed before this capture. Later frees, while the
                // superblock still states the old epoch, must not have the same mark.
                _blocks.FreeMarkEpoch = _directory.Superblock.LogEpoch + (batch is { IsEmpty: true } ? FlushLog.EpochsWithoutBatch : 1);
        });
        if (batch == null || (isCheckpoint ? _log.FitsWhenEmpty(batch.LengthBytes) : _log.Fits(batch.LengthBytes)))
            return batch;
        batch.Dispose(); // its changes are taken: only a checkpoint can make them durable now
        return null;
    }

    // A checkpoint while writers are blocked: only the shadow headers are not in the segments. Returns the system's error if the disk had
    // no space for them.
    private IOException? WriteExclusive(bool releasesSpace)
    {
        _sync.Run(); // no writer changes anything until the epoch is raised
        IOException? refusal = null;
        if (_snapshot.HasShadowHeaders)
        {
            using FlushBatch headers = _snapshot.CaptureShadowHeaders();
            _blocks.FreeMarkEpoch = _directory.Superblock.LogEpoch + 1;
            refusal = _log.Restart(headers.Bytes, _versions.Limit, _snapshot.Version);
            if (refusal == null)
                return null;
            // No space for the other log: the headers go into the segments, and these are synced before the epoch makes them valid.
            _snapshot.StoreShadowHeaders();
            _sync.Run();
        }
        _blocks.FreeMarkEpoch = _directory.Superblock.LogEpoch + FlushLog.EpochsWithoutBatch;
        _log.RestartEmpty(_snapshot.Version, releasesSpace || refusal != null);
        return refusal;
    }

    private void RunExclusive(Action action) => _blocks.Barrier.RunExclusive(action);

    /// <summary>Flushes a pile that is being closed, and leaves nothing that could be undone. No operation is running any more.</summary>
    internal void FlushAtEnd()
    {
        Debug.Assert(_flushing.IsHeldByCurrentThread && _blocks.Barrier.IsClosed, "No flush is running, and no operation.");
        // before frees are marked with the log's current epoch: after a kill they would look like marks from before the power cut
        if (!_directory.LastShutdown.WasClean)
            _directory.Superblock.MarkRecovered();
        ReleasePendingFrees();
        Debug.Assert(_snapshot.IsEmpty, "Something is left that a later owner could undo.");
        _sync.Run();
    }

    // Raising the epoch makes the frees final; then nothing is left to undo.
    private void ReleasePendingFrees()
    {
        _snapshot.BeginCheckpoint();
        if (_snapshot.IsEmpty)
            return;
        _ = WriteExclusive(releasesSpace: false);
        _snapshot.InstallShadowHeaders(); // no operation runs: Release does without RunExclusive
        _snapshot.Release();
    }
}

/// <summary>A problem of the last flush.</summary>
/// <param name="Reason">The reason without a path, for unprivileged callers.</param>
/// <param name="Details">The file, the cause, and the remedy.</param>
internal sealed record FlushTrouble(string Reason, string Details)
{
    internal static FlushTrouble Failed(PileStorageException failure) => new("The last flush failed.", failure.Message);

    internal static FlushTrouble WithoutLog(string directory, IOException refusal) => new(
        "The disk had no space for the log of the last flush.",
        $"A flush of the pile in '{directory}' synced all segments while writers waited, as the disk has no space for its log: "
        + $"{refusal.Message} All is durable. Free some disk space.");
}
