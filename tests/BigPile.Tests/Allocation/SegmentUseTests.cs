using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;

namespace BigPile.Tests.Allocation;

/// <summary>The survey of segments against the statistics, which count each change as it happens.</summary>
public sealed class SegmentUseTests
{
    [Theory]
    [InlineData(1)]
    [InlineData(7)]
    [InlineData(1024)]
    public void The_parts_are_what_the_statistics_say(int cells)
    {
        int seed = TestLeg.Seed(3);
        var random = new Random(seed);
        using var pile = new Pile(new PileOptions { SegmentBytes = 4 << 20 });
        var live = new List<PilePointer>();
        for (int i = 0; i < 20_000; i++)
        {
            if (live.Count > 100 && random.Next(3) == 0)
            {
                int victim = random.Next(live.Count);
                pile.Delete(live[victim]);
                live[victim] = live[^1];
                live.RemoveAt(live.Count - 1);
            }
            else
            {
                live.Add(pile.Put(new byte[random.Next(50) == 0 ? random.Next(300_000) : random.Next(2_000)]));
            }
        }
        AssertSame(pile, cells, seed);
    }

    [Fact]
    public void Pages_that_nobody_has_examined_are_told_apart()
    {
        string directory = Directory.CreateTempSubdirectory("bigpile-survey-").FullName;
        try
        {
            using (Pile first = Pile.Open(directory, new PileOptions { SegmentBytes = 4 << 20 }))
            {
                for (int i = 0; i < 3_000; i++)
                    first.Put(new byte[i % 50 == 0 ? 200_000 : 500]);
            }
            using Pile pile = Pile.Open(directory, new PileOptions { Warmup = PileWarmup.Off });
            Assert.True(pile.Statistics.UnexaminedBytes > 1 << 20);
            AssertSame(pile, 64, 0);
            pile.Recovery.Resume();
            pile.Recovery.Completion.Wait();
            Assert.Equal(0, pile.Statistics.UnexaminedBytes);
            AssertSame(pile, 64, 0);
        }
        finally
        {
            Directory.Delete(directory, recursive: true);
        }
    }

    private static void AssertSame(Pile pile, int cells, int seed)
    {
        IReadOnlyList<PileSegmentUse> segments = PileSegments.Survey(pile, cells);
        PileStatistics statistics = pile.Statistics;
        Assert.Equal(statistics.SegmentCount, segments.Count);
        Assert.All(segments, segment => Assert.InRange(segment.Parts.Count, 1, Math.Max(1, cells / segments.Count)));
        PilePageUse all = segments.SelectMany(static segment => segment.Parts).Aggregate(static (left, right) => left + right);
        Assert.True(
            (statistics.ReservedBytes, statistics.FreeBytes, statistics.UnusedBytes, statistics.UnexaminedBytes, statistics.CommittedBytes)
            == (all.TotalBytes, all.FreeBytes, all.UnusedBytes, all.UnrecoveredBytes, all.HeadBytes + all.TakenBytes + all.FreeBytes
                + all.UnrecoveredBytes),
            $"seed {seed}: {all} and {statistics}");
    }
}
