using System;
using System.Linq;
using System.Threading.Tasks;
using BigPile.AspNetCore.Hybrid;
using BigPile.AspNetCore.Tests.Support;

namespace BigPile.AspNetCore.Tests;

/// <summary>Tags: which are allowed, and what their removal removes.</summary>
public sealed class HybridInvalidationTests : HybridCacheTest
{
    [Fact]
    public async Task The_star_removes_everything_tagged_or_not()
    {
        await GetAsync(Cache, "plain", 1);
        await GetAsync(Cache, "tagged", 1, tags: ["a"]);
        await Cache.RemoveByTagAsync("*");
        Assert.Equal(2, await GetAsync(Cache, "plain", 2));
        Assert.Equal(2, await GetAsync(Cache, "tagged", 2, tags: ["a"]));
        Assert.Equal(2, await GetAsync(Cache, "plain", 3)); // what came after stays
    }

    [Fact]
    public async Task A_tag_removes_what_has_it_and_nothing_else()
    {
        await GetAsync(Cache, "none", 1);
        await GetAsync(Cache, "a", 1, tags: ["a"]);
        await GetAsync(Cache, "b", 1, tags: ["b"]);
        await GetAsync(Cache, "ab", 1, tags: ["a", "b"]);
        await Cache.SetAsync("set", 1, tags: ["b"]);
        await Cache.RemoveByTagAsync("unknown");
        await Cache.RemoveByTagAsync("a");
        Assert.Equal(new[] { 1, 0, 1, 0, 1 }, await PeekAllAsync("none", "a", "b", "ab", "set"));
        await GetAsync(Cache, "a", 2, tags: ["a"]);
        Assert.Equal(2, await PeekAsync<int>(Cache, "a"));
        await Cache.RemoveByTagAsync(["a", "b"]);
        Assert.Equal(new[] { 1, 0, 0, 0, 0 }, await PeekAllAsync("none", "a", "b", "ab", "set"));
        await Cache.RemoveByTagAsync(Array.Empty<string>());
        Assert.Equal(1, await PeekAsync<int>(Cache, "none"));
    }

    [Theory]
    [InlineData("key")]
    [InlineData("set")]
    [InlineData("tag")]
    [InlineData("*")]
    public async Task What_was_being_made_during_a_removal_is_not_cached(string what)
    {
        var release = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        Task<int> early = Cache.GetOrCreateAsync(
            "k",
            async _ =>
            {
                await release.Task;
                return 1;
            },
            tags: ["tag"]).AsTask();
        if (what == "key")
            await Cache.RemoveAsync("k");
        else if (what == "set")
            await Cache.SetAsync("k", 2);
        else
            await Cache.RemoveByTagAsync(what);
        Task<int> late = GetAsync(Cache, "k", 2).AsTask();
        Assert.Equal(2, await late); // it does not wait for what is out of date
        release.SetResult();
        Assert.Equal(1, await early);
        Assert.Equal(2, await PeekAsync<int>(Cache, "k"));
    }

    [Fact]
    public async Task No_tags_are_right_in_whatever_form()
    {
        await GetAsync(Cache, "k", 1, tags: null);
        Assert.Empty(TagSet.Of(null));
        Assert.Empty(TagSet.Of([]));
        Assert.Empty(TagSet.Of(Enumerable.Empty<string>().Where(static _ => true)));
    }

    [Fact]
    public void Tags_are_taken_from_whatever_sequence_and_once_each()
    {
        Assert.Equal(["a"], TagSet.Of(["a"]));
        Assert.Equal(["a"], TagSet.Of(Enumerable.Repeat("a", 3)));
        Assert.Equal(["a", "b", "A"], TagSet.Of(["a", "b", "a", "A", "b"]));
        Assert.Equal(64, TagSet.Of(Enumerable.Range(0, 128).Select(static i => $"tag {i % 64}")).Length);
    }

    [Fact]
    public void The_callers_array_is_not_kept()
    {
        string[] given = ["a", "b"];
        string[] taken = TagSet.Of(given);
        given[0] = "changed";
        Assert.Equal(["a", "b"], taken);
    }

    [Theory]
    [InlineData("")]
    [InlineData(null)]
    [InlineData("*")]
    public async Task Tags_that_mean_nothing_or_everything_are_refused(string? tag)
    {
        await Assert.ThrowsAsync<ArgumentException>("tags", async () => await GetAsync(Cache, "k", 1, tags: ["a", tag!]));
        await Assert.ThrowsAsync<ArgumentException>("tags", async () => await Cache.SetAsync("k", 1, tags: [tag!]));
        Assert.Equal(0, Made);
    }

    [Fact]
    public async Task Too_many_tags_or_too_long_ones_are_refused_with_the_limit()
    {
        ArgumentException error =
            Assert.Throws<ArgumentException>("tags", () => TagSet.Of(Enumerable.Range(0, 65).Select(static i => $"{i}")));
        Assert.Contains("64 are allowed", error.Message, StringComparison.Ordinal);
        error = Assert.Throws<ArgumentException>("tags", () => TagSet.Of([new string('t', 1025)]));
        Assert.Contains("1,024 are allowed", error.Message, StringComparison.Ordinal);
        await Assert.ThrowsAsync<ArgumentException>("tag", async () => await Cache.RemoveByTagAsync(new string('t', 1025)));
        await Assert.ThrowsAsync<ArgumentException>("tag", async () => await Cache.RemoveByTagAsync(""));
    }

    private async Task<int[]> PeekAllAsync(params string[] keys)
    {
        var found = new int[keys.Length];
        for (int i = 0; i < keys.Length; i++)
            found[i] = await PeekAsync<int>(Cache, keys[i]);
        return found;
    }
}
