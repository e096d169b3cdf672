using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using Xunit.Abstractions;

namespace BigPile.Tests;

/// <summary>How much a pile reserves beyond what lives in it.</summary>
public sealed class PileFragmentationTests(ITestOutputHelper output)
{
    private const long FilledBytes = 48 << 20;
    private const double MostReserved = 1.6;

    /// <summary>
    /// Every page of the first size keeps some objects, and none becomes free. Later objects of somewhat less size use the slots.
    /// </summary>
    [Theory]
    [InlineData(200, 120)]
    [InlineData(100, 88)]
    [InlineData(1_000, 600)]
    [InlineData(4_000, 2_500)]
    public void Reserved_memory_stays_near_the_live_bytes(int firstBytes, int secondBytes) =>
        CheckRatio(firstBytes, secondBytes, MostReserved);

    /// <summary>What the remarks of Trim say is not reclaimed: objects that are larger than the slots, or less than half of them.</summary>
    [Theory]
    [InlineData(100, 300)]
    [InlineData(200, 50)]
    public void Slots_in_pages_that_hold_an_object_do_not_serve_every_size(int firstBytes, int secondBytes) =>
        CheckRatio(firstBytes, secondBytes, 2.5);

    private void CheckRatio(int firstBytes, int secondBytes, double mostReserved)
    {
        using var pile = new Pile(new PileOptions { SegmentBytes = 4 << 20 });
        int seed = TestLeg.Seed(firstBytes);
        output.WriteLine($"seed {seed}");
        var random = new Random(seed);
        PilePointer[] first = Fill(pile, firstBytes, FilledBytes);
        random.Shuffle(first);
        foreach (PilePointer pointer in first[(first.Length / 10)..])
            pile.Delete(pointer);
        pile.Compact();
        Fill(pile, secondBytes, FilledBytes);
        PileStatistics statistics = pile.Statistics;
        double ratio = (double)statistics.ReservedBytes / statistics.PayloadBytes;
        output.WriteLine($"{firstBytes} then {secondBytes} bytes: reserved {statistics.ReservedBytes:N0}, live "
            + $"{statistics.PayloadBytes:N0}, ratio {ratio:F2}");
        Assert.True(ratio <= mostReserved, $"reserved is {ratio:F2} times the live bytes");
        AssertAddsUp(statistics);
    }

    [Fact]
    public void Compacting_moves_payloads_back_to_where_their_pointers_say()
    {
        using var pile = new Pile();
        var values = new Dictionary<PilePointer, byte[]>();
        for (int i = 0; i < 2_000; i++)
        {
            PilePointer pointer = pile.Put(new byte[100]);
            pile.Replace(pointer, new byte[1_000 + i]);
            pile.Replace(pointer, values[pointer] = [.. Enumerable.Repeat((byte)i, i % 2 == 0 ? 90 : 1_500)]);
        }
        pile.Compact();
        Assert.Equal(1_000, pile.Statistics.LinkCount); // the others do not fit
        Assert.All(values, pair => Assert.Equal(pair.Value, pile.Get(pair.Key)));
        Assert.Equal(values.Count, pile.Statistics.ObjectCount);
    }

    [Fact]
    public async Task Compacting_beside_others_changes_nothing_that_they_see()
    {
        using var pile = new Pile(new PileOptions { SegmentBytes = 4 << 20 });
        PilePointer[] pointers = [.. Enumerable.Range(0, 500).Select(i => pile.Put(Value(i, 20)))];
        bool isOver = false;
        Task compacting = SideBySide.Start(() =>
        {
            while (!System.Threading.Volatile.Read(ref isOver))
                pile.Compact();
        });
        var random = new Random(TestLeg.Seed(3));
        for (int i = 0; i < TestLeg.Steps(20_000, 1_000_000); i++)
        {
            int index = random.Next(pointers.Length);
            if (i % 2 == 0)
                pile.Replace(pointers[index], Value(index, random.Next(1, 2_000)));
            byte[] value = pile.Get<byte[]>(pointers[index]);
            Assert.True(value.AsSpan().IndexOfAnyExcept((byte)index) < 0);
        }
        System.Threading.Volatile.Write(ref isOver, true);
        await compacting;
        AssertAddsUp(pile.Statistics);
    }

    [Theory]
    [InlineData(StoreKind.Managed)]
    [InlineData(StoreKind.Native)]
    public async Task The_limit_is_never_exceeded_by_concurrent_puts(StoreKind store)
    {
        const long Limit = 13_000_000;
        using var pile = new Pile(new PileOptions { Store = store, SegmentBytes = 4 << 20, MaxBytes = Limit });
        Task<List<PilePointer>>[] writers = [.. Enumerable.Range(0, 4).Select(i => SideBySide.Start(() => PutUntilFull(pile, i)))];
        List<PilePointer>[] all = await Task.WhenAll(writers);
        PileStatistics full = pile.Statistics;
        Assert.True(full.ReservedBytes <= Limit);
        Assert.Equal(all.Sum(static pointers => pointers.Count), full.ObjectCount);
        AssertAddsUp(full);
        foreach (PilePointer pointer in all[0])
            pile.Delete(pointer);
        Assert.NotEmpty(PutUntilFull(pile, 9));
        Assert.True(pile.Statistics.ReservedBytes <= Limit);
    }

    private static List<PilePointer> PutUntilFull(Pile pile, int seed)
    {
        var random = new Random(seed);
        var pointers = new List<PilePointer>();
        try
        {
            while (true)
            {
                pointers.Add(pile.Put(new byte[random.Next(3_000)]));
                Assert.True(pile.Statistics.ReservedBytes <= pile.Statistics.LimitBytes);
            }
        }
        catch (PileFullException)
        {
            return pointers;
        }
    }

    private static PilePointer[] Fill(Pile pile, int lengthBytes, long totalBytes)
    {
        var value = new byte[lengthBytes];
        return [.. Enumerable.Range(0, (int)(totalBytes / lengthBytes)).Select(_ => pile.Put(value))];
    }

    private static byte[] Value(int index, int length)
    {
        var bytes = new byte[length];
        bytes.AsSpan().Fill((byte)index);
        return bytes;
    }

    private static void AssertAddsUp(PileStatistics statistics)
    {
        Assert.Equal(statistics.ReservedBytes, statistics.CommittedBytes + statistics.UnusedBytes);
        Assert.Equal(
            statistics.CommittedBytes,
            statistics.PayloadBytes + statistics.HeaderBytes + statistics.SlackBytes + statistics.FreeBytes + statistics.UnexaminedBytes);
    }
}
