using System.Collections.Generic;
using System.Linq;
using BigPile.Perf.Loads;

namespace BigPile.Perf.Tests;

public class LoadLayoutTests
{
    private const int Count = 50_000_000;

    [Theory]
    [InlineData(32, 1)]
    [InlineData(32, 2)]
    [InlineData(64, 7)]
    [InlineData(1000, 2)]
    public void Every_segment_of_the_first_round_keeps_an_anchor_and_few_objects_are_one(int payloadBytes, int threads)
    {
        var layout = new LoadLayout(payloadBytes, threads);
        long segmentObjects = PileOptions.DefaultSegmentBytes / (payloadBytes + 8);
        foreach (Worker worker in Worker.Divide(Count, threads))
        {
            int[] anchors = [.. BatchStarts(layout, worker).Where(start => layout.StartsWithAnchor(worker, start))];
            Assert.Equal(layout.CountAnchors(worker), anchors.Length);
            Assert.InRange(anchors.Length, 1, Count / 1000);
            int[] ends = [worker.Start, .. anchors, worker.End];
            Assert.All(ends.Zip(ends.Skip(1)), pair => Assert.InRange(pair.Second - pair.First, 1, segmentObjects / threads));
        }
    }

    [Fact]
    public void Huge_objects_are_never_anchors()
    {
        var layout = new LoadLayout(payloadBytes: 100 << 20, threads: 2);
        Worker worker = Worker.Divide(10, 1)[0];
        Assert.Equal(1, layout.BatchObjects);
        Assert.Equal(0, layout.CountAnchors(worker));
        Assert.DoesNotContain(BatchStarts(layout, worker), start => layout.StartsWithAnchor(worker, start));
    }

    [Fact]
    public void A_random_order_stays_below_its_limit_and_reaches_everything()
    {
        var order = new RandomOrder(seed: 1, limit: 100);
        var seen = new bool[100];
        for (int i = 0; i < 2000; i++)
            seen[order.Next()] = true;
        Assert.All(seen, Assert.True);
    }

    private static IEnumerable<int> BatchStarts(LoadLayout layout, Worker worker)
    {
        for (int start = worker.Start; start < worker.End; start += layout.BatchObjects)
            yield return start;
    }
}
