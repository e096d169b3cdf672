using System;
using System.IO;
using System.Threading;
using BigPile.Allocation;
using BigPile.Concurrency;
using BigPile.Memory;
using BigPile.Reporting;

namespace BigPile.Access;

/// <summary>Reclaims freed space when memory is full, has tables give way, and trims.</summary>
/// <remarks>
/// A freed flushed block keeps its slot until the next flush, so a pile may be full of pending frees; and on a full disk the flush log has
/// space that a segment could use. So a call that runs out of memory leaves its critical region, holding no lock, then flushes or waits for
/// those who return space, and tries again. Once nothing is pending any more, or the device refuses, tables evict for it; and it throws
/// when nothing may go. In a pile in memory, freed space is free at once. Thread safety: all members may be called concurrently.
/// </remarks>
internal abstract class Reclaimer
{
    /// <summary>Other threads may take the reclaimed space again and again: a call gives up after so many attempts.</summary>
    private protected const int MostAttempts = 8;

    private readonly Refusals _refusals; // counts the puts for which there was no space in the end
    private IGivesWay? _givesWay; // the tables of the pile; null without

    private protected Reclaimer(Allocator allocator, Refusals refusals)
    {
        Allocator = allocator;
        _refusals = refusals;
    }

    private protected Allocator Allocator { get; }

    /// <summary>Whether a flush would free space.</summary>
    private protected abstract bool IsFlushWanted { get; }

    /// <summary>Requests that the next flush returns the log's disk space, if it has enough.</summary>
    private protected abstract bool TryRequestDiskSpace();

    /// <summary>What evicts when the pile is full; null: nothing does.</summary>
    internal IGivesWay? GivesWay
    {
        get => Volatile.Read(ref _givesWay);
        set => Volatile.Write(ref _givesWay, value);
    }

    /// <summary>Makes space for a call that lacked some, and has left its critical region.</summary>
    /// <param name="failure">Why it had none.</param>
    /// <param name="attempts">The earlier attempts of the same call; counted on.</param>
    /// <param name="evicts">Whether tables give way to it.</param>
    /// <param name="isPut">Whether a refusal is that of a put, and counted; never where no table gives way.</param>
    /// <returns><see langword="false"/> where there is nothing to reclaim, and nothing may go: the caller throws.</returns>
    internal bool TryReclaim(PileException failure, ref ReclaimAttempts attempts, bool evicts = true, bool isPut = true)
    {
        if (failure is not PileFullException full)
            return false;
        if (TryMakeSpace(full, ref attempts, evicts))
            return true;
        if (evicts && isPut)
            _refusals.Record(full);
        return false;
    }

    private bool TryMakeSpace(PileFullException full, ref ReclaimAttempts attempts, bool evicts)
    {
        if (!PileRegions.Current.IsOpen) // nested, flush or trim would wait for the outer call, as would a table that is being configured
        {
            if (CanReclaim(full, attempts.Reclaims))
            {
                attempts.Reclaims = Reclaim(attempts.Reclaims);
                return true;
            }
            if (evicts && full.BlockBytes != 0 && GivesWay?.TryGiveWay(full, attempts.Evictions) == true)
            {
                attempts.Evictions++;
                attempts.Reclaims = 0; // what went from a mapped pile is free after a flush
                return true;
            }
        }
        return !full.IsEvictable && Allocator.Pool.Separation.TryMix(); // what is free among others is better used than kept for them
    }

    private bool CanReclaim(PileFullException full, int attempt)
    {
        if (attempt >= MostAttempts)
            return false;
        // The failed search read the count before it began. What a flush or trim was returning meanwhile was in no list, and is free now,
        // or soon.
        if (full.ObservedEvents is { } events && (IsFlushWanted || Allocator.TransferEvents.MayHaveMissed(events)))
            return true; // in this order: space that is no longer pending was counted as an event before
        return RequestsDiskSpace(full);
    }

    /// <summary>Requests the log's disk space if the disk was full: the next flush returns it.</summary>
    internal bool RequestsDiskSpace(Exception refused) => IsDiskFull(refused) && TryRequestDiskSpace();

    /// <summary>Returns the log's disk space if the disk was full. The caller is outside of any critical region.</summary>
    /// <param name="refused">The exception that was thrown.</param>
    /// <returns>Whether to retry the call.</returns>
    internal bool TryReclaimDiskSpace(Exception refused) => RequestsDiskSpace(refused) && TryFlush();

    private static bool IsDiskFull(Exception refused) => refused.InnerException is IOException refusal && FileErrors.IsDiskFull(refusal);

    /// <summary>
    /// Flushes if that frees space, and waits for threads that are returning some. The caller is outside of any critical region.
    /// </summary>
    /// <param name="attempt">The number of earlier attempts of the same call.</param>
    /// <returns>The number to pass next time.</returns>
    internal abstract int Reclaim(int attempt);

    /// <summary>Flushes if possible; failures are logged.</summary>
    internal abstract bool TryFlush();

    /// <summary>Requests a background flush; called when much is pending.</summary>
    internal abstract void RequestFlush();

    /// <summary>Trims empty segments. Never throws.</summary>
    internal abstract void TrimQuietly();

    /// <summary>Has the background trim empty segments.</summary>
    internal abstract void RequestTrim();
}

/// <summary>The attempts of one call to get space.</summary>
internal struct ReclaimAttempts
{
    internal int Reclaims; // since the last eviction
    internal int Evictions;
}

/// <summary>What gives way to a put when the pile is full.</summary>
internal interface IGivesWay
{
    /// <summary>Evicts for a block that the pile has refused. The caller is outside of critical regions.</summary>
    /// <param name="refused">The refusal, which has the block's size.</param>
    /// <param name="attempt">The number of earlier attempts of the same call: what went had other sizes, or others took it.</param>
    /// <returns>Whether to try again; <see langword="false"/> where nothing may go, or nothing that helps.</returns>
    bool TryGiveWay(PileFullException refused, int attempt);

    /// <summary>The pile is nearly full: whoever gives way prepares for it. Runs in the background.</summary>
    void Prepare();
}
