using System;
using System.Diagnostics;
using System.IO;
using BigPile.Allocation;
using BigPile.Concurrency;
using BigPile.Memory;

namespace BigPile.Access;

/// <summary>Makes room of what was freed, and gives memory back. Of a pile in memory what was freed is free at once.</summary>
/// <remarks>
/// What was flushed and then freed keeps its room until the next flush, so a pile may be full of it; what a flush or a trim gives back is
/// nowhere for a moment; and on a full disk the log of flushes has room that a segment could have. Every call that needs memory flushes
/// then, or waits for who gives back, and tries again, once it is outside of the pile and holds no lock; it throws when nothing waits any
/// more, or the device refuses. A call within a call can't: a flush, or a trim, would wait for it.
/// </remarks>
internal abstract class Reclaimer
{
    /// <summary>Others may take what was given back, again and again: after so many a call gives up.</summary>
    private protected const int MostAttempts = 8;

    private readonly ReclaimEvents _reclaimEvents;

    private protected Reclaimer(ReclaimEvents reclaimEvents) => _reclaimEvents = reclaimEvents;

    /// <summary>Whether what was freed waits for a flush, which would give room.</summary>
    private protected abstract bool IsFlushWanted { get; }

    /// <summary>Wants the next flush to leave room of the disk, if it has some.</summary>
    private protected abstract bool TryRequestDiskSpace();

    /// <summary>Whether there is room soon that was not found, and this thread may wait for it once it has left the pile.</summary>
    /// <param name="critical">The calling thread, inside of the call that failed.</param>
    /// <param name="full">What it met.</param>
    /// <param name="attempt">How often it has flushed for it; see <see cref="Reclaim(int)"/>.</param>
    internal bool CanReclaim(CriticalRegion critical, PileFullException full, int attempt)
    {
        Debug.Assert(critical == CriticalRegion.Current && critical.IsInRegion, "Asked by the thread that failed, before it leaves.");
        if (attempt >= MostAttempts || critical.IsNested)
            return false;
        if (full.ObservedEvents is { } events && (IsFlushWanted || _reclaimEvents.MayHaveMissed(events)))
            return true; // in this order: what is not wanted any more was counted before
        return IsDiskFull(full) && TryRequestDiskSpace();
    }

    /// <summary>Makes room of the disk, where there is some that it has no room for. The caller is outside of all calls.</summary>
    /// <param name="refused">What a call met.</param>
    /// <returns>Whether the call may be made again.</returns>
    internal bool TryReclaimDiskSpace(Exception refused) => IsDiskFull(refused) && TryRequestDiskSpace() && TryFlush();

    private static bool IsDiskFull(Exception refused) => refused.InnerException is IOException refusal && FileErrors.IsDiskFull(refusal);

    /// <summary>Flushes where that gives room, and waits for those who give some back. The caller is outside of all calls.</summary>
    /// <param name="attempt">How often it was done for the same call before.</param>
    /// <returns>The number for the next time.</returns>
    internal abstract int Reclaim(int attempt);

    /// <summary>Flushes if it may, without a limit of times; whatever it meets is logged.</summary>
    internal abstract bool TryFlush();

    /// <summary>Flushes in the background; called where much waits for it.</summary>
    internal abstract void RequestFlush();

    /// <summary>Gives empty segments back, if nobody else does just now. Never throws.</summary>
    internal abstract void TrimQuietly();
}
