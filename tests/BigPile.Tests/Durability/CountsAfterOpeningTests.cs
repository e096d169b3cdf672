using System;
using System.Linq;

namespace BigPile.Tests.Durability;

/// <summary>What a pile that was opened says of what it holds, before and beside everybody who has counted it.</summary>
public sealed class CountsAfterOpeningTests : DurabilityTest
{
    private const int Objects = 5_000;

    [Fact]
    public void Objects_of_a_reopened_pile_are_not_counted_before_all_its_pages_are_examined()
    {
        PilePointer grown;
        using (Pile pile = Open())
        {
            grown = pile.Put(new byte[100]);
            for (int i = 1; i < Objects; i++)
                pile.Put(new byte[i % 900]);
            pile.Replace(grown, new byte[5_000]);
            Assert.Equal((Objects, 1), (pile.Statistics.ObjectCount, pile.Statistics.LinkCount));
        }
        using Pile again = Open(static options => options with { Warmup = PileWarmup.Off });
        Assert.Equal(5_000, again.GetBytes(grown).Length);
        PileStatistics first = again.Statistics;
        Assert.Null((object?)first.ObjectCount);
        Assert.Null((object?)first.LinkCount);
        again.Recovery.Resume();
        again.Recovery.Completion.Wait();
        Assert.Equal((Objects, 1), (again.Statistics.ObjectCount, again.Statistics.LinkCount));
    }

    [Fact]
    public void A_reader_knows_a_pile_that_was_killed_from_one_that_is_closed_or_being_written()
    {
        using (Pile writer = Open())
        {
            writer.Put("kept");
            using Pile beside = Open(Reading);
            Assert.Equal((OperatingSystem.IsLinux(), false), (beside.Recovery.WasClean, beside.Recovery.WasPowerCut));
            using Pile killed = OpenKilled(Reading);
            Assert.Equal((false, false), (killed.Recovery.WasClean, killed.Recovery.WasPowerCut));
            Assert.False(killed.Verify().WasClean);
            using Pile cut = OpenImage(Reading);
            Assert.Equal((false, true), (cut.Recovery.WasClean, cut.Recovery.WasPowerCut));
        }
        using Pile closed = Open(Reading);
        Assert.True(closed.Recovery.WasClean);
    }

    private static PileOptions Reading(PileOptions options) => options with { ReadOnly = true };

    /// <summary>It examines nothing, so what its writer uses is unexamined to it; the number of objects it can't know.</summary>
    [Fact]
    public void A_reader_knows_how_much_its_writer_uses_and_no_number_of_objects()
    {
        using Pile writer = Open();
        writer.Blocks.Allocator.Pool.Growth.SpareWanted = null; // a reader counts it, as it is listed
        writer.Put(new byte[200_000]);
        using Pile reader = Open(Reading);
        for (int round = 0; round < 3; round++)
        {
            for (int i = 0; i < Objects; i++)
                writer.Put(new byte[i % 900]);
            PileStatistics there = writer.Statistics;
            PileStatistics here = reader.Statistics;
            Assert.Equal(
                (there.SegmentCount, there.ReservedBytes, there.CommittedBytes, there.UnusedBytes),
                (here.SegmentCount, here.ReservedBytes, here.CommittedBytes, here.UnusedBytes));
            Assert.Equal(here.CommittedBytes, here.HeaderBytes + here.UnexaminedBytes);
            Assert.Equal((0, 0, 0), (here.PayloadBytes, here.SlackBytes, here.FreeBytes));
            Assert.Null(here.ObjectCount);
            Assert.Equal(there.ObjectCount, reader.Count());
        }
        Assert.NotEqual(1, reader.Statistics.SegmentCount);
    }
}
