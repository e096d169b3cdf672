using System;
using System.Buffers;
using System.IO.Pipelines;
using System.Linq;
using System.Threading.Tasks;
using BigPile.AspNetCore.Tests.Support;
using BigPile.Caching;
using BigPile.Caching.Tests;
using Microsoft.AspNetCore.OutputCaching;

namespace BigPile.AspNetCore.Tests;

public sealed class OutputCacheStoreTests : IDisposable
{
    private static readonly TimeSpan Minute = TimeSpan.FromMinutes(1);
    private static readonly string[] FooTag = ["foo"];
    private static readonly string[] BarTag = ["bar"];
    private static readonly string[] BothTags = ["foo", "bar"];

    private readonly ManualTime _time = new();
    private readonly PileCache _pile;
    private readonly CacheTable<string, byte[]> _table;
    private readonly PileOutputCacheStore _store;

    public OutputCacheStoreTests()
    {
        _pile = TestCache.Make(_time);
        _table = _pile.GetOrCreateTable<string, byte[]>("o");
        _store = new PileOutputCacheStore(_table);
    }

    public void Dispose() => _pile.Dispose();

    [Fact]
    public async Task A_missing_key_gives_null_and_writes_nothing()
    {
        Assert.Null(await _store.GetAsync("k", default));
        (bool isFound, byte[] written) = await ReadAsync("k");
        Assert.False(isFound);
        Assert.Empty(written);
    }

    [Theory]
    [InlineData(false, false)]
    [InlineData(false, true)]
    [InlineData(true, false)]
    [InlineData(true, true)]
    public async Task A_value_is_stored_with_its_time(bool isSequence, bool isTagged)
    {
        byte[] value = Shapes.Bytes(3000);
        string[]? tags = isTagged ? BothTags : null;
        if (isSequence)
            await _store.SetAsync("k", Shapes.Of(value, Shape.ManySegments), tags, Minute, default);
        else
            await _store.SetAsync("k", value, tags, Minute, default);
        Assert.True(_table.TryGetEntry("k", out TableEntry<string> entry));
        Assert.Equal(_time.GetUtcNow() + Minute, entry.ExpiresAt);
        Assert.Null(entry.Sliding);
        Assert.Equal(value, await _store.GetAsync("k", default));
        (bool isFound, byte[] written) = await ReadAsync("k");
        Assert.True(isFound);
        Assert.Equal(value, written);
    }

    [Fact]
    public async Task An_empty_value_is_found()
    {
        await _store.SetAsync("k", [], null, Minute, default);
        Assert.Equal(Array.Empty<byte>(), await _store.GetAsync("k", default));
        Assert.True((await ReadAsync("k")).IsFound);
    }

    [Fact]
    public async Task A_value_is_gone_when_its_time_is_over()
    {
        await _store.SetAsync("k", [1], null, TimeSpan.FromMilliseconds(5), default);
        Assert.NotNull(await _store.GetAsync("k", default));
        _time.Advance(TimeSpan.FromMilliseconds(10));
        Assert.Null(await _store.GetAsync("k", default));
    }

    [Fact]
    public async Task Wrong_arguments_are_named()
    {
        await Assert.ThrowsAsync<ArgumentNullException>("key", async () => await _store.SetAsync(null!, [1], null, Minute, default));
        await Assert.ThrowsAsync<ArgumentNullException>("value", async () => await _store.SetAsync("k", null!, null, Minute, default));
        await Assert.ThrowsAsync<ArgumentNullException>("key", async () => await _store.GetAsync(null!, default));
        await Assert.ThrowsAsync<ArgumentNullException>("tag", async () => await _store.EvictByTagAsync(null!, default));
        await Assert.ThrowsAsync<ArgumentNullException>("destination", async () => await _store.TryGetAsync("k", null!, default));
        await Assert.ThrowsAsync<ArgumentOutOfRangeException>(
            "validFor", async () => await _store.SetAsync("k", [1], null, TimeSpan.Zero, default));
        Assert.Null(await _store.GetAsync("k", default));
    }

    [Fact]
    public async Task A_tag_evicts_what_has_it_and_nothing_else_however_often()
    {
        await SetFourAsync();
        await AssertThereAsync("none", "foo", "bar", "both");
        await _store.EvictByTagAsync("foo", default);
        await AssertThereAsync("none", "bar");
        await _store.EvictByTagAsync("foo", default);
        await AssertThereAsync("none", "bar");
        await _store.EvictByTagAsync("bar", default);
        await AssertThereAsync("none");
    }

    [Fact]
    public async Task What_is_set_again_after_an_eviction_stays()
    {
        await SetFourAsync();
        await _store.EvictByTagAsync("foo", default);
        await SetFourAsync();
        await AssertThereAsync("none", "foo", "bar", "both");
    }

    [Fact]
    public async Task A_tag_evicts_all_of_many_entries_and_gives_their_memory_back_by_a_sweep()
    {
        for (int i = 0; i < 500; i++)
            await _store.SetAsync($"k{i}", [1], i % 2 == 0 ? FooTag : BothTags, Minute, default);
        await _store.SetAsync("other", [1], BarTag, Minute, default);
        await _store.EvictByTagAsync("foo", default);
        for (int i = 0; i < 500; i++)
            Assert.Null(await _store.GetAsync($"k{i}", default));
        _table.Sweep();
        Assert.Equal(1, _table.Count);
        await AssertThereAsync("other");
    }

    [Fact]
    public async Task An_unknown_tag_evicts_nothing()
    {
        await SetFourAsync();
        await _store.EvictByTagAsync("unknown", default);
        await AssertThereAsync("none", "foo", "bar", "both");
    }

    [Fact]
    public async Task A_response_that_finds_no_room_is_not_stored()
    {
        using var small = new PileCache(new Pile(new PileOptions { MaxBytes = 4 << 20, SegmentBytes = 4 << 20 }), ownsPile: true);
        IOutputCacheStore store = new PileOutputCacheStore(small.GetOrCreateTable<string, byte[]>(TestCache.Durable()));
        await store.SetAsync("k", new byte[64 << 20], null, Minute, default);
        Assert.Null(await store.GetAsync("k", default));
    }

    private async Task SetFourAsync()
    {
        await _store.SetAsync("none", [1], null, Minute, default);
        await _store.SetAsync("foo", [2], FooTag, Minute, default);
        await _store.SetAsync("bar", [3], BarTag, Minute, default);
        await _store.SetAsync("both", Shapes.Of([4, 4, 4, 4], Shape.ManySegments), BothTags, Minute, default);
    }

    private async Task AssertThereAsync(params string[] there)
    {
        foreach (string key in new[] { "none", "foo", "bar", "both", "other" }.Where(key => key != "other" || there.Contains(key)))
            Assert.Equal(there.Contains(key), await _store.GetAsync(key, default) != null);
    }

    private async Task<(bool IsFound, byte[] Written)> ReadAsync(string key)
    {
        var pipe = new Pipe();
        bool isFound = await _store.TryGetAsync(key, pipe.Writer, default);
        await pipe.Writer.CompleteAsync();
        ReadResult read = await pipe.Reader.ReadAsync();
        byte[] written = read.Buffer.ToArray();
        await pipe.Reader.CompleteAsync();
        return (isFound, written);
    }
}
