using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Threading;
using BigPile.Checking;
using BigPile.Concurrency;

namespace BigPile.Allocation;

/// <summary>Gives empty segments back to the store.</summary>
/// <remarks>
/// Calls are made under the pool's lock, but for <see cref="Destroy"/>. A segment goes in three steps: it is taken out, so that nobody can
/// take a page of it; then the store strikes it, and only then it is gone for readers too: of a store that fails nobody knows what it has
/// written, and an empty segment that nobody uses is right whether it is listed or not. One that stays between the first step and the
/// second is idle.
/// </remarks>
internal sealed class SegmentTrim(
    SegmentStore store, SegmentTable segments, FreePages free, SuspectPages suspects, SegmentGenerations generations, Lock poolLock)
{
    /// <summary>Segments that could not be given back, and are not used.</summary>
    internal int IdleCount { get; private set; }

    /// <summary>Takes empty segments away from allocation and from readers. One segment always stays.</summary>
    /// <param name="failure">Why others could not be given back; they stay, and are used again as soon as that is safe.</param>
    /// <returns>The segments, whose memory is to be destroyed once no reader can be inside any more.</returns>
    internal List<Segment> WithdrawEmpty(out Exception? failure)
    {
        Debug.Assert(poolLock.IsHeldByCurrentThread, "The pool's lock is needed.");
        failure = null;
        var withdrawn = new List<Segment>();
        int left = segments.Count();
        for (int number = segments.End - 1; number >= 0 && left > 1 && failure == null; number--)
        {
            if (segments.StartingAt(number) is not { } segment || !(segment.IsEmpty || segment.IsIdle))
                continue;
            uint generation = segment.MaxGeneration();
            if (generation > SegmentGenerations.MostToGiveBack)
                continue;
            failure = TryWithdraw(segment, generation);
            if (failure != null)
                break;
            withdrawn.Add(segment);
            left--;
        }
        if (IdleCount != 0)
            PutBackIdle();
        free.OnTrimmed(withdrawn.Sum(static segment => (long)segment.PageCount - segment.HeadPages));
        return withdrawn;
    }

    /// <summary>Frees the memory of a segment that was withdrawn, and removes its file. No lock is held.</summary>
    /// <returns>Why its file is left, which the next trim removes; <see langword="null"/> when it is not.</returns>
    internal Exception? Destroy(Segment segment)
    {
        Debug.Assert(segment.IsWithdrawn, "Readers may be inside.");
        segment.Dispose();
        CrashPoints.Pass(CrashPoint.SegmentBeforeRemoved);
        return Mutation.SegmentRemovedFirst ? null : TryRemove(segment.Number);
    }

    /// <summary>Frees the numbers of a segment whose memory is gone.</summary>
    internal void Forget(Segment segment)
    {
        segments.Forget(segment);
        free.Forget(segment);
    }

    /// <summary>Uses segments again that could not be given back, if the store can state that they are there.</summary>
    /// <returns>The largest of them; <see langword="null"/> when they have to stay unused.</returns>
    internal Segment? PutBackIdle()
    {
        Debug.Assert(poolLock.IsHeldByCurrentThread, "The pool's lock is needed.");
        try
        {
            store.Reconcile();
        }
        catch (IOException)
        {
            return null; // whoever needs the room fails at the same thing, and says so
        }
        Segment? largest = null;
        for (int number = segments.End - 1; number >= 0; number--)
        {
            if (segments.StartingAt(number) is not { IsIdle: true } segment)
                continue;
            segment.PutBack();
            free.IncludeInSearch(segment);
            if (largest == null || segment.PageCount > largest.PageCount)
                largest = segment;
        }
        IdleCount = 0;
        return largest;
    }

    /// <summary>Looks whether the idle segments are those that are counted.</summary>
    /// <exception cref="InvalidOperationException">They are not.</exception>
    internal void CheckInvariants(List<Segment> all) =>
        Invariant.Equal("SegmentTrim", 0, "idle segments", IdleCount, all.Count(static segment => segment.IsIdle));

    private IOException? TryWithdraw(Segment segment, uint generation)
    {
        if (!segment.IsIdle)
        {
            segment.TakeOut();
            IdleCount++;
        }
        if (Mutation.SegmentRemovedFirst)
            _ = TryRemove(segment.Number);
        CrashPoints.Pass(CrashPoint.SegmentBeforeStruck);
        try
        {
            store.Withdraw(segment.Number, generation);
        }
        catch (IOException e)
        {
            return e;
        }
        generations.Record(segment.Number, segments.SpansOf(segment), generation);
        segment.Withdraw();
        suspects.Forget(segment);
        IdleCount--;
        segments.Unmap(segment);
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
