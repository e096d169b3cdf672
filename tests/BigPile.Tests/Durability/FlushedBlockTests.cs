using System;
using System.Collections.Generic;
using System.Linq;

namespace BigPile.Tests.Durability;

/// <summary>What was flushed keeps its bytes until the next flush, freed or not.</summary>
public sealed class FlushedBlockTests : DurabilityTest
{
    private const int Objects = 3_000;

    [Fact]
    public void A_deletion_that_was_not_flushed_is_undone_whatever_reached_the_device()
    {
        int seed = TestLeg.Seed(31);
        using Pile pile = Open();
        Dictionary<PilePointer, byte[]> flushed = FillAndCheckpoint(pile);
        Array.ForEach([.. flushed.Keys], pile.Delete);
        for (int i = 0; i < Objects; i++)
            _ = pile.Put(ValueOf(i + Objects));
        for (int newShare = 0; newShare <= 100; newShare += 20)
        {
            var random = new Random(seed + newShare);
            Files.Build(ImagePath, (name, _) => name.StartsWith("segment", StringComparison.Ordinal) && random.Next(100) < newShare);
            using Pile image = OpenImage();
            AssertHolds(image, flushed, $"seed {seed}, share {newShare}");
            image.Recovery.Completion.Wait();
            AssertHolds(image, flushed, $"seed {seed}, share {newShare}");
        }
    }

    /// <summary>The list of what a flush releases has it twice: as freed under a lease, and as given back by the lease's end.</summary>
    [Theory]
    [InlineData(1_000)]
    [InlineData(200_000)]
    public void What_was_freed_under_a_lease_that_ends_before_the_flush_is_released_once(int lengthBytes)
    {
        using Pile pile = Open();
        PilePointer pointer = pile.Put(new byte[lengthBytes]);
        pile.Flush();
        using (pile.Lease(pointer))
            pile.Delete(pointer);
        Assert.NotEqual(0, pile.Engine.PendingFreeBytes);
        pile.Flush();
        PileStatistics s = pile.Statistics;
        Assert.Equal((0L, 0L, 0L), (pile.Engine.PendingFreeBytes, s.ObjectCount, s.PayloadBytes));
        Assert.Equal(s.CommittedBytes, s.HeaderBytes + s.SlackBytes + s.FreeBytes);
        Assert.True(pile.Verify().IsSound);
    }

    /// <summary>Nobody but the headers knows after a kill what was flushed and freed.</summary>
    [Fact]
    public void A_deletion_that_was_not_flushed_is_undone_also_with_a_kill_in_between()
    {
        using Pile pile = Open();
        Dictionary<PilePointer, byte[]> flushed = FillAndCheckpoint(pile);
        PilePointer[] deleted = [.. flushed.Keys.Where((_, i) => i % 3 != 0)];
        Array.ForEach(deleted, pile.Delete);
        using Pile killed = OpenKilled();
        Assert.All(deleted, pointer => Assert.False(killed.Contains(pointer)));
        for (int i = 0; i < Objects; i++)
            _ = killed.Put(ValueOf(i + Objects));
        Array.ForEach([.. flushed.Keys.Except(deleted)], killed.Delete);
        killed.Recovery.Completion.Wait();
        KilledPile.Copy(ImagePath, OtherPath);
        using Pile image = Pile.Open(OtherPath, new PileOptions { SegmentBytes = SegmentBytes, BootId = DurabilityTest.NextBoot });
        AssertHolds(image, flushed, "after a kill and a power cut");
        killed.Flush();
        Assert.Equal(0, killed.Engine.PendingFreeBytes);
    }

    [Fact]
    public void What_is_freed_step_by_step_is_released_flush_by_flush()
    {
        using Pile pile = Open();
        PilePointer[] flushed = [.. FillAndCheckpoint(pile).Keys];
        int left = flushed.Length;
        for (int part = 0; part < 7; part++) // of each page some slots at a time
        {
            PilePointer[] some = [.. flushed.Where((_, i) => i % 7 == part)];
            Array.ForEach(some, pile.Delete);
            Assert.All(some, pointer => Assert.False(pile.TryDelete(pointer)));
            Assert.NotEqual(0, pile.Engine.PendingFreeBytes);
            pile.Flush();
            Assert.Equal((0, left -= some.Length), (pile.Engine.PendingFreeBytes, pile.Statistics.ObjectCount));
            Assert.True(pile.Verify().IsSound);
        }
        pile.Trim();
        Assert.Equal(1, pile.Statistics.SegmentCount);
    }

    [Fact]
    public void A_flushed_deletion_stays_through_closing_kills_and_power_cuts()
    {
        using Pile pile = Open();
        Dictionary<PilePointer, byte[]> flushed = FillAndCheckpoint(pile);
        PilePointer[] deleted = [.. flushed.Keys.Where((_, i) => i % 2 == 0)];
        Array.ForEach(deleted, pile.Delete);
        pile.Engine.RequestCheckpoint();
        pile.Flush(); // a checkpoint: no record says that they are gone
        Files.Build(ImagePath);
        using (Pile image = OpenImage())
        {
            Assert.All(deleted, pointer => Assert.False(image.Contains(pointer)));
            image.Recovery.Completion.Wait();
            Assert.Equal(Objects - deleted.Length, image.Statistics.ObjectCount);
            Assert.Equal(0, image.Recovery.FaultCount);
        }
        PilePointer[] more = [.. flushed.Keys.Except(deleted).Take(100)];
        Array.ForEach(more, pile.Delete);
        pile.Dispose();
        using Pile again = Open();
        Assert.All(deleted.Concat(more), pointer => Assert.False(again.Contains(pointer)));
        again.Recovery.Completion.Wait();
        Assert.Equal((Objects - deleted.Length - more.Length, 0), (again.Statistics.ObjectCount, again.Recovery.FaultCount));
        Assert.True(again.Verify().IsSound);
    }

    [Fact]
    public void A_pending_free_counts_as_free_and_its_space_is_released_by_a_flush()
    {
        using Pile pile = Open();
        Dictionary<PilePointer, byte[]> flushed = FillAndCheckpoint(pile);
        Array.ForEach([.. flushed.Keys], pile.Delete);
        PileStatistics s = pile.Statistics;
        Assert.Equal(s.CommittedBytes, s.PayloadBytes + s.HeaderBytes + s.SlackBytes + s.FreeBytes + s.UnexaminedBytes);
        Assert.Equal(0, s.ObjectCount);
        Assert.InRange(pile.Engine.PendingFreeBytes, flushed.Values.Sum(static value => (long)value.Length), s.FreeBytes);
        pile.Flush();
        Assert.Equal(0, pile.Engine.PendingFreeBytes);
        pile.Trim();
        Assert.Equal(1, pile.Statistics.SegmentCount);
    }

    /// <summary>Everything in the pile is flushed, and there is space for nothing else: the put flushes by itself.</summary>
    [Theory]
    [InlineData(100)]
    [InlineData(100_000)]
    public void A_full_pile_takes_new_objects_after_flushed_ones_were_deleted(int lengthBytes)
    {
        using Pile pile = Open(static options => options with { MaxBytes = 2 * SegmentBytes });
        var pointers = new List<PilePointer>();
        Assert.Throws<PileFullException>(() => Fill(pile, pointers, lengthBytes));
        pile.Flush();
        pointers.ForEach(pile.Delete);
        int count = pointers.Count;
        for (int i = 0; i < count; i++)
            _ = pile.Put(i % 2 == 0 ? new byte[lengthBytes] : new string('s', lengthBytes));
        Assert.Equal(count, pile.Statistics.ObjectCount);
    }

    [Fact]
    public void A_leased_object_that_was_flushed_and_deleted_is_settled_once()
    {
        using Pile pile = Open();
        PilePointer[] pointers = [.. Enumerable.Range(0, 40).Select(i => pile.Put(ValueOf(i)))];
        pile.Flush();
        PileLease[] leases = [.. pointers.Select(pile.Lease)];
        Array.ForEach(pointers, pile.Delete);
        for (int i = 0; i < leases.Length; i += 2)
            leases[i].Dispose();
        for (int i = 0; i < 6; i++)
        {
            pile.Engine.RequestCheckpoint();
            pile.Flush();
            Assert.True(leases[1 + 2 * i].Span.SequenceEqual(ValueOf(1 + 2 * i)));
        }
        Files.Build(ImagePath, static (_, _) => true);
        using Pile image = OpenImage();
        Assert.All(pointers, pointer => Assert.False(image.Contains(pointer)));
        for (int i = 1; i < leases.Length; i += 2)
            leases[i].Dispose();
        pile.Flush();
        Assert.Equal(0, pile.Engine.PendingFreeBytes);
        Assert.Equal(0, pile.Statistics.ObjectCount);
        Assert.True(pile.Verify().IsSound);
    }

    private static void Fill(Pile pile, List<PilePointer> pointers, int lengthBytes)
    {
        while (true)
            pointers.Add(pile.Put(new byte[lengthBytes]));
    }

    private static Dictionary<PilePointer, byte[]> FillAndCheckpoint(Pile pile)
    {
        Dictionary<PilePointer, byte[]> flushed = Enumerable.Range(0, Objects).ToDictionary(i => pile.Put(ValueOf(i)), ValueOf);
        pile.Engine.RequestCheckpoint();
        pile.Flush();
        return flushed;
    }

    private static void AssertHolds(Pile pile, Dictionary<PilePointer, byte[]> values, string when)
    {
        foreach ((PilePointer pointer, byte[] value) in values)
        {
            Assert.True(pile.TryGet(pointer, out byte[]? found), $"{when}: {pointer} is gone");
            Assert.True(found.AsSpan().SequenceEqual(value), $"{when}: {pointer} is another");
        }
    }

    // Of all forms: checksum behind the payload, in the header, and runs.
    private static byte[] ValueOf(int number) =>
        Noise.Of(number % 100 == 7 ? 40_000 + number : number % 10 == 3 ? 1_000 + number % 3_000 : number % 200, number);
}
