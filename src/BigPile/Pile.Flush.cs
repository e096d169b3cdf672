using System;
using System.Diagnostics;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Allocation;
using BigPile.Recovery;
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
    public void Flush()
    {
        Exit(Enter());
        if (_log == null)
            return;
        lock (_flushing)
        {
            try
            {
                long start = Stopwatch.GetTimestamp();
                FlushLocked(_log);
                PileMeter.NoteFlush(this, Stopwatch.GetElapsedTime(start));
            }
            catch (IOException e)
            {
                throw new PileStorageException($"The pile in '{DirectoryPath}' could not be flushed: {e.Message} Flush again once the device can be written.", e);
            }
        }
    }

    /// <summary>As <see cref="Flush"/>, without holding the calling thread.</summary>
    /// <param name="cancellationToken">Cancels a flush that has not begun.</param>
    public Task FlushAsync(CancellationToken cancellationToken = default) => Task.Run(Flush, cancellationToken);

    private void FlushLocked(FlushLog log)
    {
        bool isCheckpoint = _needsCheckpoint || !_directory!.CanUseLog;
        _needsCheckpoint = true; // until this one has ended well: the lists of changes are taken on the way
        for (int attempt = 0; ; attempt++)
        {
            bool isLast = attempt == MaxFuzzySyncs;
            if (isCheckpoint && !isLast)
            {
                Still(() => ChangeCapture.TakeAddresses(_allocator));
                SyncSegments();
            }
            Memory<byte>? batch = isLast ? SyncStill() : CaptureStill(log, isCheckpoint);
            if (batch is { } whole)
            {
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

    private void SyncSegments()
    {
        foreach (Segment segment in _allocator.Pool.Segments())
        {
            try
            {
                _directory!.Segments.Sync(segment.Number, segment.Region);
            }
            catch (ObjectDisposedException)
            {
                // given back to the system meanwhile: nothing of it is left to be made durable
            }
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
