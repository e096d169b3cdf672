using System;
using System.Collections.Generic;
using System.Linq;
using BigPile.Allocation;
using BigPile.Layout;
using BigPile.Memory.Concurrency;

namespace BigPile.Tests.Allocation;

/// <summary>A pool, and beside it what each page of each segment is used for; both take the same random steps.</summary>
internal sealed unsafe partial class PagePoolModel : IDisposable
{
    private const long SegmentBytes = 1 << 20;
    private const long LimitBytes = 7 * SegmentBytes + SegmentBytes / 2; // the last one is shorter
    private const int PagesPerSegment = (int)(SegmentBytes / SizeClasses.PageBytes);

    private readonly Random _random;
    private readonly FlakySegmentStore _store;
    private readonly SegmentMap _map = new(SegmentBytes);
    private readonly PagePool _pool;
    private readonly SortedDictionary<int, ModelSegment> _segments = [];
    private readonly Dictionary<int, uint> _reached = []; // the highest generation of the segments that a number had
    private readonly List<nint> _slotPages = [];
    private readonly EventCount _transferEvents = new();
    private readonly List<Run> _runs = [];
    private readonly List<Run> _pendingFrees = [];
    private readonly HashSet<ulong> _changes = [];
    private List<Segment> _withdrawn = [];
    private int _snapshot = Allocator.FirstSnapshot;

    internal PagePoolModel(int seed, uint generationBase, int failsOneOf)
    {
        _random = new Random(seed);
        _store = new FlakySegmentStore(new Random(seed + 1)) { FailsOneOf = failsOneOf };
        _pool = new PagePool(_map, _store, LimitBytes, Guid.NewGuid(), generationBase, _transferEvents, tracksFlushed: true);
    }

    internal int Trimmed { get; private set; }

    internal int Cut { get; private set; }

    internal int Exhausted { get; private set; }

    internal long Released { get; private set; }

    internal int Failures => _store.Failures;

    internal void Step()
    {
        switch (_random.Next(40))
        {
            case < 12:
                TakePage();
                break;
            case < 20:
                TakeRun();
                break;
            case < 26:
                Some(_slotPages, ReturnPage);
                break;
            case < 32:
                Some(_runs, ReturnRun);
                break;
            case < 34:
                CutRun();
                break;
            case < 37:
                Flush();
                break;
            case 37:
                Some(_slotPages, ReturnPage, all: true);
                Some(_runs, ReturnRun, all: true);
                break;
            default:
                Trim();
                break;
        }
        Check();
    }

    public void Dispose()
    {
        _store.FailsOneOf = 0;
        _pool.Release(_withdrawn);
        _pool.Dispose();
        _map.Dispose();
    }

    private void TakePage()
    {
        bool mayGrow = _random.Next(3) != 0;
        (int Number, int Page)? expected = FirstFit(1);
        PageMeta* page = _pool.TakePage(_random.Next(SizeClasses.Count), owner: 0, mayGrow);
        if (page == null)
        {
            Assert.False(_transferEvents.IsUnderWay);
            CheckRefused(expected, 1, mayGrow);
            return;
        }
        Assert.True(_transferEvents.IsUnderWay);
        _transferEvents.End();
        ModelSegment segment = PlaceOf(page, expected, out int at);
        Assert.True(expected != null || mayGrow);
        Assert.True(page->IsAllFree && page->Owner == 0 && segment.Segment.WordOf(at).SizeClass == page->SizeClass);
        segment.Use(at, 1, isRun: false);
        _slotPages.Add((nint)page);
    }

    private void TakeRun()
    {
        int pages = _random.Next(8) == 0 ? _random.Next(PagesPerSegment, 2 * PagesPerSegment) : _random.Next(1, 6);
        long payloadBytes = pages * (long)SizeClasses.PageBytes - BlockHeader.SizeBytes;
        (int Number, int Page)? expected = FirstFit(pages);
        PageMeta* meta = _pool.TakeRun(pages, payloadBytes, isEvictable: false, mayGrow: true);
        if (meta == null)
        {
            CheckRefused(expected, pages, mayGrow: true);
            return;
        }
        ModelSegment segment = PlaceOf(meta, expected, out int at);
        segment.Use(at, pages, isRun: true);
        var header = new BlockHeader(*(ulong*)meta->Start);
        Assert.Equal(segment.Generations[at], header.Generation);
        *(ulong*)meta->Start = new BlockHeader(BlockKind.Bytes, header.Generation, (ulong)payloadBytes).Word;
        _runs.Add(new Run((nint)meta, pages, payloadBytes));
        _changes.Add(meta->FirstAddress);
    }

    // The lowest page of the lowest segment.
    private (int Number, int Page)? FirstFit(int pages)
    {
        foreach ((int number, ModelSegment segment) in _segments)
        {
            if (segment.FirstFree(pages) is >= 0 and int page)
                return (number, page);
        }
        return null;
    }

    private ModelSegment PlaceOf(PageMeta* meta, (int Number, int Page)? expected, out int page)
    {
        Segment segment = _pool.SegmentOf(meta);
        page = segment.IndexOf(meta);
        Assert.Equal(expected ?? (segment.Number, segment.HeadPages), (segment.Number, page)); // of one that came for it, the first
        if (_segments.TryGetValue(segment.Number, out ModelSegment? known))
            return known;
        Assert.Null(expected);
        return RecordGrown(segment);
    }

    private ModelSegment RecordGrown(Segment segment)
    {
        // those of the pages that were taken meanwhile are what their words say, too
        var grown = new ModelSegment(segment);
        for (int i = 0; i < Spans(segment); i++)
            Assert.True(grown.Generations.Skip(segment.HeadPages).Min() >= _reached.GetValueOrDefault(segment.Number + i));
        Assert.DoesNotContain(_segments.Values, other => other.Segment.Number < segment.Number + Spans(segment)
            && segment.Number < other.Segment.Number + Spans(other.Segment));
        _segments.Add(segment.Number, grown);
        return grown;
    }

    private void CheckRefused((int Number, int Page)? expected, int pages, bool mayGrow)
    {
        Assert.Null(expected);
        if (mayGrow && _pool.Growth.Failure == null)
            Assert.True(LimitBytes - _pool.ReservedBytes < (pages + 2L) * SizeClasses.PageBytes || pages >= PagesPerSegment - 1);
    }

    private void Some<T>(List<T> from, Action<T> action, bool all = false)
    {
        for (int count = all ? from.Count : Math.Min(from.Count, _random.Next(1, 8)); count > 0; count--)
        {
            int index = _random.Next(from.Count);
            T one = from[index];
            from.RemoveAt(index);
            action(one);
        }
    }

    private void ReturnPage(nint page)
    {
        var meta = (PageMeta*)page;
        uint reached = Math.Min(meta->MaxGeneration + (uint)_random.Next(3), PilePointer.MaxGeneration); // as slots were freed
        meta->MaxGeneration = reached;
        _pool.ReturnPage(meta);
        Free(meta, 1, reached);
    }

    private void ReturnRun(Run run)
    {
        BlockHeader freed = new BlockHeader(*(ulong*)run.Meta->Start).Freed;
        *(ulong*)run.Meta->Start = freed.Word;
        Assert.Equal(run.Pages * (long)SizeClasses.PageBytes, _pool.RunBytes(run.Meta));
        Assert.Equal(run.IsFlushed, _pool.ReturnRun(run.Meta, freed.Generation, run.PayloadBytes));
        _changes.Add(run.Meta->FirstAddress);
        if (run.IsFlushed)
            _pendingFrees.Add(run);
        else
            Free(run.Meta, run.Pages, freed.Generation);
    }

    private void Free(PageMeta* meta, int pages, uint reached)
    {
        Segment segment = _pool.SegmentOf(meta);
        Exhausted += _segments[segment.Number].Free(segment.IndexOf(meta), pages, reached);
    }

    private void CutRun()
    {
        if (_runs.Find(static run => run.Pages > 1) is not { } run)
            return;
        long keptBytes = SizeClasses.PageBytes / 2;
        _pool.AdjustRunPayload(keptBytes - run.PayloadBytes);
        _pool.CutRun(run.Meta);
        for (int page = 0; page < run.Pages; page++)
            _changes.Add(run.Meta[page].FirstAddress);
        if (run.Pages > 1)
            Free(run.Meta + 1, run.Pages - 1, 0);
        _runs[_runs.IndexOf(run)] = run with { Pages = 1, PayloadBytes = keptBytes };
        Cut++;
    }

    private void Trim()
    {
        if (_withdrawn.Count != 0)
        {
            _pool.Release(_withdrawn);
            _withdrawn = [];
            return;
        }
        _withdrawn = _pool.WithdrawEmpty(keepsSome: false, out Exception? failure);
        foreach (Segment segment in _withdrawn)
        {
            Assert.True(_segments.Remove(segment.Number, out ModelSegment? gone) && gone.IsEmpty);
            for (int i = 0; i < Spans(segment); i++)
                _reached[segment.Number + i] = gone.Highest;
        }
        Trimmed += _withdrawn.Count;
        bool isAll = _segments.Count <= 1 || !_segments.Values.Any(
            static segment => segment.IsEmpty && segment.Highest <= SegmentGenerations.MostToGiveBack);
        Assert.True(isAll || failure != null);
    }

    private void Check()
    {
        _pool.CheckInvariants();
        Assert.Equal(_segments.Values.Select(static segment => segment.Segment), _pool.Segments());
        long leaving = _withdrawn.Sum(static segment => (long)segment.PageCount - segment.HeadPages);
        Assert.Equal(_segments.Values.Sum(static segment => segment.FreeCount) + leaving, _pool.FreePages);
        Assert.Equal(
            _segments.Values.Select(static segment => segment.Segment).Concat(_withdrawn).Sum(static segment => segment.Region.LengthBytes),
            _pool.ReservedBytes);
        Assert.True(_pool.ReservedBytes <= LimitBytes);
        Assert.Equal(_runs.Count, _pool.RunCount);
        Assert.Equal(_runs.Sum(static run => run.Pages), _pool.RunPages);
        Assert.Equal(_runs.Sum(static run => run.PayloadBytes), _pool.RunPayloadBytes);
        Assert.Equal(_pendingFrees.Sum(static run => run.Pages), _pool.PendingFreePages);
    }

    private static int Spans(Segment segment) => (segment.PageCount + PagesPerSegment - 1) / PagesPerSegment;

    private sealed record Run(nint At, int Pages, long PayloadBytes)
    {
        internal PageMeta* Meta => (PageMeta*)At;

        internal bool IsFlushed { get; set; }
    }
}
