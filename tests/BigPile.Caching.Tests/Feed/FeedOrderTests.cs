using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Checking;
using Xunit.Abstractions;

namespace BigPile.Caching.Tests.Feed;

/// <summary>Readers that join at any time beside writers, and what they make of it once all is quiet; and the mistakes that break
/// it.</summary>
public sealed class FeedOrderTests(ITestOutputHelper output)
{
    private const int KeyCount = 200;
    private static readonly string[] Tags = ["x", "y"];
    private static readonly int Rounds = TestLeg.Steps(2, 40);

    [Theory]
    [InlineData(1 << 20)]
    [InlineData(16 << 20)]
    public async Task Readers_that_join_beside_writers_have_the_table(int feedBytes)
    {
        int first = TestLeg.Seed(1);
        for (int seed = first; seed < first + Rounds; seed++)
        {
            (List<string> wrong, long changes, int gaps) = await RunAsync(seed, feedBytes, writers: 8, readers: 4, steps: 1_500);
            output.WriteLine($"seed {seed}: {changes} changes read, {gaps} gaps");
            Assert.Empty(wrong);
        }
    }

    [CrashPointTheory]
    [InlineData("feed-in-flight-late", nameof(CrashPoint.FeedBeforeRecord))]
    [InlineData("feed-record-late", nameof(CrashPoint.FeedBeforeChange))]
    [InlineData("feed-without-watermark", nameof(CrashPoint.FeedBeforeRecord))]
    [InlineData("feed-watermark-late", nameof(CrashPoint.FeedBehindFirstBucket))]
    public async Task A_mistake_is_found(string mistake, string pausedAt)
    {
        const int mostRounds = 50;
        int seed = TestLeg.Seed(100);
        int passes = 0;
        using var planted = new MutationScope(mistake);
        using var paused = new CrashPointScope<CrashPoint>(point =>
        {
            bool isReader = point == CrashPoint.FeedBehindFirstBucket;
            if (point.ToString() == pausedAt && (isReader || Interlocked.Increment(ref passes) % 5 == 0))
                Thread.SpinWait(20_000);
        });
        int round = 0;
        for (List<string> wrong = []; wrong.Count == 0; round++)
        {
            Assert.True(round < mostRounds, $"{mistake} was not found in {mostRounds} rounds from seed {seed}");
            (wrong, _, _) = await RunAsync(seed + round, 16 << 20, writers: 3, readers: 2, steps: 300);
        }
        output.WriteLine($"{mistake}: found in round {round} from seed {seed}");
    }

    /// <summary>A chunk is used anew while a reader copies it, and no floor says so.</summary>
    [CrashPointFact]
    public async Task A_floor_that_is_not_raised_is_found()
    {
        using var planted = new MutationScope("feed-floor-late");
        using PileCache cache = TestCache.Make();
        CacheTable<int, string> table = cache.GetOrCreateTable<int, string>(TestCache.Durable() with { FeedBytes = 256 << 10 });
        var fold = new FeedFold<int, string>();
        await fold.CatchUpAsync(table);
        for (int i = 0; i < 50_000; i++)
            table.Put(i, "v");
        await fold.CatchUpAsync(table);
        Assert.Equal(0, fold.Gaps);
        Assert.NotEqual(table.Count, fold.Entries.Count);
    }

    private static async Task<(List<string> Wrong, long Changes, int Gaps)> RunAsync(
        int seed, int feedBytes, int writers, int readers, int steps)
    {
        using PileCache cache = TestCache.Make();
        CacheTable<int, string> table = cache.GetOrCreateTable<int, string>(TestCache.Durable() with { FeedBytes = feedBytes });
        for (int i = 0; i < KeyCount; i += 2)
            table.Put(i, "first");
        int done = 0;
        var folds = new FeedFold<int, string>[readers];
        var wrong = new List<string>();
        Task[] writing = [.. Enumerable.Range(0, writers).Select(number => SideBySide.Start(() =>
        {
            var random = new Random(seed * 1_000 + number);
            for (int step = 0; step < steps; step++)
                Write(table, random);
            Interlocked.Increment(ref done);
        }))];
        Task[] reading = [.. Enumerable.Range(0, readers).Select(number => SideBySide.Start(() =>
        {
            var random = new Random(seed * 2_000 + number);
            folds[number] = new FeedFold<int, string>();
            // A reader goes and comes back with its cursor; sometimes it begins anew.
            while (Volatile.Read(ref done) < writers)
            {
                if (random.Next(8) == 0)
                    folds[number] = new FeedFold<int, string>();
                Read(table, folds[number], random.Next(1, 30), random);
            }
        }))];
        await Task.WhenAll(writing);
        try
        {
            await Task.WhenAll(reading);
        }
        catch (Exception e) when (e is Xunit.Sdk.XunitException or ArgumentException or IndexOutOfRangeException)
        {
            wrong.Add($"seed {seed}: {e.Message}"); // versions out of order, or no record where one was read
        }
        foreach (FeedFold<int, string> fold in wrong.Count == 0 ? folds : [])
        {
            try
            {
                await fold.CatchUpAsync(table);
                fold.AssertIs(table, $"seed {seed}");
            }
            catch (Xunit.Sdk.XunitException e)
            {
                wrong.Add(e.Message);
            }
        }
        table.Core.Feed.CheckInvariants();
        return (wrong, folds.Sum(static fold => fold.Changes), folds.Sum(static fold => fold.Gaps));
    }

    private static void Read(CacheTable<int, string> table, FeedFold<int, string> fold, int batches, Random random)
    {
        using var reader = new Typed.ChangeReader<int, string>(table.Typed, new ChangeOptions { Values = random.Next(2) == 0 });
        if (reader.TryBegin(fold.Cursor) is { } missed)
            fold.Apply(missed);
        for (int i = 0; i < batches && reader.TryNext() is { } batch; i++)
            fold.Apply(batch);
    }

    private static void Write(CacheTable<int, string> table, Random random)
    {
        int key = random.Next(KeyCount);
        switch (random.Next(200))
        {
            case 0:
                table.RemoveByTag(Tags[random.Next(Tags.Length)]);
                break;
            case 1 when random.Next(10) == 0:
                table.Clear();
                break;
            case 2:
                table.Sweep();
                break;
            case < 60:
                table.Remove(key);
                break;
            case < 100:
                table.Put(key, "v", new EntryOptions { Tags = [Tags[random.Next(Tags.Length)]] });
                break;
            case < 105:
                table.PutMany([key, random.Next(KeyCount)], ["1", "2"], new PutResult[2]);
                break;
            default:
                table.Put(key, "v");
                break;
        }
    }
}
