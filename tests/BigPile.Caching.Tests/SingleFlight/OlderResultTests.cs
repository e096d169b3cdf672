using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Caching.Tests.SingleFlight;

/// <summary>What a factory made before a newer change of its key never replaces what came of that change.</summary>
public sealed class OlderResultTests : IDisposable
{
    private readonly ManualTime _time = new();
    private readonly PileCache _cache;
    private readonly CacheTable<string, string?> _table;

    public OlderResultTests()
    {
        _cache = TestCache.Make(_time);
        _table = _cache.GetOrCreateTable<string, string?>("t");
    }

    public void Dispose() => _cache.Dispose();

    public static TheoryData<string, string?> Changes => new()
    {
        { "put", "new" },
        { "update", "new" },
        { "put and remove", null },
        { "put that expires", null },
        { "put that is evicted", null },
        { "remove", null },
        { "remove many", null },
        { "remove by tag", null },
        { "put and remove by tag", null },
        { "clear", null },
    };

    [Theory]
    [MemberData(nameof(Changes))]
    public async Task A_change_during_a_run_is_not_undone_by_it(string change, string? expected)
    {
        EntryOptions options = new() { Tags = ["x", "tag"] };
        var go = new TaskCompletionSource();
        Task<string?> run = _table.GetOrAddAsync("a", async (_, _) => { await go.Task; return "old"; }, options).AsTask();
        Make(change);
        Task<string?> late = _table.GetOrAddAsync("a", (_, _) => ValueTask.FromResult<string?>("later"), options).AsTask();
        Assert.Equal(expected ?? "later", await late);
        go.SetResult();
        Assert.Equal("old", await run);
        Assert.Equal(expected ?? "later", _table.Get("a"));
    }

    [Theory]
    [MemberData(nameof(Changes))]
    public void A_change_by_the_factory_itself_is_not_undone(string change, string? expected)
    {
        EntryOptions options = new() { Tags = ["x", "tag"] };
        Assert.Equal("old", _table.GetOrAdd("a", _ => { Make(change); return "old"; }, options));
        Assert.Equal(expected != null, _table.TryGet("a", out string? value));
        Assert.Equal(expected, value);
    }

    [Fact]
    public async Task A_run_that_nobody_waits_for_keeps_nothing()
    {
        var go = new TaskCompletionSource();
        using var cancel = new CancellationTokenSource();
        var ended = new TaskCompletionSource();
        Task<string?> abandoned = _table.GetOrAddAsync(
            "a", async (_, _) => { await go.Task; ended.SetResult(); return "old"; }, null, cancel.Token).AsTask();
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => abandoned);
        var second = new TaskCompletionSource();
        Task<string?> run = _table.GetOrAddAsync("a", async (_, _) => { await second.Task; return "new"; }).AsTask();
        go.SetResult();
        await ended.Task;
        second.SetResult();
        Assert.Equal("new", await run);
        Assert.Equal("new", _table.Get("a"));
    }

    [Fact]
    public async Task What_happens_to_other_keys_and_tags_concerns_no_run()
    {
        _table.Put("expired", "1", new EntryOptions { MaxAge = TimeSpan.FromSeconds(1) });
        _time.Advance(TimeSpan.FromSeconds(2));
        var go = new TaskCompletionSource();
        Task<string?>[] runs = [.. new[] { "a", "expired" }.Select(key => _table.GetOrAddAsync(
            key, async (_, _) => { await go.Task; return "made"; }, new EntryOptions { Tags = ["tag"] }).AsTask())];
        _table.Put("b", "x", new EntryOptions { Tags = ["other"] });
        _table.Remove("b");
        _table.RemoveByTag("other");
        _table.Sweep();
        Assert.False(_table.Remove("a", 12345));
        go.SetResult();
        await Task.WhenAll(runs);
        Assert.Equal(("made", "made"), (_table.Get("a"), _table.Get("expired")));
    }

    [Fact]
    public void A_call_is_one_hit_or_one_miss()
    {
        _table.GetOrAdd("a", _ => "made");
        Assert.Equal((0, 1), (_table.Statistics.Hits, _table.Statistics.Misses));
        _table.GetOrAdd("a", _ => "made");
        Assert.Equal((1, 1), (_table.Statistics.Hits, _table.Statistics.Misses));
    }

    [Fact]
    public async Task Keys_that_are_one_for_the_table_are_one_for_the_factory()
    {
        CacheTable<byte[], string> table = _cache.GetOrCreateTable<byte[], string>("bytes");
        CacheTable<List<int>, string> lists = _cache.GetOrCreateTable<List<int>, string>("lists");
        int runs = 0;
        var go = new TaskCompletionSource();
        async ValueTask<string> Make()
        {
            Interlocked.Increment(ref runs);
            await go.Task;
            return "made";
        }
        Task<string>[] callers = [.. Enumerable.Range(0, 8).Select(_ => table.GetOrAddAsync([1, 2, 3], (_, _) => Make()).AsTask())];
        Task<string>[] others = [.. Enumerable.Range(0, 8).Select(_ => lists.GetOrAddAsync([1, 2], (_, _) => Make()).AsTask())];
        go.SetResult();
        Assert.All(await Task.WhenAll([.. callers, .. others]), value => Assert.Equal("made", value));
        Assert.Equal(2, runs);
    }

    [Fact]
    public void Runs_and_changes_in_any_order_leave_the_newest()
    {
        int seed = Environment.TickCount;
        long source = 0;
        CacheTable<int, long> table = _cache.GetOrCreateTable<int, long>("numbers");
        for (int round = 0; round < 300; round++)
        {
            var dice = new Random(seed + round);
            long mine = 0;
            Task reader = SideBySide.Start(() => table.GetOrAdd(1, _ =>
            {
                long seen = Interlocked.Read(ref source);
                Thread.SpinWait(new Random(seed ^ round).Next(3000));
                return seen;
            }));
            Thread.SpinWait(dice.Next(5000));
            mine = Interlocked.Increment(ref source);
            _ = dice.Next(2) == 0 ? table.Remove(1) : table.Put(1, mine) == PutResult.Inserted;
            reader.Wait();
            if (table.TryGet(1, out long value))
                Assert.True(value == mine, $"seed {seed}, round {round}: {value} after {mine}");
        }
    }

    private void Make(string change)
    {
        switch (change)
        {
            case "put":
                _table.Put("a", "new");
                break;
            case "update":
                Assert.True(_table.Update("a", "new", 0, out _));
                break;
            case "put and remove":
                _table.Put("a", "new");
                Assert.True(_table.Remove("a"));
                break;
            case "put that expires":
                _table.Put("a", "new", new EntryOptions { MaxAge = TimeSpan.FromSeconds(1) });
                _time.Advance(TimeSpan.FromSeconds(2));
                Assert.False(_table.TryGet("a", out _));
                break;
            case "put that is evicted":
                _table.Put("a", "new");
                _table.Configure(new TableOptions("t") { MaxEntries = 1 });
                _table.Put("b", "other");
                _table.Put("c", "other");
                Assert.False(_table.TryGet("a", out _));
                _table.Configure(TestCache.Durable());
                break;
            case "remove":
                Assert.False(_table.Remove("a"));
                break;
            case "remove many":
                Assert.Equal(0, _table.RemoveMany(["a"]));
                break;
            case "remove by tag":
                _table.RemoveByTag("tag");
                break;
            case "put and remove by tag":
                _table.Put("a", "new", new EntryOptions { Tags = ["gone"] });
                _table.RemoveByTag("gone");
                _table.Sweep();
                break;
            default:
                _table.Clear();
                break;
        }
    }
}
