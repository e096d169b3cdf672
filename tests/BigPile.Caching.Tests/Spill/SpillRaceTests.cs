using System;
using System.Linq;
using System.Threading.Tasks;

namespace BigPile.Caching.Tests.Spill;

/// <summary>Threads that each know what their keys have, beside all others that move entries to and fro.</summary>
public sealed class SpillRaceTests
{
    [Fact]
    public async Task Eight_threads_never_read_an_older_value_than_was_put_nor_one_that_was_removed()
    {
        const int threads = 8;
        const int keysEach = 600;
        using var cache = new SpillingCache();
        int seed = Testing.TestLeg.Seed(7);
        int steps = Testing.TestLeg.Steps(20_000, 400_000);
        await Task.WhenAll(Enumerable.Range(0, threads).Select(thread => Testing.SideBySide.Start(() =>
        {
            var random = new Random(seed + thread);
            var numbers = new int[keysEach]; // 0: not there
            int last = 0;
            for (int step = 0; step < steps; step++)
            {
                int own = random.Next(keysEach);
                int key = thread * keysEach + own;
                string when = $"seed {seed}, thread {thread}, step {step}, key {key}";
                switch (random.Next(8))
                {
                    case 0:
                        Assert.True(cache.Table.Remove(key) == (numbers[own] != 0), when);
                        numbers[own] = 0;
                        break;
                    case 1 or 2:
                        cache.Table.Put(key, SpillingCache.Value(key, ++last));
                        numbers[own] = last;
                        break;
                    case 3:
                        bool isNew = cache.Table.Update(key, SpillingCache.Value(key, ++last), version: 0, out _);
                        Assert.True(isNew == (numbers[own] == 0), when);
                        numbers[own] = isNew ? last : numbers[own];
                        break;
                    case 4:
                        _ = cache.Table.TryGet(random.Next(threads * keysEach), out _); // one of the others'
                        break;
                    default:
                        bool found = cache.Table.TryGet(key, out byte[]? value);
                        Assert.True(found == (numbers[own] != 0), when);
                        Assert.True(!found || value!.AsSpan().SequenceEqual(SpillingCache.Value(key, numbers[own])), when);
                        break;
                }
            }
        })));
        TableStatistics statistics = cache.Table.Statistics;
        Assert.NotEqual(0, statistics.SpillReturns);
        Assert.Equal(0, statistics.SpillLosses);
        Assert.InRange(statistics.TotalBytes, 1, 1 << 20);
    }
}
