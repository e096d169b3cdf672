using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Allocation;
using BigPile.Reporting;
using BigPile.Tests.Durability;
using Xunit.Abstractions;

namespace BigPile.Tests;

/// <summary>What long calls say of how far they are.</summary>
public sealed class PileProgressTests(ITestOutputHelper output) : DurabilityTest
{
    private const int Segments = 4;

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_verification_counts_the_pages_of_all_segments(bool isMapped)
    {
        using Pile pile = isMapped ? Open() : new Pile(new PileOptions { SegmentBytes = SegmentBytes });
        Fill(pile);
        Eventually.True(() => pile.Engine.Background.IsIdle); // a segment may be made ahead
        var reports = new Reports();
        PileVerification found = pile.Verify(reports, CancellationToken.None);
        Assert.True(found.IsSound);
        Assert.Equal(PagesOf(pile), reports.CheckedTotal());
        Assert.InRange(found.PageCount, 1, reports.CheckedTotal());
        Assert.InRange(reports.All.Count, 10, ProgressGauge.MaxSteps + 2);
    }

    [Fact]
    public void A_compaction_counts_the_pages_that_it_went_through_and_the_whole_once_memory_is_given_back()
    {
        using var pile = new Pile(new PileOptions { SegmentBytes = SegmentBytes });
        PilePointer[] pointers = Fill(pile);
        int seed = TestLeg.Seed(21);
        output.WriteLine($"seed {seed}");
        var random = new Random(seed);
        foreach (PilePointer pointer in pointers.Where(_ => random.Next(10) == 0))
        {
            pile.Replace(pointer, new byte[5_000]); // behind a link
            pile.Replace(pointer, new byte[500]); // would fit its place again
        }
        long links = pile.Statistics.LinksSoFar;
        long pages = PagesOf(pile);
        var reports = new Reports { Probe = () => pile.Statistics.LinksSoFar };
        pile.Compact(reports, CancellationToken.None);
        Assert.Equal(pages, reports.CheckedTotal());
        Assert.InRange(reports.All.Count, 10, ProgressGauge.MaxSteps + 2);
        Assert.Equal(reports.Seen.OrderDescending(), reports.Seen); // the work goes on between the reports
        Assert.Equal((links, pile.Statistics.LinkCount), (reports.Seen[0], reports.Seen[^1]));
    }

    [Fact]
    public void A_checkpoint_counts_the_bytes_of_the_segments_that_are_durable()
    {
        using Pile pile = Open(static options => options with { FlushLogBytes = 1 << 20 });
        Fill(pile);
        Eventually.True(() => pile.Engine.Background.IsIdle); // a segment may be made ahead
        int syncsBefore = Files.SyncsOf("segment");
        var reports = new Reports { Probe = () => Files.SyncsOf("segment") - syncsBefore };
        pile.Flush(reports);
        Segment[] segments = pile.Blocks.Allocator.Pool.Segments();
        Assert.True(segments.Length >= Segments);
        Assert.Equal(segments.Sum(static segment => segment.Region.LengthBytes), reports.CheckedTotal());
        // One report for each segment, the last but with the log; the segments lie in the order of their numbers, all of one length.
        Assert.Equal(Enumerable.Range(
            0, segments.Length + 1).Select(static i => i * SegmentBytes), reports.All.Select(static report => report.Done));
        Assert.All(reports.Seen, (synced, i) => Assert.InRange(synced, i, segments.Length)); // the flush goes on while somebody is told
    }

    [Fact]
    public void A_flush_of_few_changes_counts_the_bytes_of_the_log()
    {
        using Pile pile = Open();
        PilePointer[] pointers = Fill(pile);
        pile.Flush();
        long before = DurableFiles.LogBytes(PilePath);
        foreach (PilePointer pointer in pointers.Take(100))
            pile.Replace(pointer, new byte[500]);
        var reports = new Reports();
        pile.Flush(reports);
        Assert.Equal(DurableFiles.LogBytes(PilePath) - before, reports.CheckedTotal());
        var nothing = new Reports();
        pile.Flush(nothing);
        Assert.Equal(0, nothing.CheckedTotal());
    }

    [Fact]
    public void A_flush_of_a_pile_that_is_not_mapped_has_nothing_to_do()
    {
        using var pile = new Pile();
        var reports = new Reports();
        pile.Flush(reports);
        Assert.Equal([new PileProgress(0, 0)], reports.All);
        Assert.Equal(1, reports.All[0].Fraction);
    }

    [Fact]
    public void A_checkpoint_that_writers_outrun_writes_each_segment_once()
    {
        const int logBytes = 1 << 20;
        PilePointer[] pointers = [];
        int roundSegments = 0;
        int syncs = 0;
        Pile? outrun = null;
        // Changes more than the log holds behind each segment that is written through.
        using Pile pile = Open(options => options with
        {
            FlushLogBytes = logBytes,
            Synced = path =>
            {
                Files.Synced(path);
                if (outrun == null || !Path.GetFileName(path).StartsWith("segment", StringComparison.Ordinal) || syncs++ >= roundSegments)
                    return;
                Task changes = SideBySide.Start(
                    () => Array.ForEach(pointers[..(2 * logBytes / 500)], one => outrun.Replace(one, new byte[500])));
                Assert.True(changes.Wait(Eventually.Timeout));
            },
        });
        pointers = Fill(pile);
        roundSegments = pile.Blocks.Allocator.Pool.Segments().Length;
        int syncsBefore = Files.SyncsOf("segment");
        outrun = pile;
        var reports = new Reports();
        pile.Flush(reports);
        outrun = null;
        _ = reports.CheckedTotal();
        Assert.Equal(roundSegments, Files.SyncsOf("segment") - syncsBefore);
    }

    [Fact]
    public void A_walk_that_is_stopped_while_it_reports_never_says_that_all_is_done()
    {
        using var pile = new Pile(new PileOptions { SegmentBytes = SegmentBytes });
        Fill(pile);
        foreach (bool isVerify in new[] { false, true })
        {
            using var stop = new CancellationTokenSource();
            var reports = new Reports();
            reports.Probe = () =>
            {
                if (reports.All[^1].Fraction > 0.4)
                    stop.Cancel();
                return 0;
            };
            Assert.Throws<OperationCanceledException>(() =>
            {
                if (isVerify)
                    pile.Verify(reports, stop.Token);
                else
                    pile.Compact(reports, stop.Token);
            });
            Assert.InRange(reports.All[^1].Fraction, 0.4, 0.45);
        }
    }

    [Fact]
    public void What_others_add_or_take_meanwhile_does_not_push_a_walk_back_or_over_its_end()
    {
        using var pile = new Pile(new PileOptions { SegmentBytes = SegmentBytes });
        PilePointer[] pointers = Fill(pile);
        var reports = new Reports();
        reports.Probe = () =>
        {
            if (reports.All.Count == 5)
                Fill(pile);
            if (reports.All.Count == 10)
            {
                foreach (PilePointer pointer in pointers)
                    pile.Delete(pointer);
                pile.Trim();
            }
            return 0;
        };
        pile.Verify(reports, CancellationToken.None);
        _ = reports.CheckedTotal();
        reports.All.Clear();
        pointers = Fill(pile);
        pile.Compact(reports, CancellationToken.None);
        _ = reports.CheckedTotal();
    }

    // Objects of one size, in so many segments.
    private static PilePointer[] Fill(Pile pile)
    {
        var value = new byte[500];
        var pointers = new List<PilePointer>();
        for (int end = pile.Blocks.Allocator.Pool.Segments().Length + Segments; pile.Blocks.Allocator.Pool.Segments().Length < end;)
        {
            for (int i = 0; i < 1_000; i++)
                pointers.Add(pile.Put(value));
        }
        return [.. pointers];
    }

    private static long PagesOf(Pile pile) =>
        pile.Blocks.Allocator.Pool.Segments().Sum(static segment => (long)segment.PageCount - segment.HeadPages);

    // Keeps what is reported, and looks at something else each time.
    private sealed class Reports : IProgress<PileProgress>
    {
        private readonly int _thread = Environment.CurrentManagedThreadId;

        public List<PileProgress> All { get; } = [];

        public List<long> Seen { get; } = [];

        public Func<long>? Probe { get; set; }

        public void Report(PileProgress value)
        {
            Assert.Equal(_thread, Environment.CurrentManagedThreadId);
            All.Add(value);
            if (Probe != null)
                Seen.Add(Probe());
        }

        /// <summary>Checks that it begins with nothing, never goes back and ends with the whole, and gives the total.</summary>
        public long CheckedTotal()
        {
            Assert.Equal(0, All[0].Done);
            Assert.All(All, report => Assert.Equal(All[0].Total, report.Total));
            for (int i = 1; i < All.Count; i++)
                Assert.True(All[i].Done > All[i - 1].Done || All[i].Total == 0, $"{All[i]} after {All[i - 1]}");
            Assert.All(All.SkipLast(1), static report => Assert.True(report.Fraction < 1 || report.Total == 0));
            Assert.Equal(1, All[^1].Fraction);
            return All[^1].Total;
        }
    }
}
