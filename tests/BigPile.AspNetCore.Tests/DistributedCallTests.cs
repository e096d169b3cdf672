using System;
using System.Buffers;
using System.Threading;
using System.Threading.Tasks;
using BigPile.AspNetCore.Tests.Support;
using BigPile.Caching;
using BigPile.Caching.Tests;
using Microsoft.Extensions.Caching.Distributed;

namespace BigPile.AspNetCore.Tests;

/// <summary>What each call does, and what it refuses.</summary>
public sealed class DistributedCallTests : DistributedCacheTest
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_missing_key_gives_null(bool isAsync) => Assert.Null(await CallsOf(isAsync).GetAsync("no such key"));

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task What_was_set_is_got(bool isAsync)
    {
        await CallsOf(isAsync).SetAsync("k", [1, 2, 3]);
        Assert.Equal([1, 2, 3], await CallsOf(isAsync).GetAsync("k"));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Keys_of_other_case_are_other_keys(bool isAsync)
    {
        Calls calls = CallsOf(isAsync);
        await calls.SetAsync("key", [1]);
        Assert.Null(await calls.GetAsync("KEY"));
        await calls.SetAsync("KEY", [2]);
        Assert.Equal([1], await calls.GetAsync("key"));
        Assert.Equal([2], await calls.GetAsync("KEY"));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_key_may_be_any_text(bool isAsync)
    {
        Calls calls = CallsOf(isAsync);
        string[] keys = ["", " ", "a/b%2F", "\ud800", "\ud801", "\udc00x", "\uffff", "schön \U0001F600"];
        for (int i = 0; i < keys.Length; i++)
            await calls.SetAsync(keys[i], [(byte)i]);
        for (int i = 0; i < keys.Length; i++)
            Assert.Equal(new[] { (byte)i }, await calls.GetAsync(keys[i]));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_second_set_counts(bool isAsync)
    {
        Calls calls = CallsOf(isAsync);
        await calls.SetAsync("k", [1]);
        await calls.SetAsync("k", [2, 2]);
        Assert.Equal([2, 2], await calls.GetAsync("k"));
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_removed_key_is_gone_and_removing_or_refreshing_a_missing_one_is_silent(bool isAsync)
    {
        Calls calls = CallsOf(isAsync);
        await calls.SetAsync("k", [1]);
        await calls.RemoveAsync("k");
        Assert.Null(await calls.GetAsync("k"));
        await calls.RemoveAsync("k");
        await calls.RefreshAsync("k");
        Assert.Null(await calls.GetAsync("k"));
    }

    [Fact]
    public async Task Null_arguments_are_named()
    {
        var options = new DistributedCacheEntryOptions();
        var writer = new ArrayBufferWriter<byte>();
        Assert.Throws<ArgumentNullException>("value", () => Cache.Set("k", null!, options));
        Assert.Throws<ArgumentNullException>("key", () => Cache.Set(null!, [], options));
        Assert.Throws<ArgumentNullException>("options", () => Cache.Set("k", [], null!));
        Assert.Throws<ArgumentNullException>("key", () => Cache.Set(null!, ReadOnlySequence<byte>.Empty, options));
        Assert.Throws<ArgumentNullException>("options", () => Cache.Set("k", ReadOnlySequence<byte>.Empty, null!));
        Assert.Throws<ArgumentNullException>("key", () => Cache.Get(null!));
        Assert.Throws<ArgumentNullException>("key", () => Cache.TryGet(null!, writer));
        Assert.Throws<ArgumentNullException>("destination", () => Cache.TryGet("k", null!));
        Assert.Throws<ArgumentNullException>("key", () => Cache.Refresh(null!));
        Assert.Throws<ArgumentNullException>("key", () => Cache.Remove(null!));
        await Assert.ThrowsAsync<ArgumentNullException>("value", () => Cache.SetAsync("k", null!, options));
        await Assert.ThrowsAsync<ArgumentNullException>("key", () => Cache.SetAsync(null!, [], options));
        await Assert.ThrowsAsync<ArgumentNullException>("options", () => Cache.SetAsync("k", [], null!));
        await Assert.ThrowsAsync<ArgumentNullException>(
            "key", async () => await Cache.SetAsync(null!, ReadOnlySequence<byte>.Empty, options));
        await Assert.ThrowsAsync<ArgumentNullException>(
            "options", async () => await Cache.SetAsync("k", ReadOnlySequence<byte>.Empty, null!));
        await Assert.ThrowsAsync<ArgumentNullException>("key", () => Cache.GetAsync(null!));
        await Assert.ThrowsAsync<ArgumentNullException>("key", async () => await Cache.TryGetAsync(null!, writer));
        await Assert.ThrowsAsync<ArgumentNullException>("destination", async () => await Cache.TryGetAsync("k", null!));
        await Assert.ThrowsAsync<ArgumentNullException>("key", () => Cache.RefreshAsync(null!));
        await Assert.ThrowsAsync<ArgumentNullException>("key", () => Cache.RemoveAsync(null!));
    }

    [Fact]
    public void A_key_that_is_too_long_is_refused_with_the_limit()
    {
        ArgumentException error = Assert.Throws<ArgumentException>("key", () => Cache.Set(new string('k', 4097), [1], new()));
        Assert.Contains("4,096 are allowed", error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_cancelled_call_does_nothing()
    {
        using var source = new CancellationTokenSource();
        await source.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Cache.SetAsync("k", [1], new(), source.Token));
        Assert.Null(Cache.Get("k"));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Cache.GetAsync("k", source.Token));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Cache.RemoveAsync("k", source.Token));
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Cache.RefreshAsync("k", source.Token));
    }

    [Fact]
    public void Marks_of_removed_tags_are_not_evicted_ahead_of_values()
    {
        using PileCache pile = TestCache.Make(Time);
        CacheTable<string, byte[]> table = pile.GetOrCreateTable<string, byte[]>(new TableOptions("d") { MaxEntries = 10 });
        var cache = new PileDistributedCache(table, Time);
        cache.Set("__MSFT_HCT__sales", [1], new());
        for (int i = 0; i < 1000; i++)
            cache.Set($"value {i}", [2], new());
        Assert.NotNull(cache.Get("__MSFT_HCT__sales"));
        Assert.InRange(table.Count, 1, 10);
    }

    [Fact]
    public void Values_come_back_with_what_is_left_of_their_time()
    {
        using var directory = new TemporaryDirectory();
        using (PileCache first = TestCache.Open(directory.Path, Time))
        {
            var cache = new PileDistributedCache(first.GetOrCreateTable<string, byte[]>("d"), Time);
            cache.Set("k", [1], new() { AbsoluteExpirationRelativeToNow = TimeSpan.FromMinutes(5) });
        }
        Time.Advance(TimeSpan.FromMinutes(3));
        using PileCache second = TestCache.Open(directory.Path, Time);
        var again = new PileDistributedCache(second.GetOrCreateTable<string, byte[]>("d"), Time);
        Assert.Equal([1], again.Get("k"));
        Time.Advance(TimeSpan.FromMinutes(2));
        Assert.Null(again.Get("k"));
    }
}
