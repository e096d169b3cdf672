using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using BigPile.AspNetCore.Tests.Support;
using BigPile.Caching;
using Microsoft.Extensions.Caching.Hybrid;

namespace BigPile.AspNetCore.Tests;

/// <summary>An older value never takes the place of what was set or removed after it.</summary>
public sealed class HybridRaceTests : HybridCacheTest
{
    /// <summary>The write to the second level is on its way when the key is removed and the caller goes; then it arrives.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_value_that_arrives_in_the_second_level_after_a_removal_is_removed_too(bool isOfMany)
    {
        var second = new RecordedBufferLevel();
        var release = new TaskCompletionSource();
        second.WriteRelease = release.Task;
        PileHybridCache cache = Make(second);
        using var source = new CancellationTokenSource();
        Task call = isOfMany
            ? cache.GetOrCreateManyAsync<int>(
                ["k"], static (_, _) => new(new Dictionary<string, int> { ["k"] = 1 }), cancellationToken: source.Token).AsTask()
            : cache.GetOrCreateAsync("k", static _ => new ValueTask<int>(1), cancellationToken: source.Token).AsTask();
        await second.WriteStarted.Task.WaitAsync(Eventually.Timeout);
        await cache.RemoveAsync("k");
        await source.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => call);
        release.SetResult();
        await Eventually.TrueAsync(() => !second.Keys.Contains("k"));
        Assert.Equal(0, await PeekAsync<int>(cache, "k"));
    }

    /// <summary>Its only caller has gone, and it goes on all the same.</summary>
    [Fact]
    public async Task What_a_factory_makes_that_nobody_waits_for_is_not_cached()
    {
        using var source = new CancellationTokenSource();
        var release = new TaskCompletionSource<int>();
        var ended = new TaskCompletionSource();
        Task<int> call = Cache.GetOrCreateAsync("k", async _ =>
        {
            int value = await release.Task;
            ended.SetResult();
            return value;
        }, cancellationToken: source.Token).AsTask();
        await source.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => call);
        await Cache.SetAsync("k", 2);
        release.SetResult(1);
        await ended.Task.WaitAsync(Eventually.Timeout);
        Assert.Equal(2, await PeekAsync<int>(Cache, "k"));
        await Cache.RemoveAsync("k");
        Assert.Equal(0, await PeekAsync<int>(Cache, "k"));
    }

    /// <summary>Its write to the second level arrives after the removal, and another caller reads it there.</summary>
    [Fact]
    public async Task Nobody_takes_from_the_second_level_what_was_made_before_a_removal()
    {
        var second = new RecordedBufferLevel();
        PileHybridCache cache = Make(second);
        var release = new TaskCompletionSource<int>();
        Task<int> call = cache.GetOrCreateAsync("k", _ => new ValueTask<int>(release.Task)).AsTask();
        await cache.RemoveAsync("k");
        release.SetResult(1);
        Assert.Equal(1, await call);
        await Make(second).SetAsync("k", 1); // as if that call's write were there still
        Assert.Equal(0, await PeekAsync<int>(cache, "k"));
    }

    /// <summary>Its write to the second level arrives after the set, and the first level has lost what was set.</summary>
    [Fact]
    public async Task Nor_what_was_made_before_a_set()
    {
        var second = new RecordedBufferLevel();
        PileHybridCache cache = Make(second);
        var release = new TaskCompletionSource<int>();
        Task<int> call = cache.GetOrCreateAsync("k", _ => new ValueTask<int>(release.Task)).AsTask();
        await cache.SetAsync("k", 2);
        TableOf(cache).Remove("k"); // as if evicted
        Assert.Equal(2, await PeekAsync<int>(cache, "k"));
        release.SetResult(1);
        Assert.Equal(1, await call);
        TableOf(cache).Remove("k");
        await Make(second).SetAsync("k", 1); // as if that call's write were there still
        Assert.Equal(0, await PeekAsync<int>(cache, "k"));
    }

    /// <summary>While the second level is written, another caller takes the former value from there into the first.</summary>
    [Fact]
    public async Task Nor_does_the_second_level_bring_back_what_a_set_replaces()
    {
        var second = new RecordedBufferLevel();
        PileHybridCache cache = Make(second);
        await cache.SetAsync("k", 1);
        _ = second.TakeAsked();
        var release = new TaskCompletionSource();
        second.WriteRelease = release.Task;
        Task set = cache.SetAsync("k", 2).AsTask();
        await Eventually.TrueAsync(() => second.TakeAsked().Contains("set k"));
        Assert.Equal(1, await GetAsync(cache, "k", 3, new() { Flags = HybridCacheEntryFlags.DisableLocalCacheRead }));
        release.SetResult();
        await set;
        Assert.Equal(2, await PeekAsync<int>(cache, "k"));
    }

    /// <summary>The factory begins, and ends, while the value that is set is serialized.</summary>
    [Fact]
    public async Task What_is_set_counts_though_a_factory_began_before_it_was_stored()
    {
        var codec = new HookedCodec();
        using var pile = new PileCache(
            new Pile(new PileOptions { Store = StoreKind.Native, SegmentBytes = 16 << 20, Codec = codec }),
            new PileCacheOptions { OwnsPile = true });
        var cache = new PileHybridCache(pile);
        await cache.SetAsync("other", new Poco { Number = 0 }); // opens the table
        var release = new TaskCompletionSource();
        Task<Poco>? older = null;
        codec.Hook = () =>
        {
            codec.Hook = null;
            older = cache.GetOrCreateAsync("k", async _ =>
            {
                await release.Task;
                return new Poco { Number = 1 };
            }).AsTask();
        };
        await cache.SetAsync("k", new Poco { Number = 2 });
        release.SetResult();
        Assert.NotNull(older);
        Assert.Equal(1, (await older).Number); // it was asked for before
        Assert.Equal(2, (await GetAsync(cache, "k", new Poco { Number = 3 })).Number);
    }

    [Fact]
    public async Task Where_a_refreshed_value_cant_be_cached_the_former_one_goes()
    {
        PileHybridCache cache = Make(options: new PileHybridCacheOptions
        {
            Table = new TableOptions("hybrid-cache") { EagerRefresh = 0.5 },
            MaximumPayloadBytes = 100,
        });
        foreach (object made in new object[] { new string('x', 200), new Unstorable { Function = static () => 1 } })
        {
            await cache.SetAsync<object>("k", "small");
            Time.Advance(TimeSpan.FromMinutes(4));
            Assert.Equal("small", await cache.GetOrCreateAsync("k", _ => new ValueTask<object>(made)));
            await Eventually.TrueAsync(async () => await PeekAsync<object>(cache, "k") == null);
        }
    }

    [Fact]
    public async Task Many_calls_need_no_more_places_than_there_are()
    {
        using var pile = new PileCache(
            new Pile(new PileOptions { Store = StoreKind.Native, SegmentBytes = 16 << 20 }),
            new PileCacheOptions { OwnsPile = true, MaxFactories = 2 });
        var cache = new PileHybridCache(pile);
        int running = 0;
        int most = 0;
        async ValueTask<IReadOnlyDictionary<string, int>> MakeAsync(IReadOnlyList<string> keys, CancellationToken stop)
        {
            int now = Interlocked.Increment(ref running);
            lock (cache)
                most = Math.Max(most, now);
            await Task.Yield();
            Interlocked.Decrement(ref running);
            return keys.ToDictionary(static key => key, static key => key.Length);
        }
        Task<IReadOnlyDictionary<string, int>>[] calls =
            [.. Enumerable.Range(0, 50).Select(number => cache.GetOrCreateManyAsync([$"a{number}", $"b{number}"], MakeAsync).AsTask())];
        Assert.All(await Task.WhenAll(calls).WaitAsync(Eventually.Timeout), static values => Assert.Equal(2, values.Count));
        Assert.InRange(most, 1, 2);
    }

    /// <summary>A factory that has the only place asks for a key of a call that waits for it.</summary>
    [Fact]
    public async Task A_call_for_many_that_a_factory_waits_for_needs_no_place()
    {
        using var pile = new PileCache(
            new Pile(new PileOptions { Store = StoreKind.Native, SegmentBytes = 16 << 20 }),
            new PileCacheOptions { OwnsPile = true, MaxFactories = 1 });
        var cache = new PileHybridCache(pile);
        var begun = new TaskCompletionSource();
        Task<int> one = cache.GetOrCreateAsync("one", async stop =>
        {
            await begun.Task;
            return await GetAsync(cache, "a", 9);
        }).AsTask();
        Task<IReadOnlyDictionary<string, int>> many = cache.GetOrCreateManyAsync<int>(
            ["a", "b"], static (keys, _) => new(keys.ToDictionary(static key => key, static _ => 5))).AsTask();
        begun.SetResult();
        Assert.Equal(5, await one.WaitAsync(Eventually.Timeout));
        Assert.Equal(2, (await many.WaitAsync(Eventually.Timeout)).Count);
    }

    [Fact]
    public async Task A_read_without_a_factory_finds_nothing_alone_or_beside_others()
    {
        var second = new RecordedBufferLevel();
        PileHybridCache cache = Make(second);
        var readOnly = new HybridCacheEntryOptions { Flags = HybridCacheEntryFlags.DisableUnderlyingData };
        Task<int>[] single = [.. Enumerable.Range(0, 4).Select(_ => PeekAsync<int>(cache, "k").AsTask())];
        Task<IReadOnlyDictionary<string, int>> many = cache.GetOrCreateManyAsync<int>(
            ["k"], static (_, _) => throw new InvalidOperationException("The factory must not run."), readOnly).AsTask();
        Assert.All(await Task.WhenAll(single), static value => Assert.Equal(0, value));
        Assert.Empty(await many);
    }

    private sealed class HookedCodec : IPileCodec
    {
        private readonly PocoCodec _codec = new();

        internal Action? Hook { get; set; }

        public void Serialize(object value, PileBuffer destination)
        {
            Hook?.Invoke();
            _codec.Serialize(value, destination);
        }

        public object Deserialize(PileBuffer source) => _codec.Deserialize(source);
    }
}
