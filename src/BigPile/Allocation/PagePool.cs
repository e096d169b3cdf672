using System;
using System.Diagnostics;
using System.Threading;
using BigPile.Memory.Concurrency;

namespace BigPile.Allocation;

/// <summary>The segments of a pile, and the pages that no heap owns.</summary>
/// <remarks>
/// One lock protects all parts: the segment table, free pages, pages of slots and runs. It is taken once for some hundreds of blocks. Who
/// adds or withdraws segments holds the growth lock as well, and that one alone while the store is at work. <see cref="Allocator"/> states
/// their places in the lock order.
/// </remarks>
internal sealed unsafe partial class PagePool : IDisposable
{
    private readonly Lock _lock = new(); // protects all parts, and the metadata of pages without an owner
    private readonly SegmentSource _source;
    private readonly ChangedPages _changed; // pages with runs that changed
    private readonly SegmentTable _segments; // segments by number
    private readonly SuspectPages _suspects; // free pages to search before use, after a power cut
    private readonly FreePages _free; // free pages of all segments
    private readonly SlotPages _slots; // lays out pages of slots
    private readonly Runs _runs; // pages of large blocks
    private readonly TouchAhead _touch; // touches pages before they are needed
    private readonly SegmentGrowth _growth; // adds segments
    private readonly SegmentTrim _trim; // gives empty segments back
    private readonly WithheldPages _withheld; // free pages that are not used for now
    private readonly EventCount _transferEvents;

    internal PagePool(
        SegmentMap map, SegmentStore store, long limitBytes, Guid pileId, uint generationBase, EventCount transferEvents,
        bool tracksFlushed = false)
    {
        _transferEvents = transferEvents;
        var generations = new SegmentGenerations(Math.Max(generationBase, store.LeastGeneration), store.Generations);
        _source = new SegmentSource(map, store, limitBytes, pileId);
        TracksFlushed = tracksFlushed;
        _changed = new ChangedPages(tracksFlushed ? Allocator.FirstSnapshot : 0);
        _segments = new SegmentTable(map, _lock);
        _suspects = new SuspectPages(_lock);
        _free = new FreePages(_segments, _suspects, _changed, _lock);
        _withheld = new WithheldPages(_free, _lock);
        _slots = new SlotPages(_segments, _free, _changed, _lock);
        _runs = new Runs(_segments, _free, _changed, _lock);
        _touch = new TouchAhead();
        Allowance = new Allowance(_source, _segments, _withheld, _lock);
        _growth = new SegmentGrowth(_source, _segments, _free, generations, tracksFlushed, _lock);
        _trim = new SegmentTrim(store, _segments, _free, _suspects, generations, _growth, _lock);
    }

    /// <summary>Whether each slot and run has a flushed bit: in mapped piles.</summary>
    internal bool TracksFlushed { get; }

    /// <summary>Sets the epoch of the flush log that pages are laid out in from now on. No writer may run.</summary>
    internal void BeginEpoch(long epoch) => _slots.Epoch = epoch;

    /// <summary>Touches pages of a segment in the background, from the first to before the end; null where that is of no use.</summary>
    internal Action<Segment, int, int>? Touch
    {
        get => _touch.Touch;
        set => _touch.Touch = value;
    }

    /// <summary>Adds segments.</summary>
    internal SegmentGrowth Growth => _growth;

    /// <summary>How much of its limit the pile may use for now.</summary>
    internal Allowance Allowance { get; }

    /// <summary>Makes the segment that was requested while there were free pages.</summary>
    internal void MakeSpare() => _growth.MakeSpare(() => Allowance.GrowableBytes);

    /// <summary>Whether blocks that stay have groups of pages of their own.</summary>
    internal PageSeparation Separation { get; } = new();

    /// <summary>Has the groups of some pages of a segment be for blocks that stay, though others lie there.</summary>
    internal void Reserve(Segment segment, int first, int pages)
    {
        lock (_lock)
        {
            if (_segments.IsInUse(segment))
                _free.Reserve(segment, first, pages);
        }
    }

    /// <summary>Marks the page of a block that may be evicted as one for others. The caller is in a critical region.</summary>
    internal void MarkGuest(ulong address)
    {
        Segment segment = _segments.Find(address)!;
        segment.Metas[segment.PageOf(address)].HasGuests = true;
    }

    internal long LimitBytes => _source.LimitBytes;

    internal StoreKind StoreKind => _source.Store.Kind;

    /// <summary>
    /// Lays out a free page of a kind for a heap; null when there is none, and growing is not allowed or has failed. It begins a
    /// transfer, which the caller ends once the page is attached: other threads may use most of its slots, and find them only then.
    /// </summary>
    internal PageMeta* TakePage(int kind, int owner, bool mayGrow)
    {
        PageUse use = Separation.UseFor(PageKind.IsEvictable(kind));
        PageMeta* page = TakePage(kind, owner, use);
        if (page != null || !mayGrow)
            return page;
        lock (_growth.Growing)
        {
            page = TakePage(kind, owner, use); // who held the lock has grown
            if (page != null)
                return page;
            Segment? made = Make(pages: 1);
            lock (_lock) // so that nobody takes its last page in between
            {
                AttachLocked(made);
                page = TakePage(kind, owner, use);
                // Blocks that may be evicted take other pages once the pile can't grow: they do no harm there.
                return page == null && use == PageUse.Evictable ? TakePage(kind, owner, PageUse.Any) : page;
            }
        }
    }

    /// <summary>Takes back an empty page that no heap refers to.</summary>
    internal void ReturnPage(PageMeta* meta)
    {
        lock (_lock)
            _slots.Return(meta);
    }

    /// <summary>Whether a page is free that a block may take; one that may be evicted takes any in the end.</summary>
    internal bool HasFreePage(bool isEvictable)
    {
        lock (_lock)
        {
            // A store that has just refused has no space for these either.
            return _growth.Failure == null && FirstFor(isEvictable ? PageUse.Any : Separation.UseFor(isEvictable)) != null;
        }
    }

    /// <summary>
    /// Takes consecutive pages for one large block: the metadata of the first; null when there are none, and growing is not allowed or has
    /// failed.
    /// </summary>
    internal PageMeta* TakeRun(int pages, long payloadBytes, bool isEvictable, bool mayGrow)
    {
        Debug.Assert(pages > 0, "A run has a first page.");
        PageUse use = Separation.UseFor(isEvictable);
        PageMeta* run = TakeRun(pages, payloadBytes, use);
        if (run == null && mayGrow)
        {
            lock (_growth.Growing)
            {
                run = TakeRun(pages, payloadBytes, use); // who held the lock has grown
                Segment? made = run == null ? Make(pages) : null;
                lock (_lock) // so that nobody takes pages of it in between
                {
                    AttachLocked(made);
                    run = run == null ? TakeRun(pages, payloadBytes, use) : run;
                }
            }
        }
        return run == null && use == PageUse.Evictable ? TakeRun(pages, payloadBytes, PageUse.Any) : run;
    }

    /// <summary>Frees a run whose header already says free. A first page whose generation is exhausted is never used again.</summary>
    /// <returns>Whether the run is pending until a flush.</returns>
    internal bool ReturnRun(PageMeta* meta, uint generation, long payloadBytes)
    {
        lock (_lock)
            return _runs.Return(meta, generation, payloadBytes);
    }

    /// <summary>The capacity in bytes of a run's block, header included.</summary>
    internal long RunBytes(PageMeta* meta) => _runs.BytesOf(meta);

    /// <summary>Frees all pages of a run but its first.</summary>
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

    /// <summary>One past the highest segment number that was ever in use.</summary>
    internal int SegmentsEnd => _segments.End;

    /// <summary>A copy of the list of segments.</summary>
    internal Segment[] Segments()
    {
        lock (_lock)
            return [.. _segments.All()];
    }

    public void Dispose()
    {
        _growth.Dispose();
        foreach (Segment segment in Segments())
            segment.Dispose();
        foreach (Segment segment in TakeDropped())
            segment.Dispose();
        _source.Store.Dispose();
    }

    internal Segment SegmentOf(PageMeta* meta) => _segments.Of(meta);

    /// <summary>The segment that an address lies in, if there is one.</summary>
    internal Segment? Find(ulong address) => _segments.Find(address);

    /// <summary>Whether a segment is in use. If so, its memory stays until the caller leaves its critical region.</summary>
    internal bool IsInUse(Segment segment)
    {
        lock (_lock)
            return _segments.IsInUse(segment);
    }

    internal static int PageIn(Segment segment, PageMeta* meta) => segment.IndexOf(meta);

    private PageMeta* TakePage(int kind, int owner, PageUse use)
    {
        lock (_lock)
        {
            while (FirstFor(use) is { } segment)
            {
                int page = _free.TakePage(segment, use);
                if (page < 0)
                    continue;
                if (!_growth.TryAllocate(segment, page + 1))
                {
                    _free.PutBack(segment, page);
                    if (!_free.TryTakeAllocated(pages: 1, use, out segment, out page))
                        return null;
                }
                _touch.OnPageTaken(segment, page);
                _growth.RequestSpare(Allowance.GrowableBytes);
                PageMeta* meta = _slots.LayOut(segment, page, kind, owner);
                _transferEvents.Begin();
                return meta;
            }
            return null;
        }
    }

    private PageMeta* TakeRun(int pages, long payloadBytes, PageUse use)
    {
        lock (_lock)
        {
            if (_free.TakeRun(pages, use, out int first) is not { } segment)
                return null;
            if (!_growth.TryAllocate(segment, first + pages))
            {
                _free.PutBack(segment, first, pages);
                if (!_free.TryTakeAllocated(pages, use, out segment, out first))
                    return null;
            }
            _growth.RequestSpare(Allowance.GrowableBytes);
            return _runs.LayOut(segment, first, pages, payloadBytes);
        }
    }

    private Segment? FirstFor(PageUse use) => _free.First(use) ?? (use == PageUse.Lasting ? _free.ReserveGroup() : null);

    // The growth lock is held. Null also where segments that could not be given back have so many pages.
    private Segment? Make(int pages) =>
        _trim.IdleCount != 0 && _trim.PutBackIdle() >= pages ? null : _growth.Make(pages, Allowance.GrowableBytes);

    private void AttachLocked(Segment? made)
    {
        if (made == null)
            return;
        _growth.Attach(made);
        Allowance.OnGrown();
    }
}

/// <summary>Where a pool takes its memory from, and how much of it.</summary>
/// <param name="Map">Finds segments by address, for readers.</param>
/// <param name="Store">Creates and removes segments.</param>
/// <param name="LimitBytes">The most bytes of all segments together.</param>
/// <param name="PileId">The pile's id, for the heads of segments.</param>
internal sealed record SegmentSource(SegmentMap Map, SegmentStore Store, long LimitBytes, Guid PileId);
