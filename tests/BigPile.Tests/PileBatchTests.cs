using System;
using System.Collections.Generic;
using System.Linq;

namespace BigPile.Tests;

public sealed class PileBatchTests
{
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(23)]
    [InlineData(24)]
    [InlineData(25)]
    [InlineData(5_000)]
    public void What_was_put_at_once_is_got_at_once_and_one_by_one(int count)
    {
        using var pile = new Pile();
        object[] values = [.. Enumerable.Range(0, count).Select(ValueOf)];
        var pointers = new PilePointer[count];
        pile.PutMany<object>(values, pointers);
        Assert.Equal(count, pile.Statistics.ObjectCount);
        for (int i = 0; i < count; i++)
            Assert.Equal(values[i], pile.Get(pointers[i]));
        var got = new object?[count];
        Assert.Equal(count, pile.GetMany(pointers, got));
        Assert.Equal(values, got);
    }

    [Fact]
    public void Pointers_that_name_nothing_give_null_and_are_not_counted()
    {
        using var pile = new Pile();
        var pointers = new PilePointer[100];
        pile.PutMany<string>([.. Enumerable.Range(0, 100).Select(static i => $"text {i}")], pointers);
        for (int i = 0; i < 100; i += 3)
            pile.Delete(pointers[i]);
        pointers[1] = default;
        pointers[2] = PilePointer.FromUInt64(0x123456789);
        var got = new string?[120];
        got.AsSpan().Fill("stale");
        Assert.Equal(100 - 34 - 2, pile.GetMany(pointers, got));
        for (int i = 0; i < 100; i++)
            Assert.Equal(i % 3 == 0 || i is 1 or 2 ? null : $"text {i}", got[i]);
        Assert.Equal("stale", got[100]);
    }

    [Fact]
    public void A_batch_that_does_not_fit_leaves_the_pile_as_it_was()
    {
        using var pile = new Pile(new PileOptions { MaxBytes = 4 << 20, SegmentBytes = 4 << 20 });
        PilePointer before = pile.Put("before");
        byte[][] values = [.. Enumerable.Range(0, 100).Select(static _ => new byte[100_000])];
        var pointers = new PilePointer[100];
        Assert.Throws<PileFullException>(() => pile.PutMany<byte[]>(values, pointers));
        Assert.Equal(1, pile.Statistics.ObjectCount);
        Assert.All(pointers, static pointer => Assert.False(pointer.IsValid));
        Assert.Equal("before", pile.Get(before));
        pile.PutMany<byte[]>(values.AsSpan(0, 20), pointers);
        Assert.Equal(21, pile.Statistics.ObjectCount);
    }

    [Fact]
    public void A_null_among_the_objects_leaves_the_pile_as_it_was()
    {
        using var pile = new Pile();
        var pointers = new PilePointer[3];
        Assert.Throws<ArgumentNullException>(() => pile.PutMany<string>(["a", null!, "c"], pointers));
        Assert.Equal(0, pile.Statistics.ObjectCount);
    }

    [Fact]
    public void Too_little_room_is_refused_by_name()
    {
        using var pile = new Pile();
        Assert.Equal("pointers", Assert.Throws<ArgumentException>(() => pile.PutMany<string>(["a", "b"], new PilePointer[1])).ParamName);
        Assert.Equal("values", Assert.Throws<ArgumentException>(() => pile.GetMany(new PilePointer[2], new string?[1])).ParamName);
        Assert.Equal(0, pile.Statistics.ObjectCount);
    }

    [Fact]
    public void An_object_of_another_type_is_refused()
    {
        using var pile = new Pile();
        PilePointer[] pointers = [pile.Put("text"), pile.Put(new List<int> { 1 })];
        Assert.Throws<InvalidCastException>(() => pile.GetMany(pointers, new string?[2]));
    }

    [Fact]
    public void A_closed_pile_refuses_batches()
    {
        var pile = new Pile(new PileOptions { Store = StoreKind.Managed });
        PilePointer[] pointers = [pile.Put("text")];
        pile.Dispose();
        Assert.Throws<ObjectDisposedException>(() => pile.GetMany(pointers, new string?[1]));
        Assert.Throws<ObjectDisposedException>(() => pile.PutMany<string>(["a"], pointers));
    }

    private static object ValueOf(int i) => (i % 3) switch
    {
        0 => $"text {i}",
        1 => new byte[] { (byte)i, (byte)(i >> 8) },
        _ => new List<int> { i },
    };
}
