using System;
using System.Collections.Generic;
using System.Threading;
using BigPile.Concurrency;
using BigPile.Layout;

namespace BigPile.Allocation;

/// <summary>The segments of a pile, and the pages in them that no heap owns.</summary>
/// <remarks>
/// One lock, taken once for some hundreds of blocks. It is the innermost of the allocator's locks: nobody takes another one inside.
/// </remarks>
internal sealed unsafe partial class PagePool : IDisposable
{
    private readonly Lock _lock = new();
    private readonly SegmentMap _map;
    private readonly SegmentStore _store;
    private readonly long _limitBytes;
    private readonly Guid _pileId;
    private readonly Segment?[] _segments;
    private readonly List<Segment> _replaced = []; // which readers may still look at
    private int _segmentsEnd; // one past the highest number in use
    private int _firstWithSpace;
    private readonly SegmentGenerations _generations;

    internal PagePool(SegmentMap map, SegmentStore store, long limitBytes, Guid pileId, uint generationBase)
    {
        _map = map;
        _store = store;
        _limitBytes = limitBytes;
        _pileId = pileId;
        _generations = new SegmentGenerations(generationBase, store.Generations);
        _segments = new Segment?[map.Capacity];
    }

    /// <summary>Which runs changed, where somebody wants to know.</summary>
    internal ChangeList? Changes { get; init; }

    /// <summary>Takes which runs changed; false when that was more than was listed.</summary>
    internal bool TryTakeChanges(List<ulong> addresses)
    {
        lock (_lock)
            return Changes?.TryTake(addresses) ?? true;
    }

    /// <summary>Touches pages of a segment in the background, from the first up to the end; where that is of use.</summary>
    internal Action<Segment, int, int>? Touch { get; set; }

    /// <summary>Why the last attempt to grow failed, where the store said so.</summary>
    internal Exception? GrowthFailure { get; private set; }

    /// <summary>
    /// A page laid out for a class and owned by a heap, or null when there is none (and growing was not asked for or failed).
    /// </summary>
    internal PageMeta* TakePage(int sizeClass, int owner, bool mayGrow)
    {
        lock (_lock)
        {
            int page;
            Segment? segment;
            do
            {
                segment = FirstWithSpaceLocked() ?? (mayGrow ? GrowLocked(pages: 1) : null);
                if (segment == null)
                    return null;
                page = TakeFreePageLocked(segment);
            }
            while (page < 0);
            TouchAheadLocked(segment, page);
            LayOutLocked(segment, page, sizeClass);
            PageMeta* meta = segment.Metas + page;
            meta->Owner = owner;
            return meta;
        }
    }

    /// <summary>Takes back a page that holds nothing and that no heap knows any more.</summary>
    internal void ReturnPage(PageMeta* meta)
    {
        lock (_lock)
        {
            Segment segment = SegmentOf(meta);
            int page = PageIn(segment, meta);
            meta->Owner = PageMeta.NoOwner;
            FreeBitsBytes -= meta->BitsBytes;
            meta->Drop();
            FreeLocked(segment, page);
        }
    }

    /// <summary>Pages in a row for one large block: the record of the first, or null when there is no room.</summary>
    internal PageMeta* TakeRun(int pages, long payloadBytes)
    {
        lock (_lock)
        {
            Segment? segment = FindRunLocked(pages, out int first);
            if (segment == null)
                return null;
            PublishRunLocked(segment, first, pages);
            Changes?.Add(segment.Metas[first].FirstAddress);
            segment.Metas[first].IsRunFrozen = false;
            RunPages += pages;
            RunCount++;
            RunPayloadBytes += payloadBytes;
            return segment.Metas + first;
        }
    }

    /// <summary>Takes back a run whose header says free. A first page whose generation is used up is never given out again.</summary>
    /// <returns>Whether it is in quarantine.</returns>
    internal bool ReturnRun(PageMeta* meta, uint generation, long payloadBytes)
    {
        lock (_lock)
        {
            Segment segment = SegmentOf(meta);
            int first = PageIn(segment, meta);
            int pages = segment.WordOf(first).RunPages;
            meta->MaxGeneration = Math.Max(meta->MaxGeneration, generation);
            Changes?.Add(meta->FirstAddress);
            RunPages -= pages;
            RunCount--;
            RunPayloadBytes -= payloadBytes;
            if (meta->IsRunFrozen)
            {
                QuarantineRunLocked(meta, pages);
                return true;
            }
            for (int page = first; page < first + pages; page++)
                FreeLocked(segment, page);
            return false;
        }
    }

    /// <summary>The bytes that a run's block may have, header included.</summary>
    internal long RunBytes(PageMeta* meta)
    {
        Segment segment = SegmentOf(meta);
        return (long)segment.WordOf(PageIn(segment, meta)).RunPages * SizeClasses.PageBytes;
    }

    /// <summary>Gives back all pages of a run but its first.</summary>
    internal void CutRun(PageMeta* meta)
    {
        lock (_lock)
        {
            Segment segment = SegmentOf(meta);
            int first = PageIn(segment, meta);
            int end = first + segment.WordOf(first).RunPages;
            KillPoint.Pass(KillWindow.RunBeforeCut);
            segment.CutRun(first, 1);
            KillPoint.Pass(KillWindow.RunBeforeTailsFreed);
            for (int page = first; page < end; page++)
                Changes?.Add(segment.Metas[page].FirstAddress);
            for (int page = first + 1; page < end; page++)
                FreeLocked(segment, page);
            RunPages -= end - first - 1;
        }
    }

    internal void AdjustRunPayload(long deltaBytes)
    {
        lock (_lock)
            RunPayloadBytes += deltaBytes;
    }

    /// <summary>One past the highest segment number in use.</summary>
    internal int SegmentsEnd => Volatile.Read(ref _segmentsEnd);

    /// <summary>The segments that exist now.</summary>
    internal Segment[] Segments()
    {
        lock (_lock)
        {
            var all = new List<Segment>();
            for (int i = 0; i < _segmentsEnd; i++)
            {
                if (_segments[i] is { IsWithdrawn: false } segment && segment.Number == i)
                    all.Add(segment);
            }
            return [.. all];
        }
    }

    public void Dispose()
    {
        foreach (Segment segment in Segments())
            segment.Dispose();
        foreach (Segment segment in _replaced)
            segment.Dispose();
        _store.Dispose();
        Changes?.Dispose();
    }

    /// <summary>The segment that a page lies in.</summary>
    internal Segment SegmentOf(PageMeta* meta) => _segments[meta->FirstAddress / (ulong)(_map.SegmentBytes / SizeClasses.GranuleBytes)]!;

    /// <summary>The segment that an address lies in, if there is one.</summary>
    internal Segment? Find(ulong address)
    {
        Segment? segment = Volatile.Read(ref _segments[address / (ulong)(_map.SegmentBytes / SizeClasses.GranuleBytes)]);
        return segment is { IsWithdrawn: false } && segment.OffsetOf(address) < segment.Region.LengthBytes ? segment : null;
    }

    /// <summary>Whether a segment was not given back. Its memory then stays until the caller leaves the pile.</summary>
    internal bool IsInUse(Segment segment)
    {
        lock (_lock)
            return !segment.IsWithdrawn && ReferenceEquals(_segments[segment.Number], segment);
    }

    /// <summary>A page's number within its segment.</summary>
    internal static int PageIn(Segment segment, PageMeta* meta) => (int)(meta - segment.Metas);

    // The generation rises with each use of a page, whatever became of its slots: so of two words of a page the younger one is known.
    private void FreeLocked(Segment segment, int page)
    {
        PageMeta* meta = segment.Metas + page;
        uint generation = Math.Max(meta->MaxGeneration, Math.Min(segment.WordOf(page).GenerationBase + 1, PilePointer.MaxGeneration));
        meta->MaxGeneration = generation;
        segment.Unpublish(page, generation);
        if (generation < PilePointer.MaxGeneration)
            AddFreePageLocked(segment, page);
    }

    private void AddFreePageLocked(Segment segment, int page)
    {
        segment.AddFreePage(page);
        FreePages++;
        _firstWithSpace = Math.Min(_firstWithSpace, segment.Number);
        WantsTrim = FreePages > _trimAbovePages;
    }

    private Segment? FirstWithSpaceLocked()
    {
        for (; _firstWithSpace < _segmentsEnd; _firstWithSpace++)
        {
            if (_segments[_firstWithSpace] is { FreePageCount: > 0 } segment)
                return segment;
        }
        return null;
    }

    private void LayOutLocked(Segment segment, int page, int sizeClass)
    {
        PageMeta* meta = segment.Metas + page;
        uint generation = meta->MaxGeneration;
        FreePages--;
        _trimAbovePages = Math.Min(_trimAbovePages, NextTrimAbove(FreePages));
        meta->LayOut(sizeClass, allFree: true);
        FreeBitsBytes += meta->BitsBytes;
        KillPoint.Pass(KillWindow.PageBeforeSlotsCleared);
        if (generation != 0 && !Fault.SlotsUncleared)
            segment.ClearSlots(page, meta->SlotBytes, generation);
        KillPoint.Pass(KillWindow.PageBeforeWord);
        segment.Publish(page, PageWord.Slots(sizeClass, generation), SizeClasses.InfoOf(sizeClass));
    }

    // Generation base 0 is a page that was never used: all zero, which is free slots of generation 0. Any other holds old bytes.
    internal static void MarkUsed(PageMeta* page) => page->MaxGeneration = Math.Max(page->MaxGeneration, 1);

    private Segment? FindRunLocked(int pages, out int first)
    {
        for (int i = _firstWithSpace; i < _segmentsEnd; i++)
        {
            if (_segments[i] is not { } segment || segment.Number != i || segment.FreePageCount < pages)
                continue;
            first = TakeFreeRunLocked(segment, pages);
            if (first >= 0)
                return segment;
        }
        Segment? grown = GrowLocked(pages);
        first = grown == null ? -1 : TakeFreeRunLocked(grown, pages);
        return first >= 0 ? grown : null;
    }

    private void PublishRunLocked(Segment segment, int first, int pages)
    {
        PageMeta* meta = segment.Metas + first;
        FreePages -= pages;
        for (int page = 0; page < pages; page++)
            MarkUsed(meta + page);
        *(ulong*)meta->Start = BlockHeader.Free(meta->MaxGeneration).Word;
        for (int page = first + pages - 1; page > first; page--)
            segment.Publish(page, PageWord.RunTail(segment.Metas[page].MaxGeneration), default);
        KillPoint.Pass(KillWindow.RunBeforeFirstPage);
        segment.Publish(first, PageWord.RunHead(pages, meta->MaxGeneration), PageInfo.OfRun());
    }
}
