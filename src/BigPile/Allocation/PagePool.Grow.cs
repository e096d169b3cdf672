using System;
using System.IO;
using System.Threading;
using BigPile.Concurrency;
using BigPile.Layout;
using BigPile.Memory;

namespace BigPile.Allocation;

/// <summary>Taking more memory: further segments, and their pages before they are written to.</summary>
internal sealed unsafe partial class PagePool
{
    private const int LeastTouchedPages = 32;
    private const int MostTouchedPages = 256;

    // Half as far again as the segment is in use, so that a small pile takes no memory that it never needs, and not further than is
    // written in some milliseconds.
    private void TouchAheadLocked(Segment segment, int page)
    {
        int lengthPages = Math.Clamp(page - segment.HeadPages, LeastTouchedPages, MostTouchedPages);
        if (Touch == null || page < segment.TouchedEnd - lengthPages / 2)
            return;
        int first = Math.Max(page + 1, segment.TouchedEnd);
        segment.TouchedEnd = Math.Min(first + lengthPages, segment.PageCount);
        if (first < segment.TouchedEnd)
            Touch(segment, first, segment.TouchedEnd);
        if (segment.TouchedEnd == segment.PageCount && ReservedBytes <= _limitBytes - _map.SegmentBytes)
            _store.Prepare(_map.SegmentBytes, (segment.HeadPages + LeastTouchedPages) * (long)SizeClasses.PageBytes);
    }

    private Segment? GrowLocked(int pages)
    {
        GrowthFailure = null;
        if (_idleSegments != 0 && PutBackIdleLocked() is { } idle && idle.FreePageCount >= pages)
            return idle;
        int spans = SpansFor(pages);
        long lengthBytes =
            Math.Min(spans * _map.SegmentBytes, (_limitBytes - ReservedBytes) / SizeClasses.PageBytes * SizeClasses.PageBytes);
        int pageCount = (int)(lengthBytes / SizeClasses.PageBytes);
        int number = FreeNumberLocked(spans);
        if (number < 0 || pageCount < SegmentHead.PagesFor(pageCount) + pages)
            return null;
        try
        {
            return AddLocked(number, _store.Create(number, lengthBytes));
        }
        catch (Exception e) when (e is OutOfMemoryException or IOException)
        {
            GrowthFailure = e;
            return null;
        }
    }

    private int SpansFor(int pages)
    {
        int pagesPerSpan = (int)(_map.SegmentBytes / SizeClasses.PageBytes);
        int spans = 1;
        while (spans * (long)pagesPerSpan < SegmentHead.PagesFor(spans * pagesPerSpan) + (long)pages)
            spans++;
        return spans;
    }

    private int FreeNumberLocked(int spans)
    {
        int number = FreeNumberLocked(spans, isWornToo: false);
        return number >= 0 ? number : FreeNumberLocked(spans, isWornToo: true);
    }

    private int FreeNumberLocked(int spans, bool isWornToo)
    {
        int free = 0;
        for (int i = 0; i < _segments.Length; i++)
        {
            free = _segments[i] == null && (isWornToo || _generations.IsPreferred(i)) ? free + 1 : 0;
            if (free == spans)
                return i - spans + 1;
        }
        return -1;
    }

    private int SpansOf(Segment segment) => (int)((segment.PageCount + PagesPerSegment - 1) / PagesPerSegment);

    private Segment AddLocked(int number, MemoryRegion region)
    {
        var segment = new Segment(number, _map.AddressOf(number), region, KnowsFrozen);
        uint generation = _generations.StartOf(number, SpansOf(segment));
        segment.Head = SegmentHead.For(number, region.LengthBytes, _pileId);
        for (int page = segment.HeadPages; page < segment.PageCount; page++)
        {
            segment.Metas[page].MaxGeneration = generation;
            segment.Unpublish(page, generation); // in the file as well: an unused page must not come back with base 0
            segment.AddFreePage(page);
        }
        segment.TouchedEnd = segment.HeadPages + LeastTouchedPages;
        KillPoint.Pass(KillWindow.SegmentBeforeListed);
        try
        {
            _store.Publish(number, region);
        }
        catch
        {
            segment.Dispose();
            throw;
        }
        KillPoint.Pass(KillWindow.SegmentBeforeUse);
        RegisterLocked(segment);
        return segment;
    }

    /// <summary>Makes a segment known to readers.</summary>
    private void RegisterLocked(Segment segment, bool isShared = false)
    {
        if (_segments[segment.Number] is { } replaced && replaced.Number == segment.Number)
            KeepReplacedLocked(replaced);
        long pagesPerSpan = PagesPerSegment;
        int spans = SpansOf(segment);
        for (int i = 0; i < spans; i++)
        {
            Volatile.Write(ref _segments[segment.Number + i], segment);
            if (isShared)
                continue;
            long offsetBytes = i * _map.SegmentBytes;
            _map.Set(
                segment.Number + i, segment.Region.Start + offsetBytes, segment.Infos + i * pagesPerSpan,
                segment.Metas + i * pagesPerSpan, Math.Min(_map.SegmentBytes, segment.Region.LengthBytes - offsetBytes));
        }
        _segmentsEnd = Math.Max(_segmentsEnd, segment.Number + spans);
        _firstWithSpace = Math.Min(_firstWithSpace, segment.Number);
        FreePages += segment.FreePageCount;
        ReservedBytes += segment.Region.LengthBytes;
        HeadBytes += (long)segment.HeadPages * SizeClasses.PageBytes;
        RecordBytes += segment.RecordBytes;
        _trimAbovePages = NextTrimAbove(0);
    }
}
