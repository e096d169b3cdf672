using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Threading;
using BigPile.Checking;
using BigPile.Memory.Checking;

namespace BigPile.Allocation;

/// <summary>Gives empty segments back to the store.</summary>
/// <remarks>
/// A segment goes in three steps: it is taken out of allocation; the store strikes it from its list; it is removed from the map. A segment
/// that stays between the first step and the second is idle. Thread safety: the growth lock, and the pool's while the store is not at work,
/// except for <see cref="Destroy"/>.
/// </remarks>
internal sealed class SegmentTrim(
    SegmentStore store, SegmentTable segments, FreePages free, SuspectPages suspects, SegmentGenerations generations, SegmentGrowth growth,
    Lock poolLock)
{
    /// <summary>Segments that could not be given back, and are out of use.</summary>
    internal int IdleCount { get; private set; }

    /// <summary>Removes empty segments from allocation and from the map. One segment always stays.</summary>
    /// <param name="keepsSome">Whether so much stays free that the next segment is not made soon.</param>
    /// <param name="failure">Why other segments could not be withdrawn; they stay, and are used again as soon as that is safe.</param>
    /// <returns>The segments, whose memory is to be destroyed after quiescence.</returns>
    internal List<Segment> WithdrawEmpty(bool keepsSome, out Exception? failure)
    {
        Debug.Assert(growth.Growing.IsHeldByCurrentThread && !poolLock.IsHeldByCurrentThread, "Others would wait for the store.");
        failure = keepsSome ? null : growth.DropSpare();
        var withdrawn = new List<Segment>();
        long withdrawnPages = 0; // they are still counted as free
        long countBefore;
        lock (poolLock)
        {
            free.OnTrimming();
            countBefore = free.Count;
        }
        for (int number = segments.End - 1; number >= 0; number--)
        {
            if (TakeOut(number, keepsSome ? withdrawnPages : null, out uint generation) is not { } segment)
                continue;
            if (TryWithdraw(segment, generation) is { } refusal)
            {
                failure = refusal;
                break;
            }
            withdrawn.Add(segment);
            withdrawnPages += segment.PageCount - segment.HeadPages;
        }
        if (IdleCount != 0)
            PutBackIdle();
        lock (poolLock)
            free.OnTrimmed(countBefore, withdrawnPages);
        if (keepsSome)
            failure = growth.DropUselessSpare(withdrawnPages) ?? failure;
        return withdrawn;
    }

    /// <summary>Frees the memory of a withdrawn segment, and removes its file. No lock is held.</summary>
    /// <returns>Why its file is left, which the next trim removes; <see langword="null"/> when it is not.</returns>
    internal Exception? Destroy(Segment segment)
    {
        Debug.Assert(segment.IsWithdrawn, "Readers may be inside.");
        segment.Dispose();
        CrashPoints.Pass(CrashPoint.SegmentBeforeRemoved);
        return Mutation.SegmentRemovedFirst ? null : TryRemove(segment.Number);
    }

    /// <summary>Frees the numbers of a segment whose memory is freed.</summary>
    internal void Forget(Segment segment)
    {
        segments.Forget(segment);
        free.Forget(segment);
    }

    /// <summary>Uses idle segments again, if the store can state that they are listed.</summary>
    /// <returns>The free pages of the largest of them; 0 when they have to stay idle.</returns>
    internal int PutBackIdle()
    {
        Debug.Assert(growth.Growing.IsHeldByCurrentThread && !poolLock.IsHeldByCurrentThread, "Others would wait for the store.");
        try
        {
            store.Reconcile();
        }
        catch (IOException)
        {
            return 0; // an allocation that needs the memory fails for the same reason, and reports it
        }
        int most = 0;
        lock (poolLock)
        {
            for (int number = segments.End - 1; number >= 0; number--)
            {
                if (segments.StartingAt(number) is not { IsIdle: true } segment)
                    continue;
                segment.PutBack();
                free.IncludeInSearch(segment);
                most = Math.Max(most, segment.FreePageCount);
            }
            IdleCount = 0;
        }
        return most;
    }

    /// <summary>Checks the count of idle segments.</summary>
    /// <exception cref="InvalidOperationException">It is wrong.</exception>
    internal void CheckInvariants(List<Segment> all) =>
        Invariant.Equal("SegmentTrim", 0, "idle segments", IdleCount, all.Count(static segment => segment.IsIdle));

    // The segment of a number, if it may go: its pages are free, or it was taken out before. And enough is free without it, unless that is
    // of no concern: then the pages that were withdrawn are null.
    private Segment? TakeOut(int number, long? withdrawnPages, out uint generation)
    {
        generation = 0;
        lock (poolLock)
        {
            if (segments.StartingAt(number) is not { } segment || !(segment.IsEmpty || segment.IsIdle) || segments.Count() == 1)
                return null;
            if (withdrawnPages is { } gone && !free.IsEnoughWithout(gone + segment.PageCount - segment.HeadPages))
                return null;
            generation = segment.MaxGeneration();
            if (generation > SegmentGenerations.MostToGiveBack)
                return null;
            if (!segment.IsIdle)
            {
                segment.TakeOut();
                IdleCount++;
            }
            return segment;
        }
    }

    private IOException? TryWithdraw(Segment segment, uint generation)
    {
        if (Mutation.SegmentRemovedFirst)
            _ = TryRemove(segment.Number);
        CrashPoints.Pass(CrashPoint.SegmentBeforeStruck);
        try
        {
            // When the store fails, it is unknown what it has written. An empty segment that nobody uses is right whether it is listed or
            // not, so it stays mapped and idle.
            store.Withdraw(segment.Number, generation);
        }
        catch (IOException e)
        {
            return e;
        }
        lock (poolLock)
        {
            generations.Record(segment.Number, segments.SpansOf(segment), generation);
            segment.Withdraw();
            suspects.Forget(segment);
            IdleCount--;
            segments.Unmap(segment);
        }
        return null;
    }

    private IOException? TryRemove(int number)
    {
        try
        {
            store.Remove(number);
            return null;
        }
        catch (IOException e)
        {
            return e;
        }
    }
}
