using System;
using System.Linq;
using System.Threading.Tasks;
using BigPile.AspNetCore.Hybrid;
using BigPile.AspNetCore.Tests.Support;
using BigPile.Caching;
using Microsoft.Extensions.Caching.Hybrid;

namespace BigPile.AspNetCore.Tests;

/// <summary>What the second level is asked for, and what it brings from one process to another.</summary>
public sealed class HybridSecondLevelTests : HybridCacheTest
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task The_second_level_is_asked_when_the_first_does_not_know_an_immutable_value(bool hasBuffers) =>
        await AssertAskedAsync(hasBuffers, new ImmutablePoco(1, "one"), new ImmutablePoco(2, "two"));

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task The_second_level_is_asked_when_the_first_does_not_know_a_mutable_value(bool hasBuffers) =>
        await AssertAskedAsync(hasBuffers, new Poco { Number = 1 }, new Poco { Number = 2 });

    [Fact]
    public async Task Flags_keep_a_call_from_the_second_level()
    {
        var second = new RecordedBufferLevel();
        PileHybridCache cache = Make(second);
        await GetAsync(cache, "k", 1, new() { Flags = HybridCacheEntryFlags.DisableDistributedCache });
        Assert.Empty(second.TakeAsked());
        await GetAsync(cache, "read", 1, new() { Flags = HybridCacheEntryFlags.DisableDistributedCacheWrite });
        Assert.Equal(["get read"], second.TakeAsked());
        await GetAsync(cache, "write", 1, new() { Flags = HybridCacheEntryFlags.DisableDistributedCacheRead });
        Assert.Equal(["set write"], second.TakeAsked());
        await cache.SetAsync("set", 1, new() { Flags = HybridCacheEntryFlags.DisableDistributedCacheWrite });
        Assert.Empty(second.TakeAsked());
        await cache.SetAsync("far", 1, new() { Flags = HybridCacheEntryFlags.DisableLocalCacheWrite });
        Assert.Equal(["set far"], second.TakeAsked());
        Assert.Equal(1, await PeekAsync<int>(cache, "far"));
        Assert.Equal(["get far"], second.TakeAsked());
    }

    [Fact]
    public async Task A_value_that_never_expires_is_written_for_as_long_as_removals_are_remembered()
    {
        var second = new RecordedBufferLevel();
        PileHybridCache cache = Make(second);
        await cache.SetAsync("k", 1, new HybridCacheEntryOptions { Expiration = TimeSpan.MaxValue });
        Assert.Equal(RemovalMarks.Lifetime, second.LastExpiration);
        TableOf(cache).Remove("k");
        Assert.Equal(1, await PeekAsync<int>(cache, "k"));
    }

    /// <summary>What the codec of this process can't store, it can give all the same.</summary>
    [Fact]
    public async Task A_value_that_the_first_level_cant_store_is_given()
    {
        var second = new RecordedBufferLevel();
        var codec = new ReadingCodec { Writes = true };
        using var pile = new PileCache(
            new Pile(new PileOptions { Store = StoreKind.Native, SegmentBytes = 16 << 20, Codec = codec }),
            new PileCacheOptions { OwnsPile = true });
        var cache = new PileHybridCache(pile, null, second, Time);
        await cache.SetAsync("k", new Poco { Number = 5 });
        pile.GetOrCreateTable<string, object>("hybrid-cache").Remove("k");
        codec.Writes = false;
        Assert.Equal(5, (await GetAsync(cache, "k", new Poco { Number = 6 })).Number);
        Assert.Equal(5, (await GetAsync(cache, "k", new Poco { Number = 7 })).Number);
        Assert.Equal(0, Made);
    }

    [Fact]
    public async Task Many_callers_ask_the_second_level_once()
    {
        var second = new RecordedBufferLevel();
        await Make(second).SetAsync("k", new Poco { Number = 5 });
        second.TakeAsked();
        PileHybridCache cache = Make(second);
        Poco[] found = await Task.WhenAll(Enumerable.Range(0, 10).Select(_ => GetAsync(cache, "k", new Poco()).AsTask()));
        Assert.All(found, static value => Assert.Equal(5, value.Number));
        Assert.Equal(10, found.Distinct().Count());
        Assert.Equal(["get k"], second.TakeAsked());
        Assert.Equal(0, Made);
    }

    [Fact]
    public async Task A_tag_that_one_process_removes_is_removed_for_what_others_take_from_the_second_level()
    {
        var second = new RecordedBufferLevel();
        PileHybridCache one = Make(second);
        await one.SetAsync("tagged", 1, tags: ["a", "b"]);
        await one.SetAsync("plain", 1);
        Time.Advance(TimeSpan.FromSeconds(1));
        await Make(second).RemoveByTagAsync("b");
        Time.Advance(TimeSpan.FromSeconds(1));
        PileHybridCache third = Make(second);
        Assert.Equal(0, await PeekAsync<int>(third, "tagged"));
        Assert.Equal(1, await PeekAsync<int>(third, "plain"));
        await third.SetAsync("tagged", 2, tags: ["b"]);
        Assert.Equal(2, await PeekAsync<int>(Make(second), "tagged"));
        Time.Advance(TimeSpan.FromSeconds(1));
        await one.RemoveByTagAsync("*");
        Assert.Equal(0, await PeekAsync<int>(Make(second), "plain"));
    }

    /// <summary>What the cache keeps for itself is none of the codec's.</summary>
    [Fact]
    public async Task A_tag_is_removed_though_the_codec_knows_nothing_but_the_applications_types()
    {
        var second = new RecordedBufferLevel();
        using var pile = new PileCache(
            new Pile(new PileOptions { SegmentBytes = 16 << 20, Codec = new PocoCodec() }),
            new PileCacheOptions { OwnsPile = true, TimeProvider = Time, SweepPeriod = TimeSpan.Zero });
        var cache = new PileHybridCache(pile, null, second, Time);
        await cache.SetAsync("tagged", new Poco { Number = 1 }, tags: ["a"]);
        await cache.SetAsync("plain", new Poco { Number = 2 });
        Time.Advance(TimeSpan.FromSeconds(1));
        await cache.RemoveByTagAsync("a");
        await cache.RemoveAsync("plain");
        Assert.Null(await PeekAsync<Poco>(cache, "tagged"));
        Assert.Null(await PeekAsync<Poco>(cache, "plain"));
        await cache.SetAsync("tagged", new Poco { Number = 3 }, tags: ["a"]);
        Assert.Equal(3, (await PeekAsync<Poco>(cache, "tagged")).Number);
    }

    /// <summary>Former builds put numbers.</summary>
    [Fact]
    public async Task A_mark_that_a_former_build_put_counts()
    {
        var second = new RecordedBufferLevel();
        PileHybridCache cache = Make(second);
        await cache.SetAsync("tagged", 1, tags: ["a"]);
        TableOf(cache).Clear();
        _ = await PeekAsync<int>(cache, "other"); // makes the marks' table
        TableOf(cache, "hybrid-cache-marks").Put("t:a", Time.GetUtcNow().UtcTicks + 1);
        Assert.Equal(0, await PeekAsync<int>(cache, "tagged"));
    }

    [Fact]
    public async Task Tags_come_along_from_the_second_level()
    {
        var second = new RecordedBufferLevel();
        await Make(second).SetAsync("k", 1, tags: ["a"]);
        PileHybridCache cache = Make(second);
        Assert.Equal(1, await PeekAsync<int>(cache, "k"));
        Time.Advance(TimeSpan.FromSeconds(1));
        await cache.RemoveByTagAsync("a");
        Assert.Equal(0, await PeekAsync<int>(cache, "k"));
    }

    [Fact]
    public async Task Foreign_bytes_count_as_missing()
    {
        var second = new RecordedBufferLevel();
        PileHybridCache cache = Make(second);
        await cache.SetAsync("other", new Poco { Number = 1 });
        byte[] good = second.Peek("other");
        // whole, it has another key
        byte[][] bad = [[], [3, 1], [.. "BPH1"u8], good[..20], good[..^1], [.. good, 1], good, Shapes.Bytes(200)];
        for (int i = 0; i < bad.Length; i++)
        {
            second.Put($"k{i}", bad[i]);
            Assert.Equal(7, (await GetAsync(cache, $"k{i}", new Poco { Number = 7 })).Number);
        }
        second.Put("other", good[..^1]);
        Assert.Equal(7, (await GetAsync(Make(second), "other", new Poco { Number = 7 })).Number);
    }

    [Fact]
    public async Task A_removal_is_not_undone_by_a_write_that_was_under_way()
    {
        var release = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var second = new RecordedBufferLevel { WriteRelease = release.Task };
        PileHybridCache cache = Make(second);
        Task<int> making = GetAsync(cache, "k", 1).AsTask();
        await second.WriteStarted.Task;
        await cache.RemoveAsync("k");
        release.SetResult();
        Assert.Equal(1, await making);
        Assert.DoesNotContain("k", second.Keys);
        Assert.Equal(0, await PeekAsync<int>(cache, "k"));
    }

    [Fact]
    public async Task What_was_being_made_during_a_removal_is_not_written()
    {
        var second = new RecordedBufferLevel();
        PileHybridCache cache = Make(second);
        var release = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Task<int> making = cache.GetOrCreateAsync("k", async _ =>
        {
            await release.Task;
            return 1;
        }).AsTask();
        await cache.RemoveAsync("k");
        release.SetResult();
        await making;
        Assert.Equal(0, await PeekAsync<int>(cache, "k"));
        Assert.DoesNotContain("k", second.Keys);
    }

    private async Task AssertAskedAsync<T>(bool hasBuffers, T first, T other)
    {
        RecordedLevel second = hasBuffers ? new RecordedBufferLevel() : new RecordedLevel();
        PileHybridCache cache = Make(second);
        await GetAsync(cache, "k", first);
        Assert.Equal(["get k", "set k"], second.TakeAsked());
        for (int i = 0; i < 5; i++)
            await GetAsync(cache, "k", other);
        Assert.Empty(second.TakeAsked());
        await cache.SetAsync("k", other);
        Assert.Equal(["set k"], second.TakeAsked());
        await GetAsync(cache, "k", first);
        Assert.Empty(second.TakeAsked());
        TableOf(cache).Remove("k");
        await GetAsync(cache, "k", first);
        Assert.Equal(["get k"], second.TakeAsked());
        await cache.RemoveAsync("k");
        Assert.Equal(["remove k"], second.TakeAsked());
        await GetAsync(cache, "k", first);
        Assert.Equal(["get k", "set k"], second.TakeAsked());
        Assert.Equal(2, Made);
    }

    private sealed class ReadingCodec : IPileCodec
    {
        private readonly PocoCodec _codec = new();

        internal bool Writes { get; set; }

        public void Serialize(object value, PileBuffer destination)
        {
            if (!Writes)
                throw new PileSerializationException("It reads only.");
            _codec.Serialize(value, destination);
        }

        public object Deserialize(PileBuffer source) => _codec.Deserialize(source);
    }
}
