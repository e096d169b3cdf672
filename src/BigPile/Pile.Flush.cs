using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Allocation;
using BigPile.Concurrency;
using BigPile.Durability;
using BigPile.Reporting;

namespace BigPile;

/// <summary>Making a mapped pile outlive a power cut.</summary>
/// <remarks>
/// Storing through the map dirties whole folios of the system's cache, so writing 1.2 MB of scattered changes through it wrote 966 MB.
/// A flush therefore copies the blocks that changed since the last one to a log. A checkpoint writes the segments themselves: when more
/// changed than the lists hold, or the log is full. It is fuzzy, since changes go on while the device writes; what changed meanwhile is
/// the first batch of the next log.
/// </remarks>
public sealed partial class Pile
{
    private const int MaxFuzzySyncs = 3;

    private readonly Lock _flushing = new();
    private readonly HashSet<Segment> _unsynced = [];
    private bool _needsCheckpoint;

    /// <summary>Bytes of segments that were written anew because the device had refused them before.</summary>
    internal long RewrittenBytes { get; private set; }

    /// <summary>
    /// Writes a mapped pile through to its device; returns when all that was done before is durable. Other stores: nothing.
    /// </summary>
    /// <remarks>
    /// Changes by other threads wait while the changed blocks are copied, some milliseconds for ten thousand; reads do not.
    /// </remarks>
    /// <exception cref="PileStorageException">The device refused or is full. What was durable before still is.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public void Flush() => Flush(new ProgressGauge(null));

    /// <summary>As <see cref="Flush()"/>, and says how far it is.</summary>
    /// <param name="progress">
    /// Is told the bytes that are written: of the batch that goes to the log, or in a checkpoint of whole segments, one by one. All
    /// of them once the log is durable too; a checkpoint that writers outrun stays where it is until it has caught up. The flush
    /// goes on while it is told, on another thread, and no call waits for it.
    /// </param>
    /// <exception cref="PileStorageException">The device refused or is full. What was durable before still is.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public void Flush(IProgress<PileProgress> progress)
    {
        ArgumentNullException.ThrowIfNull(progress);
        ThreadPresence.RefuseInside();
        ProgressRelay.Run(progress, Flush);
    }

    private void Flush(ProgressGauge gauge)
    {
        ThreadPresence.RefuseInside();
        Exit(Enter());
        if (_log != null)
            Flush(_log, gauge);
        gauge.Complete();
    }

    private void Flush(FlushLog log, ProgressGauge gauge)
    {
        TimeSpan duration;
        lock (_flushing)
        {
            try
            {
                long start = Stopwatch.GetTimestamp();
                FlushLocked(log, gauge);
                _directory!.Catalog.Settle(); // of a call that failed meanwhile
                duration = Stopwatch.GetElapsedTime(start);
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                _moved!.Postpone();
                throw new PileStorageException(
                    $"The pile in '{DirectoryPath}' could not be flushed: {e.Message} Flush again once the device can be written.", e);
            }
        }
        PileMeter.NoteFlush(this, duration); // with no lock held: listeners are the application's code
    }

    /// <summary>As <see cref="Flush()"/>, without holding the calling thread.</summary>
    /// <param name="cancellationToken">Cancels a flush that has not begun.</param>
    public Task FlushAsync(CancellationToken cancellationToken = default) => Task.Run(Flush, cancellationToken);

    private void FlushLocked(FlushLog log, ProgressGauge gauge)
    {
        _directory!.SettleAll(); // which log counts must be known before one is written
        bool isCheckpoint = _needsCheckpoint;
        _needsCheckpoint = true; // until this one has ended well: the lists of changes are taken on the way
        if (!_directory.WasClean)
            ExamineAll(); // what a page that nobody looked at says of the epoch before must not be taken for a later one
        KillPoint.Pass(KillWindow.ExaminedBeforeStated);
        _directory.MarkExamined(); // before anything is freed in the log's own epoch
        for (int attempt = 0; ; attempt++)
        {
            bool isLast = attempt == MaxFuzzySyncs;
            if (isCheckpoint && !isLast)
            {
                Still(BeginCheckpoint);
                SyncSegments(gauge);
            }
            Memory<byte>? batch = isLast ? SyncStill() : CaptureStill(log, isCheckpoint);
            if (batch is { } whole)
            {
                if (!gauge.HasBegun)
                    gauge.Begin(whole.Length > FlushLog.HeadBytes ? whole.Length : 0);
                Commit(log, whole.Span, isCheckpoint);
                return;
            }
            isCheckpoint = true;
        }
    }

    private void Commit(FlushLog log, Span<byte> batch, bool isCheckpoint)
    {
        ulong versionLimit = Volatile.Read(ref _versions.Limit);
        if (isCheckpoint)
            log.Restart(batch, versionLimit, _capturedVersion);
        else if (batch.Length > FlushLog.HeadBytes)
            log.Append(batch, versionLimit);
        _needsCheckpoint = false;
        ReleaseCaptured();
    }

    /// <summary>Copies what changed; none when that is too much for the log.</summary>
    private Memory<byte>? CaptureStill(FlushLog log, bool isCheckpoint)
    {
        Memory<byte>? batch = null;
        Still(() =>
        {
            ulong[]? addresses = TakeChanges();
            if (addresses != null)
                batch = NewCapture().Capture(WithMoves(addresses), log.CapacityBytes);
            if (isCheckpoint)
                _freeEpoch = _directory!.LogEpoch + 1;
        });
        bool fits = batch is { } whole && (isCheckpoint ? log.CouldHold(whole.Length) : log.HasRoomFor(whole.Length));
        return fits ? batch : null;
    }

    // Writers were faster than the device, again and again: they wait for once.
    private Memory<byte> SyncStill()
    {
        Memory<byte> batch = default;
        Still(() =>
        {
            BeginCheckpoint();
            SyncSegments();
            batch = CaptureMoves();
            _freeEpoch = _directory!.LogEpoch + 1;
        });
        return batch;
    }

    private void Still(Action action)
    {
        lock (_closing)
        {
            ObjectDisposedException.ThrowIf(IsClosed, this);
            WhileNothingChanges(action);
        }
    }

    /// <summary>Writes the segments through; says so where nobody was told before.</summary>
    private void SyncSegments(ProgressGauge? gauge = null)
    {
        Segment[] segments = _allocator.Pool.Segments();
        if (gauge is { HasBegun: false })
            gauge.Begin(segments.Sum(static segment => segment.Region.LengthBytes));
        else
            gauge = null;
        foreach (Segment segment in segments)
        {
            long lengthBytes = segment.Region.LengthBytes;
            SyncSegment(segment);
            gauge?.Advance(lengthBytes);
        }
    }

    // What the system failed to write it may take for written: all of it is made dirty again, or the next success would mean nothing.
    private void SyncSegment(Segment segment)
    {
        try
        {
            if (_unsynced.Contains(segment))
                MakeDirty(segment);
            _directory!.Segments.Sync(segment.Number, segment.Region);
            _unsynced.Remove(segment);
        }
        catch (ObjectDisposedException)
        {
            _unsynced.Remove(segment); // given back to the system meanwhile: nothing of it is left to be made durable
        }
        catch (IOException)
        {
            _unsynced.Add(segment);
            throw;
        }
    }

    private void MakeDirty(Segment segment)
    {
        RewrittenBytes += segment.Region.LengthBytes;
        if (IsClosed)
            Stretch.Touch(segment, 0, segment.PageCount); // nobody is inside any more, and nobody gives memory back
        else
            new Stretch(this, segment, 0, segment.PageCount).Execute();
    }

    private ITimer? StartFlushTimer(PileOptions options) =>
        options.FlushInterval is { } interval
            ? Background.Every(options.TimeProvider, interval, "the flush by interval", FlushQuietly)
            : null;

    private void FlushQuietly()
    {
        if (!_flushing.TryEnter())
            return; // the device is slower than the interval
        _flushing.Exit();
        Flush();
    }
}
