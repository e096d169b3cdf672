using System;
using System.Collections.Generic;
using System.Linq;

namespace BigPile.Tests;

// What becomes of memory that is full, or free again.
public abstract partial class PileContract
{
    [Fact]
    public void A_full_pile_refuses_and_stays_usable()
    {
        const long Limit = 6 << 20;
        Pile pile = NewPile(Limit);
        var pointers = new List<PilePointer>();
        Fill(pile, BytesOf(500, 1), pointers);
        PileStatistics full = pile.Statistics;
        Assert.True(full.ReservedBytes <= Limit);
        Assert.Equal(Limit, full.LimitBytes);
        var error = Assert.Throws<PileFullException>(() => pile.Put(BytesOf(500, 1)));
        Assert.Contains("6,291,456", error.Message, StringComparison.Ordinal);
        Assert.Throws<PileFullException>(() => pile.Put(BytesOf(5_000_000, 1)));
        Assert.Throws<PileFullException>(() => pile.Replace(pointers[0], BytesOf(600_000, 1)));
        Assert.Equal(full with { RefusedPutCount = full.RefusedPutCount + 3 }, pile.Statistics);
        Assert.All(pointers, pointer => Assert.Equal(500, pile.SizeOf(pointer)));
        pile.Delete(pointers[^1]);
        pile.Put(BytesOf(500, 2));
    }

    [Fact]
    public void Memory_is_used_again_for_objects_of_any_size()
    {
        Pile pile = NewPile();
        long most = 0;
        foreach (int size in new[] { 30, 3_000, 100, 30_000, 300_000, 30, 10_000 })
        {
            var pointers = new List<PilePointer>();
            for (long bytes = 0; bytes < 12 << 20; bytes += size)
                pointers.Add(pile.Put(new byte[size]));
            most = Math.Max(most, pile.Statistics.ReservedBytes);
            pointers.ForEach(pile.Delete);
            AssertAddsUp(pile.Statistics);
        }
        Assert.InRange(most, 12 << 20, 32 << 20);
        pile.Trim();
        PileStatistics empty = pile.Statistics;
        Assert.Equal(0, empty.ObjectCount);
        Assert.Equal(1, empty.SegmentCount);
        Assert.Equal(SegmentBytes, empty.ReservedBytes);
        AssertAddsUp(empty);
    }

    [Fact]
    public void Segments_go_back_by_themselves()
    {
        Pile pile = NewPile();
        List<PilePointer> pointers = [.. Enumerable.Range(0, 30_000).Select(_ => pile.Put(new byte[1000]))];
        Assert.True(pile.Statistics.SegmentCount >= 7);
        pointers.ForEach(pile.Delete);
        Eventually.True(() => pile.Statistics.SegmentCount <= 2);
        Assert.All(pointers, pointer => Assert.False(pile.Contains(pointer)));
        Assert.Equal("again", pile.Get(pile.Put("again")));
    }

    private static void Fill(Pile pile, byte[] bytes, List<PilePointer> pointers)
    {
        try
        {
            for (int i = 0; i < int.MaxValue; i++)
                pointers.Add(pile.Put(bytes));
        }
        catch (PileFullException)
        {
            Assert.NotEmpty(pointers);
        }
    }
}
