using System;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Caching.Entries;
using BigPile.Caching.Keys;
using BigPile.Caching.SingleFlight;

namespace BigPile.Caching.Tests.Spill;

/// <summary>Threads that each know what their keys have, beside all others that move entries to and fro.</summary>
public sealed class SpillRaceTests
{
    // The factory began while the key was in the file, which is no entry for it.
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_removal_of_one_version_outdates_the_factories_of_a_spilled_key(bool isPromoted)
    {
        using var cache = new SpillingCache();
        const int key = 7;
        cache.Fill(8);
        cache.Displace();
        Span<byte> stack = stackalloc byte[KeyBuffer.SizeBytes];
        KeyProbe probe = cache.Table.KeyCodec.Probe(key, stack);
        Assert.True(cache.Table.Core.Peek.TryPeek(probe, out EntryCopy entry));
        FlightTicket? ticket = cache.Table.Core.FlightStart.BeginFlight(probe, []);
        Assert.NotNull(ticket); // else the key has not left memory
        if (isPromoted)
            Assert.True(cache.Table.TryGet(key, out _));
        Assert.True(cache.Table.Remove(key, entry.Info.Version));
        Assert.True(ticket.IsOutdated);
        cache.Table.Core.Flights.End(ticket);
    }

    [Fact]
    public async Task Eight_threads_never_read_an_older_value_than_was_put_nor_one_that_was_removed()
    {
        const int threads = 8;
        const int keysEach = 600;
        using var cache = new SpillingCache();
        int seed = TestLeg.Seed(7);
        int steps = TestLeg.Steps(20_000, 400_000);
        await Task.WhenAll(Enumerable.Range(0, threads).Select(thread => SideBySide.Start(() =>
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

    /// <summary>A refused put sweeps for space, and a clear takes every stripe lock: neither may hold what the other waits for.</summary>
    [Fact]
    public async Task Puts_that_sweep_for_room_and_clearings_do_not_wait_for_each_other()
    {
        const int threads = 3;
        int seed = TestLeg.Seed(11);
        int rounds = TestLeg.Steps(3_000, 100_000);
        int clearings = 0;
        var time = new ManualTime();
        var cache = new SpillingCache(time);
        var pinned = new EntryOptions { Priority = EntryPriority.NeverEvict, MaxAge = TimeSpan.FromSeconds(1) };
        Task[] putting = [.. Enumerable.Range(0, threads).Select(thread => SideBySide.Start(() =>
        {
            var random = new Random(seed + thread);
            // on a busy machine all may be put before the first clearing comes to run
            for (int round = 0; round < rounds || Volatile.Read(ref clearings) == 0; round++)
            {
                int key = random.Next(100_000);
                cache.Table.Put(key, SpillingCache.Value(key), random.Next(4) == 0 ? null : pinned);
                if (round % 100 == 0)
                    time.Advance(TimeSpan.FromMilliseconds(100));
            }
        }))];
        Task ended = Task.WhenAll(putting);
        Task clearing = SideBySide.Start(() =>
        {
            while (!ended.IsCompleted)
            {
                if (cache.Table.Statistics.Collisions <= clearings * 10L)
                    continue; // memory is not full again
                cache.Table.Clear();
                Volatile.Write(ref clearings, clearings + 1);
            }
        });
        // a cache that hangs can't be disposed of either
        await Task.WhenAll(ended, clearing).WaitAsync(TimeSpan.FromMinutes(2));
        Assert.NotEqual(0, clearings);
        cache.Table.Clear();
        Assert.Equal(0, cache.Table.Count);
        cache.Dispose();
    }
}
