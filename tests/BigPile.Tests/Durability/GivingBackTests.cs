using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Allocation;
using BigPile.Concurrency;
using Xunit.Abstractions;

namespace BigPile.Tests.Durability;

/// <summary>Who finds the pile full while others give room back does not fail: it looks again once they have.</summary>
public sealed class GivingBackTests(ITestOutputHelper output) : DurabilityTest
{
    private const int LengthBytes = 100_000;
    private const int PerPage = 64; // objects of 1,000 bytes

    [Fact]
    public void A_flush_that_ends_between_a_search_for_room_and_its_failure_is_not_missed()
    {
        using var isSynced = new ManualResetEventSlim();
        using var mayEnd = new ManualResetEventSlim(true);
        using Pile pile = Open(options => options with
        {
            MaxBytes = 2 * SegmentBytes,
            Synced = _ =>
            {
                isSynced.Set();
                Assert.True(mayEnd.Wait(Eventually.Patience));
            },
        });
        List<PilePointer> pointers = Fill(pile);
        pile.Flush();
        Action? usual = pile.Space.Allocator.QuarantineOverfull;
        pile.Space.Allocator.QuarantineOverfull = null;
        pointers.ForEach(pile.Delete);
        mayEnd.Reset();
        isSynced.Reset();
        Task flush = SideBySide.Start(() => pile.Flush()); // comes to the point where all is durable, and nothing is given back yet
        Assert.True(isSynced.Wait(Eventually.Patience));
        int searches = 0;
        pile.Space.Allocator.QuarantineOverfull = () =>
        {
            searches++; // the put that calls this has found no room
            mayEnd.Set();
            Eventually.True(() => pile.Keeper.QuarantinedBytes == 0);
        };
        _ = pile.Put(new byte[LengthBytes]);
        Assert.Equal(1, searches);
        pile.Space.Allocator.QuarantineOverfull = usual;
        Assert.True(flush.Wait(Eventually.Patience));
        Assert.Equal(1, pile.Statistics.ObjectCount);
    }

    [Theory]
    [InlineData(StoreKind.Managed)]
    [InlineData(StoreKind.Native)]
    [InlineData(StoreKind.Mapped)]
    public void A_segment_that_is_on_its_way_out_is_waited_for(StoreKind store)
    {
        var options = new PileOptions { SegmentBytes = SegmentBytes, Store = store, MaxBytes = 2 * SegmentBytes };
        using Pile pile = store == StoreKind.Mapped ? Pile.Open(PilePath, options) : new Pile(options);
        List<PilePointer> pointers = Fill(pile);
        ThreadPresence presence = pile.Space.Gate.Enter(); // a reader: what a trim takes away stays until it has left
        Task deletions = SideBySide.Start(() => pointers.ForEach(pile.Delete));
        Task puts;
        int deleted;
        try
        {
            Eventually.True(() => pile.Space.Allocator.GivingBack.IsUnderWay);
            deleted = pointers.Count - (int)pile.Statistics.ObjectCount;
            Assert.InRange(deleted, pointers.Count / 3, pointers.Count);
            puts = SideBySide.Start(() => pointers.Take(deleted).ToList().ForEach(_ => pile.Put(new byte[LengthBytes])));
            Assert.NotSame(puts, Task.WhenAny(puts, Task.Delay(200)).Result); // it waits for the segment that goes
        }
        finally
        {
            pile.Space.Exit(presence);
        }
        Assert.True(Task.WaitAll([deletions, puts], Eventually.Patience));
        Assert.Equal(deleted, pile.Statistics.ObjectCount);
        Assert.InRange(pile.Statistics.ReservedBytes, 0, 2 * SegmentBytes);
    }

    [Fact]
    public void What_others_give_back_is_waited_for_however_long_they_are_at_it()
    {
        using var pile = new Pile(new PileOptions { SegmentBytes = SegmentBytes, MaxBytes = SegmentBytes });
        List<PilePointer> pointers = Fill(pile);
        GivingBack givingBack = pile.Space.Allocator.GivingBack;
        givingBack.Begin();
        Task put = SideBySide.Start(() => pile.Put(new byte[LengthBytes]));
        Assert.NotSame(put, Task.WhenAny(put, Task.Delay(200)).Result);
        pile.Delete(pointers[0]);
        givingBack.End();
        Assert.True(put.Wait(Eventually.Patience));
        Assert.Throws<PileFullException>(() => pile.Put(new byte[LengthBytes]));
    }

    /// <summary>Pages go from heap to heap, and back to the pool, while others look for them.</summary>
    [Fact]
    public void Threads_that_hold_less_together_than_there_is_room_for_are_never_refused()
    {
        const int Threads = 4;
        int seed = TestLeg.Seed(24);
        output.WriteLine($"seed {seed}");
        using var pile = new Pile(new PileOptions { SegmentBytes = SegmentBytes, MaxBytes = SegmentBytes });
        List<PilePointer> pointers = Fill(pile, 1_000);
        pointers.ForEach(pile.Delete);
        int each = (pointers.Count - Environment.ProcessorCount * PerPage) / Threads; // a heap keeps its last page
        Task[] tasks =
            [.. Enumerable.Range(0, Threads).Select(i => SideBySide.Start(() => PutAndDelete(pile, each, new Random(seed + i))))];
        Assert.True(Task.WaitAll(tasks, Eventually.Patience));
        Assert.Equal(0, pile.Statistics.ObjectCount);
        pile.Space.Allocator.CheckInvariants();
    }

    private static void PutAndDelete(Pile pile, int count, Random random)
    {
        var pointers = new List<PilePointer>();
        for (int round = 0; round < 5_000; round++)
        {
            while (pointers.Count < count)
                pointers.Add(pile.Put(new byte[1_000]));
            int kept = count - random.Next(1, 3 * PerPage);
            pointers[kept..].ForEach(pile.Delete);
            pointers.RemoveRange(kept, count - kept);
        }
        pointers.ForEach(pile.Delete);
    }

    private static List<PilePointer> Fill(Pile pile, int lengthBytes = LengthBytes)
    {
        var pointers = new List<PilePointer>();
        Assert.Throws<PileFullException>(() => FillUp(pile, pointers, lengthBytes));
        return pointers;
    }

    private static void FillUp(Pile pile, List<PilePointer> pointers, int lengthBytes)
    {
        while (true)
            pointers.Add(pile.Put(new byte[lengthBytes]));
    }
}
