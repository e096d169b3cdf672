using System;
using System.Diagnostics;
using System.IO;
using System.Threading;
using BigPile.Checking;
using BigPile.Layout;
using BigPile.Memory;
using BigPile.Memory.Checking;

namespace BigPile.Allocation;

/// <summary>Adds segments from the store.</summary>
/// <remarks>Thread safety: the pool's lock.</remarks>
internal sealed unsafe class SegmentGrowth(
    SegmentSource source, SegmentTable segments, FreePages free, SegmentGenerations generations, bool tracksFlushed, Lock poolLock)
{
    /// <summary>Why the last attempt failed, if the store threw.</summary>
    internal Exception? Failure { get; private set; }

    /// <summary>Clears the failure of the last attempt.</summary>
    internal void Begin() => Failure = null;

    /// <summary>Adds a segment with that many consecutive pages; null when the limit, the numbers or the store do not allow it.</summary>
    /// <param name="pages">The pages.</param>
    /// <param name="mostBytes">The most bytes of the segment that are allowed for now.</param>
    internal Segment? Grow(int pages, long mostBytes)
    {
        Debug.Assert(poolLock.IsHeldByCurrentThread, "The pool's lock is needed.");
        int spans = SpansFor(pages);
        long lengthBytes = Math.Min(
            spans * source.Map.SegmentBytes,
            (source.LimitBytes - segments.ReservedBytes) / SizeClasses.PageBytes * SizeClasses.PageBytes);
        if (lengthBytes > mostBytes)
            return null; // no small one in its place: their numbers would end
        int pageCount = (int)(lengthBytes / SizeClasses.PageBytes);
        int number = segments.FreeNumber(spans, generations);
        if (number < 0 || pageCount < SegmentHead.PagesFor(pageCount) + pages)
            return null;
        try
        {
            return Add(number, source.Store.Create(number, lengthBytes));
        }
        catch (Exception e) when (e is OutOfMemoryException or IOException)
        {
            Failure = e;
            return null;
        }
    }

    private int SpansFor(int pages)
    {
        int pagesPerSpan = (int)segments.PagesPerNumber;
        int spans = 1;
        while (spans * (long)pagesPerSpan < SegmentHead.PagesFor(spans * pagesPerSpan) + (long)pages)
            spans++;
        return spans;
    }

    private Segment Add(int number, MemoryRegion region)
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
        TouchAhead.Begin(segment);
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
        segments.Add(segment, isShared: false);
        free.AddSegment(segment);
        return segment;
    }
}
