using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;

namespace BigPile.Allocation;

/// <summary>The segments of a pile, and the pages in them that no heap owns.</summary>
/// <remarks>
/// One lock, taken once for some hundreds of blocks, and held for all that the parts do: the table of segments, their free pages, pages of
/// slots, runs, growing and trimming. <see cref="Allocator"/> says where it stands in the order of locks.
/// </remarks>
internal sealed unsafe partial class PagePool : IDisposable
{
    private readonly Lock _lock = new();
    private readonly SegmentSource _source;
    private readonly DirtyList _dirty;
    private readonly SegmentTable _segments;
    private readonly SuspectPages _suspects;
    private readonly FreePages _free;
    private readonly SlotPages _slots;
    private readonly Runs _runs;
    private readonly TouchAhead _touch;
    private readonly SegmentGrowth _growth;
    private readonly SegmentTrim _trim;
    private readonly ReclaimEvents _reclaimEvents;

    internal PagePool(
        SegmentMap map, SegmentStore store, long limitBytes, Guid pileId, uint generationBase, ReclaimEvents reclaimEvents,
        bool tracksFlushed = false)
    {
        _reclaimEvents = reclaimEvents;
        var generations = new SegmentGenerations(Math.Max(generationBase, store.LeastGeneration), store.Generations);
        _source = new SegmentSource(map, store, limitBytes, pileId);
        TracksFlushed = tracksFlushed;
        _dirty = new DirtyList(tracksFlushed ? DirtyList.Capacity : 0);
        _segments = new SegmentTable(map, _lock);
        _suspects = new SuspectPages(_lock);
        _free = new FreePages(_segments, _suspects, reclaimEvents, _lock);
        _slots = new SlotPages(_segments, _free, _lock);
        _runs = new Runs(_segments, _free, _dirty, _lock);
        _touch = new TouchAhead(store, _segments, map.SegmentBytes, limitBytes);
        _growth = new SegmentGrowth(_source, _segments, _free, generations, tracksFlushed, _lock);
        _trim = new SegmentTrim(store, _segments, _free, _suspects, generations, _lock);
    }

    /// <summary>Whether it is known of each block whether it is frozen: in mapped piles.</summary>
    internal bool TracksFlushed { get; }

    /// <summary>States the epoch of the flush log that pages are laid out in from now on. Nobody is inside the pile.</summary>
    internal void BeginEpoch(long epoch) => _slots.Epoch = epoch;

    /// <summary>Takes which runs changed; false when that was more than was listed.</summary>
    internal bool TryTakeDirty(List<ulong> addresses)
    {
        lock (_lock)
            return _dirty.TryTake(addresses);
    }

    /// <summary>Touches pages of a segment in the background, from the first up to the end; where that is of use.</summary>
    internal Action<Segment, int, int>? Touch
    {
        get => _touch.Touch;
        set => _touch.Touch = value;
    }

    /// <summary>Why the last attempt to grow failed, where the store said so.</summary>
    internal Exception? GrowthFailure => _growth.Failure;

    /// <summary>
    /// A page laid out for a class and owned by a heap, or null when there is none (and growing was not asked for or failed). The caller
    /// states the end of giving it back once others can find it: its heap has many slots of it to spare.
    /// </summary>
    internal PageMeta* TakePage(int sizeClass, int owner, bool mayGrow)
    {
        lock (_lock)
        {
            int page;
            Segment? segment;
            do
            {
                segment = _free.First() ?? (mayGrow ? GrowLocked(pages: 1) : null);
                if (segment == null)
                    return null;
                page = _free.TakePage(segment);
            }
            while (page < 0);
            _touch.OnPageTaken(segment, page);
            PageMeta* meta = _slots.LayOut(segment, page, sizeClass, owner);
            _reclaimEvents.Begin();
            return meta;
        }
    }

    /// <summary>Takes back a page that holds nothing and that no heap knows any more.</summary>
    internal void ReturnPage(PageMeta* meta)
    {
        lock (_lock)
            _slots.Return(meta);
    }

    /// <summary>Whether a page that exists can be had.</summary>
    internal bool HasFreePage()
    {
        lock (_lock)
            return _free.First() != null;
    }

    /// <summary>
    /// Pages in a row for one large block: the record of the first, or null when there are none (and growing was not asked for or failed).
    /// </summary>
    internal PageMeta* TakeRun(int pages, long payloadBytes, bool mayGrow)
    {
        Debug.Assert(pages > 0, "A run has a first page.");
        lock (_lock)
        {
            Segment? segment = _free.TakeRun(pages, out int first);
            if (segment == null && mayGrow && GrowLocked(pages) is { } grown)
            {
                segment = grown;
                first = _free.TakeRun(grown, pages);
            }
            return first < 0 ? null : _runs.LayOut(segment!, first, pages, payloadBytes);
        }
    }

    /// <summary>Takes back a run whose header says free. A first page whose generation is used up is never given out again.</summary>
    /// <returns>Whether it is in quarantine.</returns>
    internal bool ReturnRun(PageMeta* meta, uint generation, long payloadBytes)
    {
        lock (_lock)
            return _runs.Return(meta, generation, payloadBytes);
    }

    /// <summary>The bytes that a run's block may have, header included.</summary>
    internal long RunBytes(PageMeta* meta) => _runs.BytesOf(meta);

    /// <summary>Gives back all pages of a run but its first.</summary>
    internal void CutRun(PageMeta* meta)
    {
        lock (_lock)
            _runs.Cut(meta);
    }

    internal void AdjustRunPayload(long deltaBytes)
    {
        lock (_lock)
            _runs.AdjustPayload(deltaBytes);
    }

    /// <summary>One past the highest segment number in use.</summary>
    internal int SegmentsEnd => _segments.End;

    /// <summary>The segments that exist now.</summary>
    internal Segment[] Segments()
    {
        lock (_lock)
            return [.. _segments.All()];
    }

    public void Dispose()
    {
        foreach (Segment segment in Segments())
            segment.Dispose();
        foreach (Segment segment in TakeDropped())
            segment.Dispose();
        _source.Store.Dispose();
        _dirty.Dispose();
    }

    /// <summary>The segment that a page lies in.</summary>
    internal Segment SegmentOf(PageMeta* meta) => _segments.Of(meta);

    /// <summary>The segment that an address lies in, if there is one.</summary>
    internal Segment? Find(ulong address) => _segments.Find(address);

    /// <summary>Whether a segment was not given back. Its memory then stays until the caller leaves the pile.</summary>
    internal bool IsInUse(Segment segment)
    {
        lock (_lock)
            return _segments.IsInUse(segment);
    }

    /// <summary>A page's number within its segment.</summary>
    internal static int PageIn(Segment segment, PageMeta* meta) => segment.IndexOf(meta);

    private Segment? GrowLocked(int pages)
    {
        _growth.Begin();
        if (_trim.IdleCount != 0 && _trim.PutBackIdle() is { } idle && idle.FreePageCount >= pages)
            return idle;
        return _growth.Grow(pages);
    }
}
