using System;
using System.Collections.Generic;
using System.Linq;
using BigPile.Allocation;
using BigPile.Layout;
using BigPile.Memory.Concurrency;

namespace BigPile.Tests.Allocation;

/// <summary>Blocks that stay and blocks that may be evicted lie in groups of pages of their own.</summary>
public sealed unsafe class PageGroupTests : IDisposable
{
    private const int SegmentBytes = 8 << 20;
    private const int Segments = 4;

    private readonly SegmentMap _map = new(SegmentBytes);
    private readonly EventCount _events = new();
    private readonly PagePool _pool;
    private readonly List<(nint Page, bool IsEvictable)> _taken = [];

    public PageGroupTests()
    {
        var store = new MemorySegmentStore(StoreKind.Native, hugePages: false);
        _pool = new PagePool(_map, store, Segments * SegmentBytes, Guid.NewGuid(), 0, _events);
        _pool.Separation.Begin();
    }

    public void Dispose()
    {
        _pool.Dispose();
        _map.Dispose();
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(3)]
    public void No_group_has_both_before_the_pile_is_full(int seed)
    {
        var random = new Random(seed);
        for (int step = 0; step < 3_000 && _pool.ReservedBytes < Segments * SegmentBytes; step++)
        {
            if (random.Next(5) == 0 && _taken.Count != 0)
                Return(random.Next(_taken.Count));
            else
                Assert.True(Take(isEvictable: random.Next(4) != 0, random.Next(3) == 0 ? random.Next(1, 50) : 1));
            Assert.DoesNotContain(Groups(), static group => group.Distinct().Count() > 1);
            _pool.CheckInvariants();
        }
        Assert.Contains(Groups(), static group => group.First());
        Assert.Contains(Groups(), static group => !group.First());
    }

    [Fact]
    public void Blocks_that_may_go_take_all_that_is_left_and_those_that_stay_do_not()
    {
        Assert.True(Take(isEvictable: false, 1));
        while (Take(isEvictable: true, 1))
            continue;
        Assert.Equal(0, _pool.FreePages); // also those of the group with the one that stays
        Return(_taken.FindIndex(taken => _pool.SegmentOf((PageMeta*)taken.Page).Number == 1)); // where all may go
        Assert.False(Take(isEvictable: false, 1));
        Assert.True(_pool.HasFreePage(isEvictable: true));
        Assert.False(_pool.HasFreePage(isEvictable: false));
        Assert.True(_pool.Separation.TryMix());
        Assert.True(_pool.HasFreePage(isEvictable: false));
        Assert.True(Take(isEvictable: false, 1));
        _pool.CheckInvariants();
    }

    [Theory]
    [InlineData(1)]
    [InlineData(40)]
    public void A_group_that_is_empty_again_is_for_either(int pages)
    {
        Assert.True(Take(isEvictable: false, pages));
        Return(0);
        while (Take(isEvictable: true, 1))
            continue;
        Assert.Equal(0, _pool.FreePages);
        while (_taken.Count != 0)
            Return(_taken.Count - 1);
        while (Take(isEvictable: false, pages))
            continue;
        Assert.InRange(_pool.FreePages, 0, Segments * (pages - 1));
        _pool.CheckInvariants();
    }

    [Fact]
    public void A_group_reserved_while_others_lie_there_gets_those_that_stay()
    {
        while (Take(isEvictable: true, 1))
            continue;
        Segment segment = _pool.Segments()[1];
        _pool.Reserve(segment, Segment.GroupPages, Segment.GroupPages);
        Return(_taken.FindIndex(taken => ((PageMeta*)taken.Page) == segment.Metas + Segment.GroupPages + 3));
        Assert.True(Take(isEvictable: false, 1));
        Assert.Equal(Segment.GroupPages + 3, segment.IndexOf((PageMeta*)_taken[^1].Page));
        _pool.CheckInvariants();
    }

    private bool Take(bool isEvictable, int pages)
    {
        PageMeta* page = pages == 1
            ? _pool.TakePage(PageKind.Of(3, isEvictable), owner: 0, mayGrow: true)
            : _pool.TakeRun(pages, 0, isEvictable, mayGrow: true);
        if (page == null)
            return false;
        if (pages == 1)
            _events.End();
        _taken.Add(((nint)page, isEvictable));
        return true;
    }

    private void Return(int index)
    {
        var page = (PageMeta*)_taken[index].Page;
        _taken.RemoveAt(index);
        if (page->FreeBits != null)
            _pool.ReturnPage(page);
        else
            _pool.ReturnRun(page, new BlockHeader(*(ulong*)page->Start).Freed.Generation, 0);
    }

    // Of each group with a block: whether each of its pages may be evicted.
    private IEnumerable<IEnumerable<bool>> Groups() =>
        _taken.SelectMany(taken =>
        {
            var page = (PageMeta*)taken.Page;
            Segment segment = _pool.SegmentOf(page);
            int first = segment.IndexOf(page);
            int pages = page->FreeBits != null ? 1 : segment.WordOf(first).RunPages;
            return Enumerable.Range(first, pages).Select(at => (Group: (segment.Number, at / Segment.GroupPages), taken.IsEvictable));
        }).GroupBy(static page => page.Group, static page => page.IsEvictable);
}
