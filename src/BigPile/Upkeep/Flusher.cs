using System;
using System.Diagnostics;
using System.IO;
using System.Threading;
using BigPile.Access;
using BigPile.Concurrency;
using BigPile.Durability;
using BigPile.Reporting;

namespace BigPile.Upkeep;

/// <summary>Makes a mapped pile outlive a power cut.</summary>
/// <remarks>
/// Storing through the map dirties whole folios of the system's cache, so writing 1.2 MB of scattered changes through it wrote 966 MB.
/// A flush therefore copies the blocks that changed since the last one to a log. A checkpoint writes the segments themselves: when more
/// changed than the lists hold, or the log is full. It is fuzzy, since changes go on while the device writes; what changed meanwhile is
/// the first batch of the next log. What a kill and a power cut leave behind each step: CRASH.md, the rows of flushing.
/// </remarks>
internal sealed class Flusher
{
    private const int MaxFuzzySyncs = 3;

    // More than one: a checkpoint that failed may have left a batch of the next epoch. Marks count modulo four, and differences up to two
    // are pending: one behind, modulo four, makes those of this epoch final.
    private const int ClosingEpochs = 5;

    private readonly string _name;
    private readonly BlockSpace _space;
    private readonly PileDirectory _directory;
    private readonly FlushLog _log;
    private readonly Versions _versions;
    private readonly Examination _examination;
    private readonly CapturedChanges _changes;
    private readonly SegmentSync _sync;
    private readonly Lock _flushing = new();
    private bool _needsCheckpoint;

    /// <summary>Flushes a mapped pile.</summary>
    internal Flusher(string name, BlockSpace space, PileDirectory directory, FlushLog log, Versions versions, Examination examination)
    {
        _name = name;
        _space = space;
        _directory = directory;
        _log = log;
        _versions = versions;
        _examination = examination;
        _changes = new CapturedChanges(space, directory, versions);
        _sync = new SegmentSync(space.Gate, space.Allocator.Pool, directory);
        _needsCheckpoint = !directory.LastEnd.WasClean; // the segments hold changes that no list knows
    }

    /// <summary>Held by whoever flushes, and by whoever closes the pile.</summary>
    internal Lock Flushing => _flushing;

    /// <summary>Bytes of segments that were written anew because the device had refused them before.</summary>
    internal long RewrittenBytes => _sync.RewrittenBytes;

    /// <summary>Writes through what changed; returns when all that was done before is durable.</summary>
    /// <remarks>The caller is outside of all calls.</remarks>
    /// <exception cref="PileStorageException">The device refused or is full. What was durable before still is.</exception>
    internal void Flush(ProgressGauge gauge)
    {
        TimeSpan duration;
        lock (_flushing)
        {
            try
            {
                long start = Stopwatch.GetTimestamp();
                FlushLocked(gauge);
                _directory.Catalog.Settle(); // of a call that failed meanwhile
                duration = Stopwatch.GetElapsedTime(start);
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                _space.Moved.Postpone();
                throw new PileStorageException(
                    $"The pile in '{_directory.Path}' could not be flushed: {e.Message} Flush again once the device can be written.", e);
            }
        }
        PileMeter.NoteFlush(_name, duration); // with no lock held: listeners are the application's code
    }

    private void FlushLocked(ProgressGauge gauge)
    {
        Debug.Assert(_flushing.IsHeldByCurrentThread && !ThreadPresence.Mine.IsInside, "One flush at a time, by nobody it would wait for.");
        _directory.Superblock.SettleAll(); // which log counts must be known before one is written
        bool isCheckpoint = _needsCheckpoint;
        _needsCheckpoint = true; // until this one has ended well: the lists of changes are taken on the way
        if (!_directory.LastEnd.WasClean)
            _examination.ExamineAll(); // what a page that nobody looked at says of the epoch before must not be taken for a later one
        KillPoint.Pass(KillWindow.ExaminedBeforeStated);
        _directory.Superblock.MarkExamined(); // before anything is freed in the log's own epoch
        for (int attempt = 0; ; attempt++)
        {
            bool isLast = attempt == MaxFuzzySyncs;
            if (isCheckpoint && !isLast)
            {
                Still(_changes.BeginCheckpoint);
                _sync.Run(gauge);
            }
            using FlushBatch? batch = isLast ? SyncStill() : CaptureStill(isCheckpoint);
            if (batch != null)
            {
                if (!gauge.HasBegun)
                    gauge.Begin(batch.LengthBytes > FlushLog.HeadBytes ? batch.LengthBytes : 0);
                Commit(batch.Bytes, isCheckpoint);
                return;
            }
            isCheckpoint = true;
        }
    }

    private void Commit(Span<byte> batch, bool isCheckpoint)
    {
        ulong versionLimit = _versions.Limit;
        if (isCheckpoint)
            _log.Restart(batch, versionLimit, _changes.Version);
        else if (batch.Length > FlushLog.HeadBytes)
            _log.Append(batch, versionLimit);
        _needsCheckpoint = false;
        _changes.Release();
    }

    /// <summary>Copies what changed; none when that is too much for the log.</summary>
    private FlushBatch? CaptureStill(bool isCheckpoint)
    {
        FlushBatch? batch = null;
        Still(() =>
        {
            batch = _changes.TryCapture(_log.CapacityBytes);
            if (isCheckpoint)
                _space.FreeEpoch = _directory.Superblock.LogEpoch + 1;
        });
        if (batch == null || (isCheckpoint ? _log.CouldHold(batch.LengthBytes) : _log.HasRoomFor(batch.LengthBytes)))
            return batch;
        batch.Dispose();
        return null;
    }

    // Writers were faster than the device, again and again: they wait for once.
    private FlushBatch SyncStill()
    {
        FlushBatch? batch = null;
        Still(() =>
        {
            _changes.BeginCheckpoint();
            _sync.Run();
            batch = _changes.CaptureMoves();
            _space.FreeEpoch = _directory.Superblock.LogEpoch + 1;
        });
        return batch!;
    }

    private void Still(Action action) => _space.Gate.WhileNothingChanges(action);

    /// <summary>Closes: writes everything through, and leaves nothing that could be undone. Nobody is inside any more.</summary>
    internal void FlushAtEnd()
    {
        Debug.Assert(_flushing.IsHeldByCurrentThread && _space.Gate.IsClosed, "No flush runs, and nothing changes any more.");
        // before the marks get the log's own epoch: a kill must not take them for marks of before a cut
        if (!_directory.LastEnd.WasClean)
            _directory.Superblock.MarkExamined();
        SettleQuarantine();
        Debug.Assert(_changes.IsEmpty, "Nothing that a later owner could undo is left.");
        _sync.Run();
    }

    // The epoch makes final what was freed; then nothing is left that could be undone.
    private void SettleQuarantine()
    {
        _changes.BeginCheckpoint();
        if (_changes.IsEmpty)
            return;
        _sync.Run();
        if (_changes.HasMoves)
        {
            using FlushBatch moves = _changes.CaptureMoves();
            _log.Restart(moves.Bytes, _versions.Limit, _changes.Version);
            _changes.BringHeadersBack();
        }
        else
        {
            _directory.Superblock.RaiseLogEpoch(_directory.Superblock.LogEpoch + ClosingEpochs, _changes.Version);
        }
        _changes.Release();
    }
}
