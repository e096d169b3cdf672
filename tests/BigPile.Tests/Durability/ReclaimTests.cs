using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Layout;
using BigPile.Memory.Concurrency;
using Xunit.Abstractions;

namespace BigPile.Tests.Durability;

/// <summary>Who finds the pile full while others give room back does not fail: it looks again once they have.</summary>
public sealed class ReclaimTests(ITestOutputHelper output) : DurabilityTest
{
    private const int LengthBytes = 100_000;
    private const int PerPage = 64; // objects of 1,000 bytes
    private const int OnePageBytes = SizeClasses.PageBytes - BlockHeader.SizeBytes;

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
                Assert.True(mayEnd.Wait(Eventually.Timeout));
            },
        });
        List<PilePointer> pointers = Fill(pile);
        pile.Flush();
        Action? usual = pile.Blocks.Allocator.FlushWanted;
        pile.Blocks.Allocator.FlushWanted = null;
        pointers.ForEach(pile.Delete);
        mayEnd.Reset();
        isSynced.Reset();
        Task flush = SideBySide.Start(() => pile.Flush()); // comes to the point where all is durable, and nothing is given back yet
        Assert.True(isSynced.Wait(Eventually.Timeout));
        int searches = 0;
        pile.Blocks.Allocator.FlushWanted = () =>
        {
            searches++; // the put that calls this has found no room
            mayEnd.Set();
            Eventually.True(() => pile.Engine.PendingFreeBytes == 0);
        };
        _ = pile.Put(new byte[LengthBytes]);
        Assert.Equal(1, searches);
        pile.Blocks.Allocator.FlushWanted = usual;
        Assert.True(flush.Wait(Eventually.Timeout));
        Assert.Equal(1, pile.Statistics.ObjectCount);
    }

    [Fact]
    public void Segments_that_a_flush_empties_are_given_back_without_another_change()
    {
        var time = new ManualTime();
        using Pile pile = Open(options => options with { MaxBytes = 8 * SegmentBytes, TimeProvider = time });
        List<PilePointer> pointers = Fill(pile);
        Assert.InRange(pile.Statistics.SegmentCount, 4, 8);
        pile.Flush();
        pointers.ForEach(pile.Delete);
        pile.Flush(); // their deletion is durable
        time.Advance(TimeSpan.FromSeconds(10)); // it has just grown
        Eventually.True(() => pile.Statistics.SegmentCount == 1);
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
        CriticalRegion critical = pile.Blocks.Barrier.EnterReader(); // a reader: what a trim takes away stays until it has left
        Task deletions = SideBySide.Start(() => pointers.ForEach(pile.Delete));
        Task puts;
        int deleted;
        try
        {
            Eventually.True(() => pile.Blocks.Allocator.TransferEvents.IsUnderWay);
            deleted = pointers.Count - (int)pile.Statistics.ObjectsSoFar;
            Assert.InRange(deleted, pointers.Count / 3, pointers.Count);
            puts = SideBySide.Start(() => pointers.Take(deleted).ToList().ForEach(_ => pile.Put(new byte[LengthBytes])));
            Assert.NotSame(puts, Task.WhenAny(puts, Task.Delay(200)).Result); // it waits for the segment that goes
        }
        finally
        {
            critical.Exit();
        }
        Assert.True(Task.WaitAll([deletions, puts], Eventually.Timeout));
        Assert.Equal(deleted, pile.Statistics.ObjectCount);
        Assert.InRange(pile.Statistics.ReservedBytes, 0, 2 * SegmentBytes);
    }

    [Fact]
    public void What_others_give_back_is_waited_for_however_long_they_are_at_it()
    {
        using var pile = new Pile(new PileOptions { SegmentBytes = SegmentBytes, MaxBytes = SegmentBytes });
        List<PilePointer> pointers = Fill(pile);
        EventCount givingBack = pile.Blocks.Allocator.TransferEvents;
        givingBack.Begin();
        Task put = SideBySide.Start(() => pile.Put(new byte[LengthBytes]));
        Assert.NotSame(put, Task.WhenAny(put, Task.Delay(200)).Result);
        pile.Delete(pointers[0]);
        givingBack.End();
        Assert.True(put.Wait(Eventually.Timeout));
        Assert.Throws<PileFullException>(() => pile.Put(new byte[LengthBytes]));
    }

    /// <summary>Pages go from heap to heap, and back to the pool, while others look for them.</summary>
    [Fact]
    public void Threads_that_hold_no_more_together_than_there_is_room_for_are_never_refused()
    {
        const int Threads = 4;
        int seed = TestLeg.Seed(24);
        output.WriteLine($"seed {seed}");
        using var pile = new Pile(new PileOptions { SegmentBytes = SegmentBytes, MaxBytes = SegmentBytes });
        List<PilePointer> pointers = Fill(pile, 1_000);
        pointers.ForEach(pile.Delete);
        int each = pointers.Count / Threads;
        Task[] tasks =
            [.. Enumerable.Range(0, Threads).Select(i => SideBySide.Start(() => PutAndDelete(pile, each, new Random(seed + i))))];
        Assert.True(Task.WaitAll(tasks, Eventually.Timeout));
        Assert.Equal(0, pile.Statistics.ObjectCount);
        pile.Blocks.Allocator.CheckInvariants();
    }

    /// <summary>The last free page serves all threads, whichever has it, and while it is on its way to one.</summary>
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    public async Task Threads_that_put_at_once_into_the_last_pages_are_never_refused(int freePages)
    {
        const int Threads = 12;
        using var pile = new Pile(new PileOptions { SegmentBytes = SegmentBytes, MaxBytes = SegmentBytes });
        Fill(pile, OnePageBytes)[..freePages].ForEach(pile.Delete);
        using var together = new Barrier(Threads);
        int rounds = TestLeg.Steps(1_000, 100_000);
        int refused = 0;
        Task[] tasks =
        [
            .. Enumerable.Range(0, Threads).Select(
                _ => SideBySide.Start(() => Interlocked.Add(ref refused, PutAndDeleteAtOnce(pile, together, rounds)))),
        ];
        await Task.WhenAll(tasks).WaitAsync(TestLeg.IsLong ? 10 * Eventually.Timeout : Eventually.Timeout);
        output.WriteLine($"{refused:N0} of {Threads * rounds:N0} puts were refused");
        Assert.Equal(0, refused);
        pile.Blocks.Allocator.CheckInvariants();
    }

    /// <summary>
    /// What is searched in turn may be full each time somebody looks, though there is room at every instant: the other thread has one
    /// object at most, in one of two places, in either of which there is room for the first thread's.
    /// </summary>
    [Theory]
    [InlineData(100)]
    [InlineData(5_000)]
    [InlineData(20_000)]
    public async Task A_thread_for_which_there_is_always_room_is_never_refused(int otherBytes)
    {
        const int HalfPageBytes = 32_000;
        using var pile = new Pile(new PileOptions { SegmentBytes = SegmentBytes, MaxBytes = 1 << 20 });
        pile.Put(new byte[HalfPageBytes]);
        PilePointer slot = pile.Put(new byte[HalfPageBytes]);
        PilePointer page = Fill(pile, OnePageBytes)[0];
        pile.Delete(slot);
        pile.Delete(page);
        int rounds = TestLeg.Steps(200_000, 10_000_000);
        bool isOver = false;
        Task other = SideBySide.Start(() => PutEither(pile, [new byte[HalfPageBytes], new byte[otherBytes]], ref isOver));
        byte[] own = new byte[HalfPageBytes];
        try
        {
            for (int round = 0; round < rounds; round++)
                pile.Delete(pile.Put(own));
        }
        finally
        {
            Volatile.Write(ref isOver, true);
            await other.WaitAsync(Eventually.Timeout);
        }
    }

    /// <summary>What a heap keeps for a size of slot is no reason to refuse another size, or a run.</summary>
    [Fact]
    public void Empty_pages_that_heaps_keep_are_given_up_before_a_put_is_refused()
    {
        using var pile = new Pile(new PileOptions { SegmentBytes = SegmentBytes, MaxBytes = SegmentBytes });
        List<PilePointer> pointers = Fill(pile, OnePageBytes);
        pointers.ForEach(pile.Delete);
        for (int lengthBytes = 8; lengthBytes < 20_000; lengthBytes += lengthBytes / 8 + 8)
            pile.Delete(pile.Put(new byte[lengthBytes]));
        Assert.Equal(pointers.Count, Fill(pile, OnePageBytes).Count);
    }

    private static void PutEither(Pile pile, byte[][] values, ref bool isOver)
    {
        for (int round = 0; !Volatile.Read(ref isOver); round++)
        {
            try
            {
                pile.Delete(pile.Put(values[round % 2]));
            }
            catch (PileFullException)
            {
                // there is room for one of them only, and the other thread may have it
            }
        }
    }

    private static int PutAndDeleteAtOnce(Pile pile, Barrier together, int rounds)
    {
        int refused = 0;
        for (int round = 0; round < rounds; round++)
        {
            PilePointer pointer = default;
            Assert.True(together.SignalAndWait(Eventually.Timeout));
            try
            {
                pointer = pile.Put(new byte[100]);
            }
            catch (PileFullException)
            {
                refused++;
            }
            Assert.True(together.SignalAndWait(Eventually.Timeout));
            pile.TryDelete(pointer);
        }
        return refused;
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
