using System;
using System.Collections.Generic;
using System.Linq;

namespace BigPile.Tests;

/// <summary>What a pile promises whatever its store; each store's test class is this suite and a way to make one.</summary>
public abstract partial class PileContract : IDisposable
{
    protected const long SegmentBytes = 4 << 20;

    private readonly List<Pile> _piles = [];

    public static TheoryData<string> Texts => new(
        "", "a", "seven b", "eight by", new string('x', 15), new string('x', 16), new string('x', 17), new string('x', 1000), "äöü",
        "naïve café", "Привет", "日本語", "🔑 emoji", "\0", "a\0b", "\uD800", "x\uDC00y", "\uFFFD", new string('ж', 5000),
        new string('x', 200_000) + "é");

    public static TheoryData<int> Sizes => new(
        0, 1, 7, 8, 9, 15, 16, 119, 120, 121, 127, 128, 1000, 8183, 8184, 8185, 21_832, 21_833, 32_759, 32_760, 32_761, 65_527, 65_528,
        65_529,
        1_000_000, 3_900_000, 9_000_000);

    public virtual void Dispose()
    {
        foreach (Pile pile in _piles)
            pile.Dispose();
        GC.SuppressFinalize(this);
    }

    protected Pile NewPile(long maxBytes = long.MaxValue)
    {
        Pile pile = Create(new PileOptions { SegmentBytes = SegmentBytes, MaxBytes = maxBytes });
        _piles.Add(pile);
        return pile;
    }

    protected abstract Pile Create(PileOptions options);

    protected static void AssertAddsUp(PileStatistics s)
    {
        Assert.Equal(s.ReservedBytes, s.CommittedBytes + s.UnusedBytes);
        Assert.Equal(s.CommittedBytes, s.PayloadBytes + s.HeaderBytes + s.SlackBytes + s.FreeBytes);
        Assert.All(
            new[] { s.ObjectCount, s.LinkCount, s.ReservedBytes, s.PayloadBytes, s.HeaderBytes, s.SlackBytes, s.FreeBytes, s.UnusedBytes },
            static value => Assert.True(value >= 0));
    }

    protected static byte[] BytesOf(int length, int seed) => Noise.Of(length, seed);

    [Theory]
    [MemberData(nameof(Texts))]
    public void Text_comes_back_as_it_was(string text)
    {
        Pile pile = NewPile();
        PilePointer pointer = pile.Put(text);
        Assert.Equal(text, pile.Get(pointer));
        Assert.Equal(text, pile.Get<string>(pointer));
        PilePointer replaced = pile.Put("short");
        pile.Replace(replaced, text);
        Assert.Equal(text, pile.Get(replaced));
    }

    [Theory]
    [MemberData(nameof(Sizes))]
    public void Bytes_of_any_size_come_back(int length)
    {
        Pile pile = NewPile();
        byte[] bytes = BytesOf(length, length);
        PilePointer pointer = pile.Put(bytes);
        Assert.Equal(bytes, pile.Get<byte[]>(pointer));
        Assert.Equal(bytes, pile.GetBytes(pointer));
        Assert.Equal(length, pile.SizeOf(pointer));
        var copy = new byte[length];
        Assert.Equal(length, pile.Read(pointer, copy));
        Assert.Equal(bytes, copy);
        AssertAddsUp(pile.Statistics);
        Assert.Equal(length, pile.Statistics.PayloadBytes);
        pile.Delete(pointer);
        Assert.Equal(0, pile.Statistics.PayloadBytes);
        AssertAddsUp(pile.Statistics);
    }

    [Fact]
    public void A_read_into_too_small_a_span_says_how_much_there_is()
    {
        Pile pile = NewPile();
        Assert.False(pile.TryRead(pile.Put(BytesOf(100, 1)), new byte[99], out int payloadBytes));
        Assert.Equal(100, payloadBytes);
    }

    [Fact]
    public void Null_is_refused()
    {
        Pile pile = NewPile();
        Assert.Throws<ArgumentNullException>(() => pile.Put((object)null!));
        Assert.Throws<ArgumentNullException>(() => pile.Put((string)null!));
        Assert.Throws<ArgumentNullException>(() => pile.Put((byte[])null!));
        Assert.Throws<ArgumentNullException>(() => pile.Replace(pile.Put("x"), (object)null!));
    }

    [Fact]
    public void Replacing_keeps_the_pointer_whatever_the_size()
    {
        Pile pile = NewPile();
        PilePointer pointer = pile.Put("start");
        foreach (int length in new[] { 3, 100, 5, 100_000, 90_000, 10, 0, 5_000, 4_990, 5_100, 1 })
        {
            byte[] bytes = BytesOf(length, length);
            pile.Replace(pointer, bytes);
            Assert.Equal(bytes, pile.Get<byte[]>(pointer));
            Assert.Equal(length, pile.SizeOf(pointer));
            PileStatistics statistics = pile.Statistics;
            AssertAddsUp(statistics);
            Assert.Equal(1, statistics.ObjectCount);
            Assert.Equal(length, statistics.PayloadBytes);
            PileEntry entry = Assert.Single(pile);
            Assert.Equal(new PileEntry(pointer, length, PayloadKind.Bytes), entry);
        }
        pile.Replace(pointer, new string('é', 700));
        Assert.Equal(1, pile.Statistics.LinkCount);
        Assert.Equal(PayloadKind.String, Assert.Single(pile).Kind);
        pile.Delete(pointer);
        Assert.Equal(0, pile.Statistics.LinkCount);
        Assert.Equal(0, pile.Statistics.PayloadBytes);
        Assert.Empty(pile);
    }

    [Fact]
    public void Enumeration_yields_each_object_once_with_its_size_and_kind()
    {
        Pile pile = NewPile();
        var expected = new Dictionary<PilePointer, (int Size, PayloadKind Kind)>();
        for (int i = 0; i < 3_000; i++)
        {
            byte[] bytes = BytesOf(i % 700, i);
            expected[pile.Put(bytes)] = (bytes.Length, PayloadKind.Bytes);
            expected[pile.Put("text" + i)] = (4 + i.ToString(System.Globalization.CultureInfo.InvariantCulture).Length, PayloadKind.String);
        }
        expected[pile.Put(BytesOf(200_000, 1))] = (200_000, PayloadKind.Bytes);
        foreach (PilePointer pointer in expected.Keys.Where(static (_, i) => i % 3 == 0).ToList())
        {
            pile.Delete(pointer);
            expected.Remove(pointer);
        }
        List<PileEntry> entries = [.. pile];
        Assert.Equal(expected.Count, entries.Count);
        Assert.All(entries, entry => Assert.Equal(expected[entry.Pointer], (entry.SizeBytes, entry.Kind)));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public void A_random_run_agrees_with_a_dictionary(int seed)
    {
        Pile pile = NewPile();
        var model = new PileModel(pile, TestLeg.Seed(seed));
        int steps = TestLeg.Steps(normal: 40_000, longLeg: 2_500_000);
        for (int step = 0; step < steps; step++)
            model.Step();
        model.Check();
        AssertAddsUp(pile.Statistics);
    }

    [Fact]
    public void A_closed_pile_refuses_every_call()
    {
        Pile pile = NewPile();
        PilePointer pointer = pile.Put("x");
        using PileEnumerator walk = pile.GetEnumerator();
        pile.Dispose();
        pile.Dispose();
        Assert.Throws<ObjectDisposedException>(() => pile.Put("y"));
        Assert.Throws<ObjectDisposedException>(() => pile.Get(pointer));
        Assert.Throws<ObjectDisposedException>(() => pile.TryGet(pointer, out _));
        Assert.Throws<ObjectDisposedException>(() => pile.Delete(pointer));
        Assert.Throws<ObjectDisposedException>(() => pile.Replace(pointer, "z"));
        Assert.Throws<ObjectDisposedException>(() => pile.SizeOf(pointer));
        Assert.Throws<ObjectDisposedException>(() => pile.Statistics);
        Assert.Throws<ObjectDisposedException>(() => pile.Flush());
        Assert.Throws<ObjectDisposedException>(() => pile.Trim());
        Assert.Throws<ObjectDisposedException>(() => walk.MoveNext());
    }
}
