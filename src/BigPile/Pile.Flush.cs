using System;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Allocation;
using BigPile.Recovery;
using BigPile.Reporting;
using BigPile.Storage;
using Microsoft.Extensions.Logging;

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
    private bool _needsCheckpoint;

    /// <summary>Writes a mapped pile through to its device; returns when all that was done before is durable. Other stores: nothing.</summary>
    /// <remarks>Changes by other threads wait while the changed blocks are copied, some milliseconds for ten thousand; reads do not.</remarks>
    /// <exception cref="PileStorageException">The device refused or is full. What was durable before still is.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public void Flush() => Flush(new ProgressGauge(null));

    /// <summary>As <see cref="Flush()"/>, and says how far it is.</summary>
    /// <param name="progress">
    /// Is told the bytes that are written: of the batch that goes to the log, or in a checkpoint of whole segments, one by one. All
    /// of them once the log is durable too; a checkpoint that writers outrun stays where it is until it has caught up. Other flushes
    /// wait meanwhile, and so does closing; reads and changes do not.
    /// </param>
    /// <exception cref="PileStorageException">The device refused or is full. What was durable before still is.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public void Flush(IProgress<PileProgress> progress)
    {
        ArgumentNullException.ThrowIfNull(progress);
        Flush(new ProgressGauge(progress));
    }

    private void Flush(ProgressGauge gauge)
    {
        Exit(Enter());
        if (_log != null)
            Flush(_log, gauge);
        gauge.Complete();
    }

    private void Flush(FlushLog log, ProgressGauge gauge)
    {
        lock (_flushing)
        {
            try
            {
                long start = Stopwatch.GetTimestamp();
                FlushLocked(log, gauge);
                PileMeter.NoteFlush(this, Stopwatch.GetElapsedTime(start));
            }
            catch (IOException e)
            {
                throw new PileStorageException($"The pile in '{DirectoryPath}' could not be flushed: {e.Message} Flush again once the device can be written.", e);
            }
        }
    }

    /// <summary>As <see cref="Flush()"/>, without holding the calling thread.</summary>
    /// <param name="cancellationToken">Cancels a flush that has not begun.</param>
    public Task FlushAsync(CancellationToken cancellationToken = default) => Task.Run(Flush, cancellationToken);

    private void FlushLocked(FlushLog log, ProgressGauge gauge)
    {
        bool isCheckpoint = _needsCheckpoint || !_directory!.CanUseLog;
        _needsCheckpoint = true; // until this one has ended well: the lists of changes are taken on the way
        for (int attempt = 0; ; attempt++)
        {
            bool isLast = attempt == MaxFuzzySyncs;
            if (isCheckpoint && !isLast)
            {
                Still(() => ChangeCapture.TakeAddresses(_allocator));
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
            log.Restart(batch, versionLimit);
        else if (batch.Length > FlushLog.HeadBytes)
            log.Append(batch, versionLimit);
        _needsCheckpoint = false;
    }

    /// <summary>Copies what changed; none when that is too much for the log.</summary>
    private Memory<byte>? CaptureStill(FlushLog log, bool isCheckpoint)
    {
        Memory<byte>? batch = null;
        Still(() =>
        {
            ulong[]? addresses = ChangeCapture.TakeAddresses(_allocator);
            if (addresses != null)
                batch = new ChangeCapture(_map, _allocator, _isSealed).Capture(addresses, log.CapacityBytes);
        });
        bool fits = batch is { } whole && (isCheckpoint ? log.CouldHold(whole.Length) : log.HasRoomFor(whole.Length));
        return fits ? batch : null;
    }

    // Writers were faster than the device, again and again: they wait for once.
    private Memory<byte> SyncStill()
    {
        Still(() =>
        {
            ChangeCapture.TakeAddresses(_allocator);
            SyncSegments();
        });
        return new byte[FlushLog.HeadBytes];
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
            try
            {
                _directory!.Segments.Sync(segment.Number, segment.Region);
            }
            catch (ObjectDisposedException)
            {
                // given back to the system meanwhile: nothing of it is left to be made durable
            }
            gauge?.Advance(lengthBytes);
        }
    }

    private ITimer? StartFlushTimer(PileOptions options) =>
        options.FlushInterval is { } interval
            ? options.TimeProvider.CreateTimer(static pile => ((Pile)pile!).FlushByTimer(), this, interval, interval)
            : null;

    private void FlushByTimer()
    {
        if (!_flushing.TryEnter())
            return; // the device is slower than the interval
        try
        {
            Flush();
        }
        catch (PileStorageException e)
        {
            Logger.LogError(e, "The flush by interval failed; what was durable before still is");
        }
        catch (ObjectDisposedException)
        {
            // closed while the timer fired: closing has written everything through
        }
        finally
        {
            _flushing.Exit();
        }
    }
}
