using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using BigPile.Concurrency;
using BigPile.Layout;

namespace BigPile.Allocation;

/// <summary>Giving segments back, and the pool's part of the statistics.</summary>
internal sealed unsafe partial class PagePool
{
    private long _trimAbovePages;
    private int _idleSegments;

    /// <summary>Whether so many pages are free that a whole segment may be given back.</summary>
    internal bool WantsTrim { get; private set; }

    internal long FreePages { get; private set; }

    internal long ReservedBytes { get; private set; }

    internal long HeadBytes { get; private set; }

    internal long RecordBytes { get; private set; }

    internal long FreeBitsBytes { get; private set; }

    internal long RunPages { get; private set; }

    internal long RunCount { get; private set; }

    internal long RunPayloadBytes { get; private set; }

    private long PagesPerSegment => _map.SegmentBytes / SizeClasses.PageBytes;

    // Free pages that lie scattered can't be given back: after a trim it takes an eighth of a segment more to try again.
    private long NextTrimAbove(long freePages) => Math.Max(PagesPerSegment * 5 / 4, freePages + PagesPerSegment / 8);

    /// <summary>Takes empty segments away from allocation and from readers. One segment always stays.</summary>
    /// <param name="failure">Why others could not be given back; they stay, and are used again as soon as that is safe.</param>
    /// <returns>The segments, which must go to <see cref="Release"/> once no reader can be inside any more.</returns>
    internal List<Segment> WithdrawEmpty(out Exception? failure)
    {
        lock (_lock)
        {
            failure = null;
            var withdrawn = new List<Segment>();
            int left = CountLocked();
            for (int i = _segmentsEnd - 1; i >= 0 && left > 1 && failure == null; i--)
            {
                if (_segments[i] is not { IsWithdrawn: false } segment || segment.Number != i || !(segment.IsEmpty || segment.IsIdle))
                    continue;
                uint generation = segment.MaxGeneration();
                if (generation > SegmentGenerations.MostToGiveBack)
                    continue;
                failure = TryWithdrawLocked(segment, generation);
                if (failure != null)
                    break;
                withdrawn.Add(segment);
                left--;
            }
            if (_idleSegments != 0)
                PutBackIdleLocked();
            long leftFreePages = FreePages - withdrawn.Sum(static segment => (long)segment.PageCount - segment.HeadPages);
            _trimAbovePages = NextTrimAbove(leftFreePages);
            WantsTrim = false;
            return withdrawn;
        }
    }

    /// <summary>Frees the memory of withdrawn segments, and their numbers for later ones.</summary>
    /// <returns>Why files of some are left, which the next trim removes; <see langword="null"/> when none is.</returns>
    internal Exception? Release(List<Segment> withdrawn)
    {
        Exception? failure = null;
        foreach (Segment segment in withdrawn)
        {
            long lengthBytes = segment.Region.LengthBytes;
            long recordBytes = segment.RecordBytes;
            segment.Dispose();
            KillPoint.Pass(KillWindow.SegmentBeforeRemoved);
            failure = (Fault.SegmentRemovedFirst ? null : TryRemove(segment.Number)) ?? failure;
            lock (_lock)
            {
                for (int i = 0; i < _segments.Length; i++)
                {
                    if (ReferenceEquals(_segments[i], segment))
                        _segments[i] = null;
                }
                ReservedBytes -= lengthBytes;
                HeadBytes -= (long)segment.HeadPages * SizeClasses.PageBytes;
                RecordBytes -= recordBytes;
                FreePages -= segment.PageCount - segment.HeadPages;
            }
        }
        return failure;
    }

    /// <summary>Holds the pool still; for a consistent look at all counters.</summary>
    internal void EnterLock() => _lock.Enter();

    internal void ExitLock() => _lock.Exit();

    internal int CountLocked()
    {
        int count = 0;
        for (int i = 0; i < _segmentsEnd; i++)
        {
            if (_segments[i] is { IsWithdrawn: false } segment && segment.Number == i)
                count++;
        }
        return count;
    }

    // First nobody can take a page of it, then the store strikes it, and only then it is gone for readers too: of a store that fails
    // nobody knows what it has written, and an empty segment that nobody uses is right whether it is listed or not.
    private IOException? TryWithdrawLocked(Segment segment, uint generation)
    {
        if (!segment.IsIdle)
        {
            segment.TakeOut();
            _idleSegments++;
        }
        if (Fault.SegmentRemovedFirst)
            _ = TryRemove(segment.Number);
        KillPoint.Pass(KillWindow.SegmentBeforeStruck);
        try
        {
            _store.Withdraw(segment.Number, generation);
        }
        catch (IOException e)
        {
            return e;
        }
        _generations.Note(segment.Number, SpansOf(segment), generation);
        segment.Withdraw();
        ForgetSuspectsLocked(segment);
        _idleSegments--;
        for (int i = segment.Number; i < _segmentsEnd; i++)
        {
            if (ReferenceEquals(_segments[i], segment))
                _map.Clear(i);
        }
        return null;
    }

    /// <summary>Uses segments again that could not be given back, if the store can state that they are there.</summary>
    /// <returns>The largest of them; <see langword="null"/> when they have to stay unused.</returns>
    private Segment? PutBackIdleLocked()
    {
        try
        {
            _store.Settle();
        }
        catch (IOException)
        {
            return null; // whoever needs the room fails at the same thing, and says so
        }
        Segment? largest = null;
        for (int i = _segmentsEnd - 1; i >= 0; i--)
        {
            if (_segments[i] is not { IsIdle: true } segment || segment.Number != i)
                continue;
            segment.PutBack();
            _firstWithSpace = Math.Min(_firstWithSpace, i);
            if (largest == null || segment.PageCount > largest.PageCount)
                largest = segment;
        }
        _idleSegments = 0;
        return largest;
    }

    private IOException? TryRemove(int number)
    {
        try
        {
            _store.Remove(number);
            return null;
        }
        catch (IOException e)
        {
            return e;
        }
    }
}
