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
/// blocks that changed since the last one to a log. A checkpoint syncs the segments themselves: when the changes are too many for the log,
/// or it is full. Both block writers only to take the snapshot: what was there at it stays as it is until the flush is durable, while
/// writers go on. Shadow headers are never in the segments: they are the first batch of the next log. If the disk has no space for that,
/// the segments are synced once more while writers are blocked: a checkpoint needs no disk space.
/// Lock order: the flush lock, then the barrier's <c>Closing</c>. What a crash leaves after each step: Durability/crash/flush.md.
/// </remarks>
internal sealed class Flusher
{
    private readonly string _name; // of the pile, in metrics
    private readonly PileMeter _meter; // gets the duration of each flush
    private readonly BlockStore _blocks; // what is flushed; its FreeMarkEpoch is written here
    private readonly PileDirectory _directory; // superblock and catalog
    private readonly FlushLog _log; // used under _flushing
    private readonly Versions _versions; // each batch has their limit
    private readonly LazyRecovery _lazyRecovery; // the first flush after a crash has all pages recovered
    private readonly FlushSnapshot _snapshot; // what a flush makes durable; under _flushing
    private readonly SegmentSync _sync; // syncs segments; under _flushing
    private readonly ILogger _logger; // gets each new trouble
    private readonly Lock _flushing = new(); // one flush at a time, and none while the pile is closed
    private bool _needsCheckpoint; // whether the next flush must be a checkpoint; under _flushing
    private ulong _flushedVersion; // written under _flushing, read without it
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
        // The segments then hold changes and pending frees that no list has: a batch of the log would lack them.
        _needsCheckpoint = !directory.LastShutdown.WasClean;
        _flushedVersion = directory.Superblock.FlushedVersion;
        _blocks.HasNewHeaders = _needsCheckpoint;
    }

    /// <summary>The flush lock: held during a flush, and while the pile is closed.</summary>
    internal Lock Flushing => _flushing;

    /// <summary>The version up to which all entries are durable.</summary>
    internal ulong FlushedVersion => Volatile.Read(ref _flushedVersion);

    /// <summary>The problem of the last flush; null if it had none.</summary>
    internal FlushTrouble? Trouble => Volatile.Read(ref _trouble);

    /// <summary>Bytes of segments that were rewritten because a sync of them had failed.</summary>
    internal long RewrittenBytes => _sync.RewrittenBytes;

    /// <summary>Has the next flush be a checkpoint. For tests.</summary>
    internal void RequestCheckpoint()
    {
        lock (_flushing)
            _needsCheckpoint = true;
    }

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
        _needsCheckpoint = true; // until this flush succeeds: it takes the lists of changes, which can't be put back
        if (!_directory.LastShutdown.WasClean)
            _lazyRecovery.RecoverAll(); // the free marks of an unrecovered page could be taken for marks of a later epoch
        CrashPoints.Pass(CrashPoint.RecoveredBeforeStated);
        _directory.Superblock.MarkRecovered(); // before anything is freed in the log's current epoch
        IOException? refusal = null;
        if (!isCheckpoint && TryAppend(gauge, out refusal))
            return null;
        checkpoint = PastActivity.Begin();
        return Checkpoint(gauge, releasesSpace: refusal != null) ?? refusal;
    }

    // False if the log, or the disk, has no space for the changes.
    private bool TryAppend(ProgressGauge gauge, out IOException? refusal)
    {
        refusal = null;
        RunExclusive(_snapshot.Begin);
        using FlushBatch? batch = _snapshot.TryCopy(_log.FreeBytes);
        if (batch == null)
            return false;
        gauge.Begin(batch.IsEmpty ? 0 : batch.LengthBytes);
        // The limit goes with the batch: after a power cut no version below it is handed out again.
        if (!batch.IsEmpty)
            refusal = _log.Append(batch.Bytes, _versions.Limit);
        if (refusal == null)
            ReleaseDurable();
        return refusal == null;
    }

    // Returns the system's error if the disk had no space for the shadow headers.
    private IOException? Checkpoint(ProgressGauge gauge, bool releasesSpace)
    {
        RunExclusive(_snapshot.BeginCheckpoint);
        IOException? refusal;
        using (FlushBatch shadowHeaders = _snapshot.CopyShadowHeaders())
        {
            _sync.Run(gauge); // writers go on: what was there at the snapshot stays, and its free headers can be undone
            refusal = Restart(shadowHeaders, releasesSpace);
        }
        if (refusal != null)
            RunExclusive(CheckpointWithoutLog);
        ReleaseDurable();
        return refusal;
    }

    private IOException? Restart(FlushBatch shadowHeaders, bool releasesSpace)
    {
        if (!shadowHeaders.IsEmpty)
            return _log.Restart(shadowHeaders.Bytes, _versions.Limit, _snapshot.Version);
        _log.RestartEmpty(_snapshot.Version, releasesSpace);
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
        Volatile.Write(ref _flushedVersion, _snapshot.Version);
    }

    // Writers are blocked, or the pile is closed.
    private void CheckpointWithoutLog()
    {
        _snapshot.BeginCheckpoint();
        _snapshot.TakePending();
        if (_snapshot.HasShadowHeaders)
        {
            // The headers go into the segments: their targets are synced before them, and they are before the epoch makes them valid.
            _sync.Run();
            _snapshot.StoreShadowHeaders();
        }
        _sync.Run();
        _blocks.FreeMarkEpoch = _directory.Superblock.LogEpoch + FlushLog.EpochsWithoutBatch;
        _log.RestartEmpty(_snapshot.Version, releasesSpace: true);
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
        using FlushBatch shadowHeaders = _snapshot.CopyShadowHeaders();
        if (_snapshot.IsEmpty)
            return;
        _sync.Run();
        if (Restart(shadowHeaders, releasesSpace: false) != null)
            CheckpointWithoutLog();
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
        $"A flush of the pile in '{directory}' synced all segments, as the disk has no space for its log: "
        + $"{refusal.Message} All is durable. Free some disk space.");
}
