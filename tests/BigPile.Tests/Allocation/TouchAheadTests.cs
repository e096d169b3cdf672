using System;
using System.Collections.Generic;
using BigPile.Allocation;
using BigPile.Lifecycle;

namespace BigPile.Tests.Allocation;

public sealed class TouchAheadTests : IDisposable
{
    private const int SegmentBytes = 64 << 20;

    private readonly Pile _pile = new(new PileOptions { SegmentBytes = SegmentBytes });
    private readonly List<(Segment Segment, int First, int End, int Used)> _requests = [];

    public TouchAheadTests() => _pile.Blocks.Allocator.Pool.Touch = (segment, first, end) =>
        _requests.Add((segment, first, end, segment.PageCount - segment.FreePageCount));

    public void Dispose() => _pile.Dispose();

    [Fact]
    public void A_small_pile_touches_nothing_ahead()
    {
        Fill(1 << 19);
        Assert.Empty(_requests);
    }

    [Fact]
    public void A_segment_is_touched_once_from_front_to_end_and_ahead_of_its_use()
    {
        Fill(SegmentBytes * 3 / 2);
        int end = 0;
        Segment first = _requests[0].Segment;
        foreach ((Segment segment, int from, int to, int used) in _requests.FindAll(request => ReferenceEquals(request.Segment, first)))
        {
            Assert.True(from >= used, $"page {from} was touched when {used} were in use");
            Assert.True(end == 0 || from == end, $"from {end} to {from} nothing was touched");
            Assert.InRange(to - from, 1, Math.Max(used, 32));
            Assert.True(to <= segment.PageCount);
            end = to;
        }
        Assert.Equal(first.PageCount, end);
        Assert.Contains(_requests, request => !ReferenceEquals(request.Segment, first));
    }

    [Fact]
    public void Pages_that_are_used_again_are_not_touched()
    {
        List<PilePointer> pointers = Fill(SegmentBytes / 2);
        _requests.Clear();
        foreach (PilePointer pointer in pointers[1..])
            _pile.Delete(pointer);
        Fill(SegmentBytes / 4);
        Assert.Empty(_requests);
    }

    [Fact]
    public void A_stretch_of_a_closed_pile_does_nothing()
    {
        PilePointer pointer = Fill(1000)[0];
        Segment segment = _pile.Blocks.Allocator.Pool.Segments()[0];
        Touch(segment);
        Assert.Equal(new byte[1000], _pile.Get(pointer));
        _pile.Dispose();
        Touch(segment); // would end the process if it touched the memory
    }

    private List<PilePointer> Fill(int bytes)
    {
        var pointers = new List<PilePointer>();
        for (int filled = 0; filled < bytes; filled += 1000)
            pointers.Add(_pile.Put(new byte[1000]));
        return pointers;
    }

    private void Touch(Segment segment) =>
        new PageToucher(_pile.Blocks.Barrier, _pile.Blocks.Allocator.Pool, segment, segment.HeadPages, segment.PageCount).TouchAll();
}
