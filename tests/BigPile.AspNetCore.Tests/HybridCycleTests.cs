using System;
using System.Threading.Tasks;
using BigPile.AspNetCore.Tests.Support;
using BigPile.Caching;
using Microsoft.Extensions.Caching.Hybrid;

namespace BigPile.AspNetCore.Tests;

/// <summary>Factories of the hybrid cache that wait for each other are told, with the keys, and nobody hangs.</summary>
public sealed class HybridCycleTests : HybridCacheTest
{
    // Only what hangs waits so long.
    private static readonly TimeSpan Timeout = Eventually.Timeout;

    [Fact]
    public async Task A_factory_that_asks_for_its_own_key_is_told()
    {
        InvalidOperationException told = await RefusedAsync(
            Cache.GetOrCreateAsync("a", async stop => await GetAsync(Cache, "a", 1)).AsTask());
        Assert.Contains("'a'", told.Message, StringComparison.Ordinal);
        Assert.Contains("'hybrid-cache'", told.Message, StringComparison.Ordinal);
        Assert.Equal(0, Made);
        Assert.Equal(2, await GetAsync(Cache, "a", 2));
    }

    [Fact]
    public async Task So_is_one_that_asks_in_another_way()
    {
        var elsewise = new HybridCacheEntryOptions { Flags = HybridCacheEntryFlags.DisableDistributedCache };
        ValueTask<int> AskAsync(HybridCacheEntryOptions? options) =>
            Cache.GetOrCreateAsync("a", async _ => await AskAsync(options == null ? elsewise : null), options);
        InvalidOperationException told = await RefusedAsync(AskAsync(null).AsTask());
        Assert.Contains("'a'", told.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Two_that_ask_for_each_others_key_are_told()
    {
        var both = new[] { new TaskCompletionSource(), new TaskCompletionSource() };
        Task<int> AskAsync(int me, string own, string other) => Cache.GetOrCreateAsync(own, async _ =>
        {
            both[me].SetResult();
            await both[1 - me].Task;
            return await GetAsync(Cache, other, 1);
        }).AsTask();
        Task<int>[] asked = [AskAsync(0, "a", "b"), AskAsync(1, "b", "a")];
        // Who comes when the other one has been told already finds no circle any more.
        Task<int> first = await Task.WhenAny(asked).WaitAsync(Timeout);
        await Task.WhenAll(asked).WaitAsync(Timeout).ContinueWith(static _ => { }, TaskScheduler.Default);
        Assert.All(asked, static task => Assert.True(task.IsCompleted));
        InvalidOperationException told = await RefusedAsync(Array.Find(asked, static task => task.IsFaulted) ?? first);
        Assert.Contains("'a'", told.Message, StringComparison.Ordinal);
        Assert.Contains("'b'", told.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_circle_over_a_table_is_one_too()
    {
        CacheTable<string, object> table = TableOf(Cache);
        InvalidOperationException told = await RefusedAsync(Cache.GetOrCreateAsync(
            "a", async _ => (int)await table.GetOrAddAsync("t", async (_, _) => await GetAsync(Cache, "a", 1))).AsTask());
        Assert.Contains("'t'", told.Message, StringComparison.Ordinal);
    }

    private static Task<InvalidOperationException> RefusedAsync(Task task) =>
        Assert.ThrowsAsync<InvalidOperationException>(() => task.WaitAsync(Timeout));
}
