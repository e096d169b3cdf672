using System;
using System.Threading;
using System.Threading.Tasks;
using Xunit.Abstractions;
using static BigPile.Caching.CacheTelemetry;

namespace BigPile.Caching.Tests.Metrics;

public sealed class CacheActivityTests(ITestOutputHelper output) : IDisposable
{
    private readonly TemporaryDirectory _temporary = new();

    public void Dispose() => _temporary.Dispose();

    [Fact]
    public async Task A_factory_is_part_of_what_its_caller_does_and_has_parts_of_its_own()
    {
        using PileCache cache = TestCache.Make();
        CacheTable<string, string> products = cache.GetOrCreateTable<string, string>("products");
        CacheTable<string, string> prices = cache.GetOrCreateTable<string, string>("prices");
        using var seen = new SeenActivities();
        string product = await products.GetOrAddAsync("lamp", async (_, _) =>
        {
            await Task.Yield();
            return "lamp for " + prices.GetOrAdd("lamp", static _ => "9.99");
        });
        Assert.Equal("lamp for 9.99", product);
        await products.GetOrAddAsync("lamp", static (_, _) => throw new InvalidOperationException("It is there."));
        output.WriteLine(seen.ToString());
        Assert.Equal(2, seen.Names.Length);
        System.Diagnostics.Activity inner = Assert.Single(seen.All, static one => Equals(one.GetTagItem(TableNameTag), "prices"));
        System.Diagnostics.Activity outer = Assert.Single(seen.All, static one => Equals(one.GetTagItem(TableNameTag), "products"));
        Assert.Equal(outer.SpanId, inner.ParentSpanId);
        Assert.Equal("test", System.Diagnostics.Activity.Current!.OperationName);
    }

    [Fact]
    public async Task A_factory_that_fails_says_so()
    {
        using PileCache cache = TestCache.Make();
        CacheTable<string, string> table = cache.GetOrCreateTable<string, string>("t");
        var failure = new TimeoutException("The shop is away.");
        using (var seen = new SeenActivities())
        {
            Assert.Throws<TimeoutException>(() => table.GetOrAdd("k", _ => throw failure));
            seen.AssertFailed(FactoryActivity, null, failure, (TableNameTag, "t"));
        }
        using (var seen = new SeenActivities())
        {
            await Assert.ThrowsAsync<TimeoutException>(async () => await table.GetOrAddAsync("k", async (_, _) =>
            {
                await Task.Yield();
                throw failure;
            }));
            seen.AssertFailed(FactoryActivity, null, failure, (TableNameTag, "t"));
        }
    }

    [Fact]
    public void Tables_that_come_back_are_one_activity_with_the_walk_that_they_need()
    {
        string indexes = _temporary.Pile + "-indexes";
        using (PileCache cache = Open(indexes))
        {
            for (int i = 0; i < 10_000; i++)
                cache.GetOrCreateTable<int, string>("t").Put(i, "value");
        }
        using (var seen = new SeenActivities())
        {
            Open(indexes).Dispose();
            seen.AssertDone(OpenActivity, null, (PileTelemetry.PileNameTag, "pile"));
        }
        using (var seen = new SeenActivities())
        {
            using PileCache cache = Open(indexes + "-others");
            cache.Readiness.Completion.Wait();
            Assert.False(cache.Readiness.WasRestored);
            Eventually.True(() => seen.Names.AsSpan().Contains(OpenActivity));
            output.WriteLine(seen.ToString());
            seen.AssertDone(OpenActivity, null, (PileTelemetry.PileNameTag, "pile"));
        }
    }

    [Fact]
    public void Tables_that_do_not_come_back_say_so()
    {
        using PileCache cache = Open(null);
        using var seen = new SeenActivities();
        Assert.Throws<InvalidOperationException>(() => new PileCache(cache.Pile)); // which comes ahead of any opening
        Assert.Empty(seen.Names);
        string directory = _temporary.Write("file", "no directory");
        using Pile other = Pile.Open(_temporary.Pile + "-other", new PileOptions { SegmentBytes = 4 << 20, Warmup = PileWarmup.Off });
        Exception failure = Assert.ThrowsAny<Exception>(() => new PileCache(other, new PileCacheOptions { IndexDirectory = directory }));
        seen.AssertFailed(OpenActivity, null, failure, (PileTelemetry.PileNameTag, "pile-other"));
    }

    [Fact]
    public void Reads_puts_and_sweeps_are_no_activities()
    {
        using PileCache cache = TestCache.Make();
        CacheTable<string, string> table = cache.GetOrCreateTable<string, string>("t");
        using var seen = new SeenActivities();
        table.Put("k", "v");
        Assert.True(table.TryGet("k", out _));
        table.Remove("k");
        cache.GetOrCreateTable<string, string>("u").Sweep();
        Assert.Empty(seen.Names);
    }

    [Fact]
    public async Task Who_waits_for_the_factory_of_another_one_has_no_activity()
    {
        using PileCache cache = TestCache.Make();
        CacheTable<string, string> table = cache.GetOrCreateTable<string, string>("t");
        var begun = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var made = new TaskCompletionSource<string>(TaskCreationOptions.RunContinuationsAsynchronously);
        Task<string> first;
        using var others = new SeenActivities();
        using (ExecutionContext.SuppressFlow())
        {
            first = Task.Run(async () => await table.GetOrAddAsync("k", (_, _) =>
            {
                begun.SetResult();
                return new ValueTask<string>(made.Task);
            }));
        }
        await begun.Task.WaitAsync(Eventually.Timeout);
        ValueTask<string> second = table.GetOrAddAsync("k", static (_, _) => throw new InvalidOperationException("It is made."));
        made.SetResult("v");
        Assert.Equal(("v", "v"), (await first, await second));
        Assert.Empty(others.Names);
    }

    private PileCache Open(string? indexes) => new(
        Pile.Open(_temporary.Pile, new PileOptions { SegmentBytes = 4 << 20, Warmup = PileWarmup.Off }),
        new PileCacheOptions { OwnsPile = true, IndexDirectory = indexes, DefaultTableOptions = TestCache.AllDurable });
}
