using System;
using System.Threading.Tasks;
using BigPile.AspNetCore.Tables;
using BigPile.AspNetCore.Tests.Support;
using BigPile.Caching;
using BigPile.Caching.Tests;
using Microsoft.AspNetCore.OutputCaching;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.Caching.Hybrid;
using Microsoft.Extensions.DependencyInjection;

namespace BigPile.AspNetCore.Tests;

/// <summary>What keeps a table goes on with a new one after the application has dropped it.</summary>
public sealed class DroppedTableTests : HybridCacheTest
{
    private static readonly DistributedCacheEntryOptions Lasting = new();

    [Fact]
    public async Task Services_of_a_host_go_on_with_a_new_table()
    {
        await using TestHost host = await TestHost.StartAsync(static services => services.AddBigPile(TestHost.Small)
            .AddTable<string, string>("texts").AsDistributedCache().AsOutputCacheStore().AsHybridCache());
        PileCache cache = host.Service<PileCache>();
        IDistributedCache distributed = host.Service<IDistributedCache>();
        IOutputCacheStore output = host.Service<IOutputCacheStore>();
        HybridCache hybrid = host.Service<HybridCache>();
        for (int i = 0; i < 3; i++)
        {
            Assert.Null(distributed.Get("k"));
            distributed.Set("k", [1], Lasting);
            Assert.Equal([1], await distributed.GetAsync("k"));
            Assert.Null(await output.GetAsync("k", default));
            await output.SetAsync("k", [2], null, TimeSpan.FromHours(1), default);
            Assert.Equal([2], await output.GetAsync("k", default));
            Assert.Equal(i, await GetAsync(hybrid, "k", i));
            Assert.Equal(i, await PeekAsync<int>(hybrid, "k"));
            host.Service<CacheTable<string, string>>().Put("k", "v");
            foreach (string name in new[] { "distributed-cache", "output-cache", "hybrid-cache", "texts" })
                Assert.True(cache.DropTable(name));
            if (i == 1)
                cache.GetOrCreateTable<string, byte[]>("distributed-cache");
        }
        Assert.Null(distributed.Get("k"));
        Assert.True(cache.GetOrCreateTable<string, byte[]>("distributed-cache").HasOpaqueValues); // as at first
    }

    [Fact]
    public async Task A_hybrid_cache_gives_out_the_value_that_a_factory_made_while_its_table_was_dropped()
    {
        PileCache pile = TestCache.Make();
        using (pile)
        {
            var cache = new PileHybridCache(pile, secondLevel: new RecordedLevel(), time: Time);
            Assert.Equal(1, await GetAsync(cache, "k", 1, tags: ["t"]));
            Assert.Equal(2, await cache.GetOrCreateAsync("other", _ =>
            {
                Assert.True(pile.DropTable("hybrid-cache"));
                Assert.True(pile.DropTable("hybrid-cache-marks"));
                return new ValueTask<int>(2);
            }));
            await cache.SetAsync("k", 3);
            Assert.Equal(3, await PeekAsync<int>(cache, "k"));
            Assert.True(pile.DropTable("hybrid-cache"));
            await cache.RemoveAsync("k");
            await cache.RemoveByTagAsync("t");
            Assert.Equal(4, await GetAsync(cache, "k", 4));
            Assert.Equal(0, cache.Buffers.Lent);
        }
    }

    [Fact]
    public void A_table_that_the_application_drops_counts_no_more_for_its_creator()
    {
        using PileCache pile = TestCache.Make();
        var served = new ServedTables(pile, []);
        var creator = new OneTable();
        for (int i = 0; i < 3; i++)
        {
            Assert.Null(served.OpenToPut($"t{i}", out _, creator));
            Assert.NotNull(served.OpenToPut("more", out _, creator));
            Assert.True(pile.DropTable($"t{i}"));
        }
    }

    private sealed class OneTable : ITableCreator
    {
        public string Name => "one";

        public int? MaxTables => 1;
    }
}
