using System;
using System.Threading.Tasks;
using BigPile.AspNetCore.Tests.Support;
using BigPile.Caching;

namespace BigPile.AspNetCore.Tests;

/// <summary>A second level that fails is nobody's trouble, and never brings back what was removed or replaced.</summary>
public sealed class UnreliableSecondLevelTests : HybridCacheTest
{
    private readonly RecordedBufferLevel _second = new();
    private readonly PileHybridCache _cache;

    public UnreliableSecondLevelTests() => _cache = Make(_second);

    [Fact]
    public async Task A_failure_to_write_is_not_seen()
    {
        _second.FailsToWrite = true;
        Assert.Equal(1, await GetAsync(_cache, "k", 1));
        Assert.Equal(1, await GetAsync(_cache, "k", 2));
        await _cache.SetAsync("k", 3);
        Assert.Equal(3, await GetAsync(_cache, "k", 4));
        await _cache.RemoveAsync("k");
        await _cache.RemoveByTagAsync("tag");
        Assert.Empty(_second.Keys);
    }

    [Fact]
    public async Task A_failure_to_read_is_not_seen()
    {
        _second.FailsToRead = true;
        Assert.Equal(1, await GetAsync(_cache, "k", 1));
        Assert.Equal(1, await GetAsync(_cache, "k", 2));
        Assert.Equal(["get k", "set k"], _second.TakeAsked());
    }

    [Fact]
    public async Task A_value_whose_tags_cant_be_checked_counts_as_missing()
    {
        await _cache.SetAsync("k", 1, tags: ["a"]);
        TableOf(_cache).Remove("k");
        _second.FailsToRead = true;
        Assert.Equal(2, await GetAsync(_cache, "k", 2));
    }

    [Fact]
    public async Task A_removal_that_did_not_reach_it_holds_before_its_mark_is_found_again()
    {
        await _cache.SetAsync("k", 1);
        Time.Advance(TimeSpan.FromSeconds(1));
        _second.FailsToWrite = true;
        await _cache.RemoveAsync("k");
        _second.FailsToWrite = false;
        CacheTable<string, object> marks = TableOf(_cache, "hybrid-cache-marks");
        Assert.Equal(1, marks.Count);
        marks.BeginRebuild(); // as after a kill, before the walk is over
        Assert.Equal(0, await PeekAsync<int>(_cache, "k"));
        marks.EndRebuild();
        Assert.Equal(0, await PeekAsync<int>(_cache, "k"));
    }

    [Fact]
    public async Task A_removal_that_did_not_reach_it_holds_here()
    {
        await _cache.SetAsync("k", 1);
        Time.Advance(TimeSpan.FromSeconds(1));
        _second.FailsToWrite = true;
        await _cache.RemoveAsync("k");
        _second.FailsToWrite = false;
        Assert.Contains("k", _second.Keys);
        Assert.Equal(0, await PeekAsync<int>(_cache, "k"));
        Time.Advance(TimeSpan.FromSeconds(1));
        Assert.Equal(2, await GetAsync(_cache, "k", 2));
        TableOf(_cache).Remove("k");
        Assert.Equal(2, await PeekAsync<int>(_cache, "k")); // what was written after the removal is read again
    }

    [Fact]
    public async Task A_removal_of_a_tag_that_did_not_reach_it_holds_here()
    {
        await _cache.SetAsync("k", 1, tags: ["a"]);
        Time.Advance(TimeSpan.FromSeconds(1));
        _second.FailsToWrite = true;
        await _cache.RemoveByTagAsync("a");
        _second.FailsToWrite = false;
        Assert.Equal(0, await PeekAsync<int>(_cache, "k"));
    }

    [Fact]
    public async Task A_value_that_was_replaced_without_its_knowledge_does_not_come_back()
    {
        await _cache.SetAsync("k", 1);
        Time.Advance(TimeSpan.FromSeconds(1));
        _second.FailsToWrite = true;
        await _cache.SetAsync("k", 2);
        _second.FailsToWrite = false;
        TableOf(_cache).Remove("k"); // as if evicted
        Assert.Equal(0, await PeekAsync<int>(_cache, "k"));
    }
}
