using System;
using System.Collections.Generic;
using System.Linq;
using BigPile.Allocation;
using BigPile.Memory.Concurrency;

namespace BigPile.Tests.Allocation;

/// <summary>Segments go back to the system however often slots were freed, and pointers into them stay dead.</summary>
public sealed unsafe class SegmentGenerationTests : IDisposable
{
    private const int ChangesARound = 2_200_000; // two rounds are more than a quarter of all generations of a slot

    private readonly TemporaryDirectory _temporary = new();

    public void Dispose() => _temporary.Dispose();

    [Theory]
    [InlineData(StoreKind.Native)]
    [InlineData(StoreKind.Mapped)]
    public void A_slot_that_is_freed_millions_of_times_keeps_no_segment(StoreKind kind)
    {
        int rounds = TestLeg.Steps(3, 40);
        var dead = new List<PilePointer>();
        Pile pile = Open(kind);
        for (int round = 0; round < rounds; round++)
        {
            PilePointer[] live = [.. Enumerable.Range(0, 100).Select(_ => pile.Put(new byte[60_000]))]; // a page each
            byte[] value = new byte[1_000];
            PilePointer last = default;
            for (int i = 0; i < ChangesARound; i++)
            {
                last = pile.Put(value);
                pile.Delete(last);
            }
            dead.Add(last);
            dead.AddRange(live);
            Array.ForEach(live, pile.Delete);
            pile.Trim();
            Assert.True(
                pile.Statistics.SegmentCount == 1, $"round {round}: {pile.Statistics.SegmentCount} segments of a pile without an object");
            if (kind == StoreKind.Mapped && round % 2 == 1)
            {
                pile.Dispose();
                pile = Open(kind);
            }
        }
        for (int i = 0; i < 12_000; i++)
            pile.Put(new byte[1_000]);
        Assert.All(dead, pointer => Assert.False(pile.Contains(pointer)));
        pile.Dispose();
    }

    [Fact]
    public void Numbers_age_by_themselves()
    {
        var generations = new SegmentGenerations(5, new Dictionary<int, uint> { [3] = 100 });
        generations.Record(7, 2, PilePointer.MaxGeneration / 2 + 1);
        Assert.Equal(5u, generations.StartOf(0, 3));
        Assert.Equal(100u, generations.StartOf(2, 3));
        Assert.Equal(PilePointer.MaxGeneration / 2 + 1, generations.StartOf(8, 1));
        Assert.Equal([true, true, false, false, true], ((int[])[3, 6, 7, 8, 9]).Select(generations.IsPreferred));
    }

    /// <summary>
    /// Two threads that find no page both take a new one: the page that is not needed must not stay in a list, or it is never given up.
    /// </summary>
    [Fact]
    public void An_empty_page_that_is_not_needed_goes_back_to_the_pool()
    {
        using var pile = new Pile(new PileOptions { SegmentBytes = 4 << 20 });
        using var heap = new Heap(0, tracksFlushed: false, new EventCount());
        PagePool pool = pile.Blocks.Allocator.Pool;
        PageMeta* first = pool.TakePage(3, 0, mayGrow: true);
        PageMeta* second = pool.TakePage(3, 0, mayGrow: true);
        Assert.True(heap.Attach(first) == null);
        Assert.True(heap.Attach(second) == second);
        pool.ReturnPage(second);
        heap.EnterLock();
        PageMeta* empty = heap.GiveUpEmptyLocked(3);
        heap.ExitLock();
        pool.ReturnPage(empty);
        pile.Blocks.Allocator.TransferEvents.End();
        pile.Blocks.Allocator.TransferEvents.End();
        Assert.Equal(0, pile.Statistics.CommittedBytes - pool.HeadBytes);
    }

    private Pile Open(StoreKind kind)
    {
        var options = new PileOptions { SegmentBytes = 4 << 20 };
        return kind == StoreKind.Mapped ? Pile.Open(_temporary.Path, options) : new Pile(options);
    }
}
