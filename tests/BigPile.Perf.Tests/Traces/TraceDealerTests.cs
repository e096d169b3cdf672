using System.Collections.Concurrent;
using System.Linq;
using System.Threading;
using BigPile.Perf.Loads;
using BigPile.Perf.Policies;
using BigPile.Perf.Tables;
using BigPile.Perf.Traces;

namespace BigPile.Perf.Tests.Traces;

public sealed class TraceDealerTests
{
    [Theory]
    [InlineData(1, 1)]
    [InlineData(64, 2)]
    [InlineData(1000, 3)]
    [InlineData(5, 8)]
    [InlineData(100_003, 8)]
    public void Each_access_is_dealt_out_once_in_small_pieces(int accesses, int threads)
    {
        var batches = new ConcurrentBag<(int Start, int End)>();
        var dealer = new TraceDealer(new Trace("t", new int[accesses], 1, null), threads);
        (HitTally hits, _) = dealer.Run(
            (start, end) =>
            {
                batches.Add((start, end));
                return new HitTally(end - start, 1, 2, 3);
            },
            new NoProgress(), CancellationToken.None);
        Assert.All(batches, static batch => Assert.InRange(batch.End - batch.Start, 1, 64));
        Assert.Equal(
            Enumerable.Range(0, accesses),
            batches.Order().SelectMany(static batch => Enumerable.Range(batch.Start, batch.End - batch.Start)));
        Assert.Equal(new HitTally(accesses, batches.Count, 2 * batches.Count, 3 * batches.Count), hits);
    }
}
