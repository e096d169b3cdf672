using System.IO;
using System.Threading.Tasks;
using BigPile.AspNetCore.Tests.Support;
using BigPile.Caching;
using Microsoft.Extensions.DependencyInjection;
using Xunit.Abstractions;
using static BigPile.AspNetCore.BigPileTelemetry;
using static BigPile.Caching.CacheTelemetry;

namespace BigPile.AspNetCore.Tests;

public sealed class SecondLevelActivityTests(ITestOutputHelper output) : HybridCacheTest
{
    private static readonly (string, string) Table = (TableNameTag, "hybrid-cache");

    private readonly RecordedLevel _second = new();

    [Fact]
    public async Task A_miss_is_a_look_at_the_second_level_a_factory_and_a_write()
    {
        PileHybridCache cache = Make(_second);
        using var seen = new SeenActivities();
        Assert.Equal(1, await GetAsync(cache, "k", 1));
        output.WriteLine(seen.ToString());
        seen.AssertDone(SecondLevelReadActivity, null, Table, (RequestTypeTag, "miss"));
        seen.AssertDone(FactoryActivity, null, Table);
        seen.AssertDone(SecondLevelWriteActivity, null, Table);
        Assert.Equal([SecondLevelReadActivity, FactoryActivity, SecondLevelWriteActivity], seen.Names);
        Assert.Equal(System.Diagnostics.ActivityKind.Client, seen.Single(SecondLevelReadActivity).Kind);
        Assert.Equal(1, await GetAsync(cache, "k", 2));
        Assert.Equal(3, seen.Names.Length); // a hit is none
    }

    [Fact]
    public async Task What_the_second_level_has_is_a_hit_there()
    {
        await Make(_second).SetAsync("k", 1);
        using var seen = new SeenActivities();
        Assert.Equal(1, await GetAsync(Make(_second), "k", 2));
        seen.AssertDone(SecondLevelReadActivity, null, Table, (RequestTypeTag, "hit"));
        Assert.Single(seen.Names);
    }

    [Fact]
    public async Task Removals_are_activities_there()
    {
        PileHybridCache cache = Make(_second);
        using var seen = new SeenActivities();
        await cache.RemoveAsync("k");
        await cache.RemoveByTagAsync("tag");
        seen.AssertDone(SecondLevelRemoveActivity, null, Table);
        seen.AssertDone(SecondLevelRemoveTagActivity, null, Table);
    }

    /// <summary>Nobody gets the exception, so this is where it is seen.</summary>
    [Fact]
    public async Task A_failure_there_is_one_of_the_activity()
    {
        var failure = new IOException("The second level is away.");
        PileHybridCache cache = Make(_second);
        _second.FailsToRead = true;
        _second.FailsToWrite = true;
        using var seen = new SeenActivities();
        Assert.Equal(1, await GetAsync(cache, "k", 1));
        await cache.RemoveAsync("k");
        await cache.RemoveByTagAsync("tag");
        seen.AssertFailed(SecondLevelReadActivity, null, failure, Table, (RequestTypeTag, "miss"));
        seen.AssertFailed(SecondLevelWriteActivity, null, failure, Table);
        seen.AssertFailed(SecondLevelRemoveActivity, null, failure, Table);
        seen.AssertFailed(SecondLevelRemoveTagActivity, null, failure, Table);
        seen.AssertDone(FactoryActivity, null, Table);
    }

    [Fact]
    public async Task What_fills_tables_at_the_start_is_a_load()
    {
        using var seen = new SeenActivities();
        await using (TestHost host = await TestHost.StartAsync(static services => services.AddBigPile(static pile =>
        {
            TestHost.Small(pile);
            pile.Name = "shop";
            pile.Opened = static cache => cache.GetOrCreateTable<int, string>("t").Put(1, "x");
        })))
            Assert.True(host.Service<PileCache>().TryGetTable<int, string>("t", out _));
        output.WriteLine(seen.ToString());
        seen.AssertDone(LoadActivity, null, (PileTelemetry.PileNameTag, "shop"));
        var failure = new InvalidDataException("The file of products is damaged.");
        using var others = new SeenActivities();
        await Assert.ThrowsAsync<InvalidDataException>(() => TestHost.StartAsync(services => services.AddBigPile(pile =>
        {
            TestHost.Small(pile);
            pile.Name = "shop";
            pile.Opened = _ => throw failure;
        })));
        others.AssertFailed(LoadActivity, null, failure, (PileTelemetry.PileNameTag, "shop"));
    }
}
