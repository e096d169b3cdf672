using System;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Caching.Tests.Metrics;

public sealed class CounterTests : IDisposable
{
    private static readonly int ThreadCount = Math.Max(40, Environment.ProcessorCount * 4 + 8); // more than there are cells
    private const int PutCount = 200;

    private readonly PileCache _cache = TestCache.Make();

    public void Dispose() => _cache.Dispose();

    [Fact]
    public void What_many_threads_count_is_there_when_they_have_ended()
    {
        CacheTable<long, byte[]> table = _cache.GetOrCreateTable<long, byte[]>("t");
        for (int round = 1; round <= 3; round++) // later threads get the numbers of earlier ones
        {
            long first = round * ThreadCount * PutCount;
            RunTogether(thread =>
            {
                for (long key = first + thread * PutCount; key < first + (thread + 1) * PutCount; key++)
                {
                    table.PutBytes(key, [1], out _);
                    Assert.True(table.ContainsKey(key));
                    Assert.False(table.ContainsKey(-key));
                }
            });
            long expected = (long)round * ThreadCount * PutCount;
            TableStatistics statistics = table.Statistics;
            Assert.Equal(
                (expected, expected, expected, expected, expected),
                (table.Count, statistics.EntryCount, statistics.Inserts, statistics.Hits, statistics.Misses));
            GC.Collect();
        }
    }

    private static void RunTogether(Action<int> action)
    {
        using var start = new Barrier(ThreadCount);
        var ends = new Task[ThreadCount];
        for (int i = 0; i < ThreadCount; i++)
        {
            int thread = i;
            ends[i] = Task.Factory.StartNew(
                () =>
                {
                    start.SignalAndWait();
                    action(thread);
                },
                default, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        }
        Task.WaitAll(ends);
    }
}
