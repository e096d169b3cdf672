using System;
using System.Threading.Tasks;
using BigPile.AspNetCore.Hybrid;
using BigPile.AspNetCore.Tests.Support;
using BigPile.Caching;

namespace BigPile.AspNetCore.Tests;

/// <summary>A value that is too large, can't be serialized or does not fit is returned, and not cached.</summary>
public sealed class HybridSizeTests : HybridCacheTest
{
    [Theory]
    [InlineData(4000, true)]
    [InlineData(4001, false)]
    public async Task An_immutable_value_over_the_limit_is_not_cached(int length, bool isCached)
    {
        var second = new RecordedBufferLevel();
        PileHybridCache cache = Make(second, new() { MaximumPayloadBytes = 4000 });
        string value = new('x', length);
        Assert.Equal(value, await GetAsync(cache, "k", value));
        Assert.Equal(isCached, await PeekAsync<string>(cache, "k") == value);
        Assert.Equal(isCached, second.TakeAsked().AsSpan().Contains("set k"));
    }

    [Theory]
    [InlineData(3000, true)]
    [InlineData(5000, false)]
    public async Task A_mutable_value_over_the_limit_is_not_cached(int length, bool isCached)
    {
        PileHybridCache cache = Make(options: new() { MaximumPayloadBytes = 4000 });
        var value = new Poco { Text = new('x', length) };
        Assert.Same(value, await GetAsync(cache, "k", value));
        Assert.Equal(isCached, await PeekAsync<Poco>(cache, "k") != null);
    }

    [Fact]
    public async Task A_value_over_the_limit_that_is_set_takes_the_old_one_away()
    {
        var second = new RecordedBufferLevel();
        PileHybridCache cache = Make(second, new() { MaximumPayloadBytes = 4000 });
        await cache.SetAsync("k", "small");
        await cache.SetAsync("k", new string('x', 5000));
        Assert.Null(await PeekAsync<string>(cache, "k"));
        Assert.Empty(second.Keys);
    }

    [Fact]
    public async Task An_immutable_value_that_cant_be_serialized_is_given_out()
    {
        var value = new ImmutableUnstorable { Function = static () => 1 };
        Assert.Same(value, await GetAsync(Cache, "k", value));
        Assert.Null(await PeekAsync<ImmutableUnstorable>(Cache, "k"));
    }

    [Fact]
    public async Task A_mutable_value_that_cant_be_serialized_is_given_out_and_refused_by_set()
    {
        var value = new Unstorable { Function = static () => 1 };
        Assert.Same(value, await GetAsync(Cache, "k", value));
        Assert.Null(await PeekAsync<Unstorable>(Cache, "k"));
        await Cache.SetAsync("k", new Unstorable());
        PileSerializationException error =
            await Assert.ThrowsAsync<PileSerializationException>(async () => await Cache.SetAsync("k", value));
        Assert.Contains("Function", error.Message, StringComparison.Ordinal);
        Assert.Null(await PeekAsync<Unstorable>(Cache, "k"));
    }

    [Fact]
    public async Task A_value_that_finds_no_room_is_given_out()
    {
        using var pile = new PileCache(new Pile(new PileOptions { MaxBytes = 4 << 20, SegmentBytes = 4 << 20 }), ownsPile: true);
        var cache = new PileHybridCache(pile, new() { MaximumPayloadBytes = 64 << 20 });
        byte[] value = new byte[32 << 20];
        Assert.Same(value, await GetAsync(cache, "k", value));
        Assert.Null(await PeekAsync<byte[]>(cache, "k"));
    }

    [Theory]
    [InlineData(typeof(int), true)]
    [InlineData(typeof(int?), true)]
    [InlineData(typeof(Guid), true)]
    [InlineData(typeof(string), true)]
    [InlineData(typeof(DayOfWeek), true)]
    [InlineData(typeof(ImmutablePoco), true)]
    [InlineData(typeof(byte[]), false)]
    [InlineData(typeof(Poco), false)]
    [InlineData(typeof(object), false)]
    public void Types_that_nobody_can_change_are_known(Type type, bool isImmutable) =>
        Assert.Equal(isImmutable, ImmutableTypes.Contains(type));

    [Fact]
    public void Limits_out_of_range_are_refused()
    {
        ArgumentOutOfRangeException error =
            Assert.Throws<ArgumentOutOfRangeException>("MaximumPayloadBytes", () => Make(options: new() { MaximumPayloadBytes = 0 }));
        Assert.Contains(
            "PileHybridCacheOptions.MaximumPayloadBytes must be from 1 to 1,072,693,248", error.Message, StringComparison.Ordinal);
        Assert.Throws<ArgumentOutOfRangeException>("MaximumKeyLength", () => Make(options: new() { MaximumKeyLength = 1365 }));
        Assert.Throws<ArgumentException>("Table", () => Make(options: new() { Table = new TableOptions("*") }));
    }
}
