using System.Diagnostics;
using System.Threading;
using BigPile.Access;
using BigPile.Allocation;
using BigPile.Concurrency;
using BigPile.Durability;
using BigPile.Reporting;
using Microsoft.Extensions.Logging;

namespace BigPile.Upkeep;

/// <summary>Of a mapped pile: what was flushed and then freed is free once the next flush has ended.</summary>
internal sealed class FlushedRoom(
    Gate gate, Allocator allocator, MovedTable moved, Trimmer trimmer, BackgroundWork background, ILogger logger) : RoomMaker
{
    private Flusher? _flusher;
    private int _isRequested;

    /// <summary>Tells who flushes. Nobody is inside the pile yet.</summary>
    internal void Attach(Flusher flusher)
    {
        Debug.Assert(_flusher == null, "A pile has one flusher: its lock is what others wait for.");
        _flusher = flusher;
    }

    private bool IsFlushWanted => allocator.QuarantinedBytes != 0 || moved.IsFull;

    internal override bool CanMakeRoom(ThreadPresence presence, PileFullException full, int flushes)
    {
        Debug.Assert(presence == ThreadPresence.Mine && presence.IsInside, "Asked by the thread that failed, before it leaves.");
        return flushes < MostFlushesForRoom && _flusher != null && !presence.IsNested && full.LookedAt is { } look
            && (IsFlushWanted || allocator.GivingBack.MayHaveMissed(look)); // in this order: what is not wanted any more was counted before
    }

    internal override int MakeRoom(int flushes)
    {
        Debug.Assert(!ThreadPresence.Mine.IsInside, "Whoever gives room back waits until this thread has left.");
        bool isRefused = IsFlushWanted && !TryFlush();
        lock (_flusher!.Flushing)
        {
            // what another one's flush gave back is free now
        }
        allocator.WaitForRoom();
        return isRefused ? MostFlushesForRoom : flushes + 1;
    }

    internal override bool TryFlush()
    {
        try
        {
            Flush();
            return true;
        }
        catch (PileStorageException e)
        {
            logger.LogError(e, "What was freed can't be used again before it was flushed, and that failed");
            return false;
        }
    }

    internal override void RequestFlush()
    {
        if (Interlocked.Exchange(ref _isRequested, 1) == 0)
            background.Queue("a flush that gives room back", FlushAsRequested);
    }

    internal override void GiveBackQuietly() => trimmer.TrimQuietly();

    /// <summary>Flushes, unless a flush is under way: the device is slower than whoever asks.</summary>
    internal void FlushQuietly()
    {
        if (_flusher == null || !_flusher.Flushing.TryEnter())
            return;
        _flusher.Flushing.Exit();
        Flush();
    }

    private void Flush()
    {
        ThreadPresence.RefuseInside();
        gate.Enter().Exit();
        _flusher!.Flush(new ProgressGauge(null));
    }

    private void FlushAsRequested()
    {
        Volatile.Write(ref _isRequested, 0);
        FlushQuietly();
        if (allocator.WantsTrim)
            trimmer.TrimQuietly();
    }
}
