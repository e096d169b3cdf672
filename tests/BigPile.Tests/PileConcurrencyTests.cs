using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Layout;
using BigPile.Lifecycle;

namespace BigPile.Tests;

public sealed class PileConcurrencyTests
{

    /// <summary>Every value states its own checksum and owner: a torn one, or one of another pointer, is noticed.</summary>
    [Theory]
    [InlineData(StoreKind.Native, 1)]
    [InlineData(StoreKind.Managed, 2)]
    public async Task Readers_lessees_replacers_and_deleters_of_the_same_pointers_see_whole_values(StoreKind store, int seed)
    {
        using var pile = new Pile(new PileOptions { Store = store, SegmentBytes = 4 << 20 });
        var shared = new ulong[64];
        for (int i = 0; i < shared.Length; i++)
            shared[i] = pile.Put(ValueOf(i, 20)).ToUInt64();
        Task[] tasks = [.. Enumerable.Range(
            0, 5).Select(worker => SideBySide.Start(() => Work(pile, shared, worker, new Random(TestLeg.Seed(seed) * 100 + worker))))];
        await Task.WhenAll(tasks);
        Assert.Equal(shared.Length, pile.Statistics.ObjectCount);
        Assert.Equal(shared.Length, pile.Count());
    }

    [Fact]
    public async Task Pointers_of_different_threads_never_meet()
    {
        using var pile = new Pile(new PileOptions { SegmentBytes = 4 << 20 });
        long live = 0;
        Task[] tasks = [.. Enumerable.Range(0, 4).Select(worker => SideBySide.Start(() =>
        {
            var random = new Random(worker);
            var mine = new List<(PilePointer Pointer, byte[] Value)>();
            for (int step = 0; step < TestLeg.Steps(normal: 60_000, longLeg: 3_000_000); step++)
            {
                if (mine.Count < 500 && random.Next(5) < 3)
                {
                    byte[] value = ValueOf(worker, random.Next(random.Next(50) == 0 ? 70_000 : 400));
                    mine.Add((pile.Put(value), value));
                }
                else if (mine.Count != 0)
                {
                    int index = random.Next(mine.Count);
                    Assert.Equal(mine[index].Value, pile.GetBytes(mine[index].Pointer));
                    pile.Delete(mine[index].Pointer);
                    mine[index] = mine[^1];
                    mine.RemoveAt(mine.Count - 1);
                }
            }
            Assert.All(mine, entry => Assert.Equal(entry.Value, pile.GetBytes(entry.Pointer)));
            Interlocked.Add(ref live, mine.Count);
        }))];
        await Task.WhenAll(tasks);
        Assert.Equal(live, pile.Statistics.ObjectCount);
    }

    /// <summary>Links are made and undone, objects come and go, until there are none.</summary>
    [Fact]
    public void Statistics_are_never_below_zero_and_add_up()
    {
        using var pile = new Pile(new PileOptions { SegmentBytes = 4 << 20 });
        int rounds = TestLeg.Steps(normal: 30_000, longLeg: 1_000_000);
        SideBySide.Rounds(
        [
            .. Enumerable.Range(0, 3).Select(worker => new SideBySide.Worker(rounds, (Action<int>)(number =>
            {
                PilePointer[] pointers = [.. Enumerable.Range(0, 8).Select(_ => pile.Put(ValueOf(worker, 20)))];
                foreach (PilePointer pointer in pointers)
                    pile.Replace(pointer, ValueOf(worker, 20 + number % 2_000)); // longer ones live behind links
                foreach (PilePointer pointer in pointers)
                    pile.Delete(pointer);
            }))),
            .. Enumerable.Range(0, 2).Select(_ => new SideBySide.Worker(
                rounds * 4, (Action<int>)(_ => PileFigures.AssertAddUp(pile.Statistics)))),
        ]);
        Assert.Equal(0, pile.Blocks.LinkCount); // what statistics say of it is bounded
        Assert.Equal(0, pile.Statistics.ObjectCount);
        Assert.Equal(0, pile.Statistics.PayloadBytes);
    }

    [Theory]
    [InlineData(3, 10, 1_000, 3)]
    [InlineData(1, 0, 0, 0)] // made since the blocks were counted
    [InlineData(7, 5, 1_000, 5)]
    [InlineData(5, 10, 24, 3)] // a link's target has its back word at least
    [InlineData(-1, 10, 1_000, 0)]
    public void Of_links_no_more_count_than_there_were_blocks(long counted, long liveBlocks, long payloadBytes, long links) =>
        Assert.Equal(links, StatisticsCounter.LinksAmong(counted, liveBlocks, payloadBytes));

    [Fact]
    public async Task A_walk_beside_writers_yields_what_lived_through_it_exactly_once()
    {
        using var pile = new Pile(new PileOptions { SegmentBytes = 4 << 20 });
        HashSet<PilePointer> stable = [.. Enumerable.Range(0, 20_000).Select(i => pile.Put("stable " + i))];
        using var stop = new CancellationTokenSource();
        Task writer = SideBySide.Start(() =>
        {
            var random = new Random(9);
            var mine = new Queue<PilePointer>();
            while (!stop.IsCancellationRequested)
            {
                mine.Enqueue(pile.Put(new byte[random.Next(2_000)]));
                if (mine.Count > 300)
                    pile.Delete(mine.Dequeue());
            }
        });
        for (int walk = 0; walk < 10; walk++)
        {
            var seen = new HashSet<PilePointer>();
            foreach (PileEntry entry in pile)
                Assert.True(seen.Add(entry.Pointer), $"{entry.Pointer} came twice");
            Assert.True(stable.IsSubsetOf(seen));
        }
        await stop.CancelAsync();
        await writer;
    }

    [Fact]
    public async Task Closing_under_load_ends_every_call_and_never_the_process()
    {
        for (int round = 0; round < 20; round++)
        {
            var pile = new Pile(new PileOptions { SegmentBytes = 4 << 20 });
            PilePointer shared = pile.Put("shared");
            using var started = new CountdownEvent(3);
            Task[] tasks =
                [.. Enumerable.Range(0, 3).Select(worker => SideBySide.Start(() => UseUntilClosed(pile, shared, worker, started)))];
            Assert.True(started.Wait(Eventually.Timeout));
            pile.Dispose();
            await Task.WhenAll(tasks);
        }
    }

    [Fact]
    public async Task Reads_go_on_while_segments_come_and_go()
    {
        using var pile = new Pile(new PileOptions { SegmentBytes = 4 << 20 });
        PilePointer keep = pile.Put("keep");
        using var stop = new CancellationTokenSource();
        var recent = new ulong[16];
        Task reader = SideBySide.Start(() =>
        {
            for (int i = 0; !stop.IsCancellationRequested; i++)
            {
                Assert.Equal("keep", pile.Get(keep));
                if (pile.TryGet<byte[]>(PilePointer.FromUInt64(Volatile.Read(ref recent[i % recent.Length])), out byte[]? value))
                    Assert.Equal(ValueOf(7, value.Length - 8), value);
            }
        });
        for (int round = 0; round < 30; round++)
        {
            List<PilePointer> pointers = [.. Enumerable.Range(0, 5_000).Select(_ => pile.Put(ValueOf(7, 3_000)))];
            for (int i = 0; i < recent.Length; i++)
                Volatile.Write(ref recent[i], pointers[^(i + 1)].ToUInt64());
            pointers.ForEach(pile.Delete);
        }
        await stop.CancelAsync();
        await reader;
        Eventually.True(() => pile.Statistics.SegmentCount <= 3); // the background gives them back
    }

    private static void Work(Pile pile, ulong[] shared, int worker, Random random)
    {
        for (int step = 0; step < TestLeg.Steps(normal: 60_000, longLeg: 3_000_000); step++)
        {
            int place = random.Next(shared.Length);
            var pointer = PilePointer.FromUInt64(Volatile.Read(ref shared[place]));
            switch (worker)
            {
                case 0:
                    pile.TryReplace(pointer, ValueOf(place, random.Next(random.Next(20) == 0 ? 3_000 : 120)));
                    break;
                case 1 when random.Next(4) == 0:
                    Volatile.Write(ref shared[place], pile.Put(ValueOf(place, random.Next(120))).ToUInt64());
                    Assert.True(pile.TryDelete(pointer));
                    break;
                case 2:
                    if (pile.TryLease(pointer, out PileLease? lease))
                        CheckLease(lease, place);
                    break;
                default:
                    if (pile.TryGet<byte[]>(pointer, out byte[]? value))
                        AssertWhole(value, place);
                    break;
            }
        }
    }

    private static void CheckLease(PileLease lease, int owner)
    {
        using (lease)
        {
            byte[] value = lease.Span.ToArray();
            AssertWhole(value, owner);
            Assert.True(lease.Span.SequenceEqual(value));
        }
    }

    private static void UseUntilClosed(Pile pile, PilePointer shared, int worker, CountdownEvent started)
    {
        started.Signal();
        try
        {
            for (int i = 0; i < int.MaxValue; i++)
            {
                PilePointer own = pile.Put(new byte[i % 500]);
                Assert.Equal("shared", pile.Get(shared));
                if (worker == 0)
                    Assert.NotEmpty(pile);
                pile.Delete(own);
            }
        }
        catch (ObjectDisposedException)
        {
            Assert.Throws<ObjectDisposedException>(() => pile.Get(shared));
        }
    }

    private static byte[] ValueOf(int owner, int length)
    {
        var value = new byte[8 + length];
        BinaryPrimitives.WriteInt32LittleEndian(value, owner);
        for (int i = 8; i < value.Length; i++)
            value[i] = (byte)(i * 31 + owner + length);
        BinaryPrimitives.WriteUInt32LittleEndian(value.AsSpan(4), Checksum.Of(value.AsSpan(8)));
        return value;
    }

    private static void AssertWhole(byte[] value, int owner)
    {
        Assert.Equal(owner, BinaryPrimitives.ReadInt32LittleEndian(value));
        Assert.Equal(Checksum.Of(value.AsSpan(8)), BinaryPrimitives.ReadUInt32LittleEndian(value.AsSpan(4)));
    }
}
