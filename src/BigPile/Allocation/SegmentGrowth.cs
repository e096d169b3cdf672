using System;
using System.Diagnostics;
using System.IO;
using System.Threading;
using BigPile.Checking;
using BigPile.Layout;
using BigPile.Memory;
using BigPile.Memory.Checking;

namespace BigPile.Allocation;

/// <summary>Adds segments from the store: when no page is free, and ahead of that in the background.</summary>
/// <remarks>
/// Making a segment takes as long as the disk does. So it is made with the growth lock held, and not the pool's: only who finds no free
/// page waits for it. Thread safety: the growth lock, or what is stated.
/// </remarks>
internal sealed unsafe class SegmentGrowth(
    SegmentSource source, SegmentTable segments, FreePages free, SegmentGenerations generations, bool tracksFlushed, Lock poolLock)
{
    private const int AheadShare = 4; // of a segment's pages: so few are free when the next one is made
    private const int PauseMs = 1_000; // after a failure, until the next one is made ahead

    private bool _isAheadWanted; // a segment was requested ahead, and is not there yet; under the pool's lock
    private long _noneAheadBefore; // the tick count; under the pool's lock
    private bool _isOver; // under the growth lock

    /// <summary>Held while segments are added or withdrawn; taken before the pool's lock.</summary>
    internal Lock Growing { get; } = new();

    /// <summary>Has the background add a segment; null: none is made ahead.</summary>
    internal Action? AheadWanted { get; set; }

    /// <summary>Why the last attempt failed, if the store threw.</summary>
    internal Exception? Failure { get; private set; }

    /// <summary>Requests a segment while there are still free pages. The caller holds the pool's lock.</summary>
    /// <param name="mostBytes">The bytes that the pool may grow by.</param>
    internal void RequestAhead(long mostBytes)
    {
        Debug.Assert(poolLock.IsHeldByCurrentThread, "The pool's lock is needed.");
        if (_isAheadWanted || AheadWanted == null || mostBytes < source.Map.SegmentBytes
            || free.Count >= segments.PagesPerNumber / AheadShare || Environment.TickCount64 < _noneAheadBefore)
        {
            return;
        }
        _isAheadWanted = true;
        AheadWanted();
    }

    /// <summary>Has the pages before one be such that may be stored to.</summary>
    /// <returns><see langword="false"/> when the store has no space for them: see <see cref="Failure"/>.</returns>
    internal bool TryAllocate(Segment segment, int end)
    {
        try
        {
            segment.Allocate(end);
            return true;
        }
        catch (IOException e)
        {
            Failure = e;
            return false;
        }
    }

    /// <summary>Ends what <see cref="RequestAhead"/> began. The caller holds the pool's lock.</summary>
    internal void EndAhead(bool hasGrown)
    {
        Debug.Assert(poolLock.IsHeldByCurrentThread, "The pool's lock is needed.");
        _isAheadWanted = false;
        if (!hasGrown)
            _noneAheadBefore = Environment.TickCount64 + PauseMs;
    }

    /// <summary>No segment is added from here on.</summary>
    internal void End()
    {
        lock (Growing)
            _isOver = true;
    }

    /// <summary>
    /// Makes a segment with that many consecutive pages; null when the limit, the numbers or the store do not allow it.
    /// <see cref="Attach"/> adds it.
    /// </summary>
    /// <param name="pages">The pages.</param>
    /// <param name="mostBytes">The most bytes of the segment that are allowed for now.</param>
    internal Segment? Make(int pages, long mostBytes)
    {
        Debug.Assert(Growing.IsHeldByCurrentThread && !poolLock.IsHeldByCurrentThread, "Only who needs a page waits for the store.");
        Failure = null;
        int spans = SpansFor(pages);
        long lengthBytes = Math.Min(
            spans * source.Map.SegmentBytes,
            (source.LimitBytes - segments.ReservedBytes) / SizeClasses.PageBytes * SizeClasses.PageBytes);
        if (_isOver || lengthBytes > mostBytes)
            return null; // no small one in its place: their numbers would end
        int pageCount = (int)(lengthBytes / SizeClasses.PageBytes);
        int number = segments.FreeNumber(spans, generations);
        if (number < 0 || pageCount < SegmentHead.PagesFor(pageCount) + pages)
            return null;
        try
        {
            return LayOut(number, source.Store.Create(number, lengthBytes));
        }
        catch (Exception e) when (e is OutOfMemoryException or IOException)
        {
            Failure = e;
            return null;
        }
    }

    /// <summary>Adds a segment that was made. The caller holds the pool's lock as well.</summary>
    internal void Attach(Segment segment)
    {
        Debug.Assert(poolLock.IsHeldByCurrentThread, "The pool's lock is needed.");
        TouchAhead.Begin(segment);
        segments.Add(segment, isShared: false);
        free.AddSegment(segment);
    }

    private int SpansFor(int pages)
    {
        int pagesPerSpan = (int)segments.PagesPerNumber;
        int spans = 1;
        while (spans * (long)pagesPerSpan < SegmentHead.PagesFor(spans * pagesPerSpan) + (long)pages)
            spans++;
        return spans;
    }

    private Segment LayOut(int number, MemoryRegion region)
    {
        var segment = new Segment(number, source.Map.AddressOf(number), region, tracksFlushed);
        uint generation = generations.StartOf(number, segments.SpansOf(segment));
        segment.Head = SegmentHead.For(number, region.LengthBytes, source.PileId, hasWrittenWords: generation != 0);
        for (int page = segment.HeadPages; page < segment.PageCount; page++)
        {
            segment.Metas[page].MaxGeneration = generation;
            segment.Unpublish(page, generation); // stored in the file as well: an unused page must not come back with base 0
            segment.AddFreePage(page);
        }
        CrashPoints.Pass(CrashPoint.SegmentBeforeListed);
        try
        {
            source.Store.Publish(number, region);
        }
        catch
        {
            segment.Dispose();
            throw;
        }
        CrashPoints.Pass(CrashPoint.SegmentBeforeUse);
        return segment;
    }
}
