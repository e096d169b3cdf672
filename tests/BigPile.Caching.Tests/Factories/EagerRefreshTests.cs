using System;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Caching.Tests.Factories;

/// <summary>Values that are made anew before they expire.</summary>
public sealed class EagerRefreshTests : IDisposable
{
    private static readonly TimeSpan Life = TimeSpan.FromMinutes(100);
    private static readonly TimeSpan Tick = new(1);
    private static readonly EntryOptions Eager = new() { MaxAge = Life, EagerRefresh = 0.8 };

    private readonly ManualTime _time = new();
    private readonly PileCache _cache;
    private readonly CacheTable<string, string> _table;
    private int _runs;

    public EagerRefreshTests()
    {
        _cache = new PileCache(
            new Pile(new PileOptions { Store = StoreKind.Native, SegmentBytes = 16 << 20 }),
            new PileCacheOptions { OwnsPile = true, TimeProvider = _time, SweepPeriod = TimeSpan.Zero, MaxRefreshes = 2 });
        _table = _cache.GetOrCreateTable<string, string>("t");
    }

    public void Dispose() => _cache.Dispose();

    private string Get(string key = "a") => _table.GetOrAdd(key, _ => $"made {Interlocked.Increment(ref _runs)}", Eager);

    [Fact]
    public void From_its_share_of_the_lifetime_on_to_the_tick_a_read_has_it_made_once_and_gets_the_present_value()
    {
        Assert.Equal("made 1", Get());
        _time.Advance(Life * 0.8 - Tick);
        Assert.Equal(("made 1", 1), (Get(), _runs));
        _time.Advance(Tick);
        Assert.Equal("made 1", Get());
        Eventually.True(() => _table.Get("a") == "made 2");
        _time.Advance(Life * 0.8 - Tick); // a lifetime of its own
        Assert.Equal(("made 2", 2), (Get(), _runs));
    }

    [Fact]
    public async Task While_it_runs_others_get_the_present_value_and_once_that_has_expired_they_wait_for_it()
    {
        _table.Put("a", "old", Eager);
        _time.Advance(Life * 0.9);
        var source = new TaskCompletionSource<string>();
        async ValueTask<string> AskAsync(string key, CancellationToken stop)
        {
            Interlocked.Increment(ref _runs);
            return await source.Task;
        }
        for (int i = 0; i < 5; i++)
            Assert.Equal("old", await _table.GetOrAddAsync("a", AskAsync, Eager));
        await Eventually.TrueAsync(() => Volatile.Read(ref _runs) == 1);
        _time.Advance(Life);
        Task<string>[] waiting = [.. Enumerable.Range(0, 5).Select(_ => _table.GetOrAddAsync("a", AskAsync, Eager).AsTask())];
        source.SetResult("new");
        Assert.All(await Task.WhenAll(waiting), static value => Assert.Equal("new", value));
        Assert.Equal(1, _runs);
    }

    [Fact]
    public async Task Its_failure_harms_nobody_and_is_not_repeated_at_once()
    {
        EntryOptions options = Eager with { FailSafeThrottle = TimeSpan.FromMinutes(1) };
        _table.Put("a", "old", options);
        _time.Advance(Life * 0.8);
        string Fail(string key) => Interlocked.Increment(ref _runs) == 1 ? throw new InvalidOperationException() : "new";
        Assert.Equal("old", _table.GetOrAdd("a", Fail, options));
        await Eventually.TrueAsync(() => Volatile.Read(ref _runs) == 1 && _table.Core.Factories.Failures.IsAny);
        Assert.Equal("old", _table.GetOrAdd("a", Fail, options));
        _time.Advance(TimeSpan.FromMinutes(1));
        Assert.Equal("old", _table.GetOrAdd("a", Fail, options));
        await Eventually.TrueAsync(() => _table.Get("a") == "new");
    }

    [Fact]
    public async Task No_more_run_at_a_time_than_the_cache_allows()
    {
        string[] keys = [.. Enumerable.Range(0, 5).Select(static number => $"key {number}")];
        foreach (string key in keys)
            _table.Put(key, "old", Eager);
        _time.Advance(Life * 0.8);
        var source = new TaskCompletionSource<string>();
        async ValueTask<string> AskAsync(string key, CancellationToken stop)
        {
            Interlocked.Increment(ref _runs);
            return await source.Task;
        }
        foreach (string key in keys)
            Assert.Equal("old", await _table.GetOrAddAsync(key, AskAsync, Eager));
        await Eventually.TrueAsync(() => Volatile.Read(ref _runs) == 2);
        source.SetResult("new");
        await Eventually.TrueAsync(() => keys.Count(key => _table.Get(key) == "new") == 2);
        foreach (string key in keys)
        {
            // One place comes back a moment after its value is there.
            await Eventually.TrueAsync(async () => await _table.GetOrAddAsync(key, AskAsync, Eager) == "new");
        }
        Assert.Equal(5, _runs);
    }

    [Fact]
    public async Task What_is_put_or_removed_meanwhile_wins()
    {
        foreach (bool isRemoved in new[] { false, true })
        {
            _table.Put("a", "old", Eager);
            _time.Advance(Life * 0.8);
            var source = new TaskCompletionSource<string>();
            int begun = _runs;
            int ended = 0;
            Assert.Equal("old", await _table.GetOrAddAsync("a", async (_, _) =>
            {
                Interlocked.Increment(ref _runs);
                string value = await source.Task;
                Interlocked.Increment(ref ended);
                return value;
            }, Eager));
            await Eventually.TrueAsync(() => Volatile.Read(ref _runs) > begun);
            if (isRemoved)
                _table.Remove("a");
            else
                _table.Put("a", "newer", Eager);
            source.SetResult("outdated");
            await Eventually.TrueAsync(() => Volatile.Read(ref ended) == 1 && !_table.Core.Flights.IsAny);
            Assert.Equal(isRemoved ? null : "newer", _table.TryGet("a", out string? value) ? value : null);
        }
    }

    [Fact]
    public void The_factory_sees_the_value_that_it_refreshes()
    {
        _table.Put("a", "old", Eager);
        _time.Advance(Life * 0.8);
        string? seen = null;
        TimeSpan age = default;
        _ = _table.GetOrAdd("a", (_, context) =>
        {
            (age, seen) = (context.StaleAge, context.Stale);
            return context.NotModified();
        }, Eager);
        Eventually.True(() => _table.TryGetEntry("a", out TableEntry<string> entry) && entry.Age == TimeSpan.Zero);
        Assert.Equal(("old", Life * 0.8, "old"), (seen, age, _table.Get("a")));
    }

    [Fact]
    public void It_begins_a_new_lifetime_where_puts_keep_the_old_one()
    {
        _table.Configure(_table.Options with { KeepsLifetime = true });
        _table.Put("a", "old", Eager);
        _time.Advance(Life * 0.8);
        Assert.Equal("old", Get());
        Eventually.True(() => _table.Get("a") == "made 1");
        Assert.True(_table.TryGetEntry("a", out TableEntry<string> entry));
        Assert.Equal(Life, entry.Info.Lifetime);
    }

    [Fact]
    public void An_entry_without_an_end_is_never_due()
    {
        _table.Put("a", "old");
        _time.Advance(TimeSpan.FromDays(300));
        Assert.Equal(("old", 0), (_table.GetOrAdd("a", _ => "new", new EntryOptions { EagerRefresh = 0.1 }), _runs));
        Assert.Equal("old", _table.Get("a"));
    }
}
