using System;
using System.Diagnostics;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Xunit.Abstractions;

namespace BigPile.Caching.Tests.Sliding;

/// <summary>Threads read sliding entries by the system's clock: what is read within its time stays, and what is not goes.</summary>
/// <remarks>
/// On a slow machine, too: the time is recorded before each read, so a miss counts as wrong only if the entry was read within its time;
/// else no read came in time, which is counted apart.
/// </remarks>
public sealed class UsedInTimeTests(ITestOutputHelper output) : IDisposable
{
    private const int Keys = 1_000;
    private const int Threads = 4;

    private static readonly TimeSpan Life = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan Length = TimeSpan.FromSeconds(TestLeg.Steps(2, 60));
    private static readonly long LeastReads = TestLeg.Steps(0, 10_000_000);

    private readonly ScratchDirectory _scratch = new();
    private readonly long[] _lastRead = new long[Keys];
    private long _reads;
    private long _late;

    public void Dispose() => _scratch.Dispose();

    [Theory]
    [InlineData(StoreKind.Native)]
    [InlineData(StoreKind.Mapped)]
    public void What_is_read_in_time_stays_and_nothing_else_does(StoreKind store)
    {
        using PileCache cache = store == StoreKind.Mapped
            ? new PileCache(Pile.Open(_scratch.Root), new PileCacheOptions { OwnsPile = true, DefaultTableOptions = TestCache.AllDurable })
            : new PileCache(new Pile(), new PileCacheOptions { OwnsPile = true, DefaultTableOptions = TestCache.AllDurable });
        CacheTable<long, long> table = cache.GetOrCreateTable<long, long>("t");
        for (long key = 0; key < 2 * Keys; key++)
        {
            if (key < Keys) // not the start of the reads: the puts may take a second
                _lastRead[key] = Stopwatch.GetTimestamp();
            table.Put(key, key, new EntryOptions { Sliding = Life });
        }
        long start = Stopwatch.GetTimestamp();
        Task[] reading = [.. Enumerable.Range(0, Threads).Select(seed => SideBySide.Start(() => Read(table, start, new Random(seed))))];
        Task.WaitAll(reading);
        for (long key = Keys; key < 2 * Keys; key++)
            Assert.False(table.TryGetEntry(key, out _), $"{key} is there, and was never read");
        table.Sweep();
        Assert.InRange(table.Count, 0, Keys);
        long gone = store == StoreKind.Mapped ? LostInKill(cache) : 0;
        output.WriteLine(
            $"{store}: {_reads:N0} reads of {Keys:N0} keys by {Threads} threads in {Length.TotalSeconds} s, expired though read in time 0, "
            + $"not read in time {_late}, unread and there 0, lost in a kill {gone}");
        Assert.Equal(0, gone);
    }

    private void Read(CacheTable<long, long> table, long start, Random random)
    {
        while (Stopwatch.GetElapsedTime(start) < Length || Volatile.Read(ref _reads) < LeastReads)
        {
            for (int i = 0; i < Keys; i++)
                ReadOne(table, random.Next(Keys));
            Interlocked.Add(ref _reads, Keys);
        }
    }

    private void ReadOne(CacheTable<long, long> table, int key)
    {
        long last = Volatile.Read(ref _lastRead[key]);
        long now = Stopwatch.GetTimestamp();
        if (table.TryGet(key, out long value))
        {
            Assert.Equal(key, value);
            Volatile.Write(ref _lastRead[key], Math.Max(now, last)); // another's later one may go: it was in time
            return;
        }
        Assert.True(Stopwatch.GetElapsedTime(last) >= Life, $"{key} is gone, and was read {Stopwatch.GetElapsedTime(last)} before");
        Interlocked.Increment(ref _late);
        table.Put(key, key, new EntryOptions { Sliding = Life });
    }

    // By a clock that stands where it was: what the last sweep wrote is nearly a life ahead.
    private long LostInKill(PileCache cache)
    {
        CacheTable<long, long> table = cache.GetOrCreateTable<long, long>("t");
        string killed;
        ManualTime time;
        int copy = 0;
        long began;
        do // again where a busy machine took a life for it: until then some have expired
        {
            began = Stopwatch.GetTimestamp();
            time = new ManualTime(TimeProvider.System.GetUtcNow());
            for (long key = 0; key < Keys; key++)
                ReadOne(table, (int)key);
            table.Sweep();
            killed = System.IO.Path.Combine(_scratch.Root, $"killed{copy++}");
            KilledPile.Copy(_scratch.Root, killed);
        }
        while (Stopwatch.GetElapsedTime(began) >= Life);
        using PileCache back = TestCache.Open(killed, time);
        CacheTable<long, long> known = back.GetOrCreateTable<long, long>("t");
        return Enumerable.Range(0, 2 * Keys).Count(key => known.ContainsKey(key) != key < Keys);
    }
}
