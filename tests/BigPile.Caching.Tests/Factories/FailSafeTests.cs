using System;
using System.IO;
using System.Linq;
using System.Threading.Tasks;

namespace BigPile.Caching.Tests.Factories;

/// <summary>Expired values that are given where a factory fails, and to nobody else.</summary>
public sealed class FailSafeTests : IDisposable
{
    private static readonly TimeSpan Life = TimeSpan.FromMinutes(1);
    private static readonly TimeSpan FailSafe = TimeSpan.FromHours(1);
    private static readonly TimeSpan Tick = new(1);
    private static readonly EntryOptions Kept = new() { MaxAge = Life, FailSafeMaxAge = FailSafe, FailSafeThrottle = TimeSpan.Zero };

    private readonly TemporaryDirectory _directory = new();
    private readonly ManualTime _time = new();
    private readonly PileCache _cache;
    private readonly CacheTable<string, string> _table;

    public FailSafeTests()
    {
        _cache = TestCache.Make(_time);
        _table = _cache.GetOrCreateTable<string, string>("t");
    }

    public void Dispose()
    {
        _cache.Dispose();
        _directory.Dispose();
    }

    private static string Throw(string key, FactoryContext<string> context) => throw new IOException("no source");

    [Fact]
    public void What_has_expired_is_given_where_the_factory_throws_until_its_time_is_over_to_the_tick()
    {
        _table.Put("a", "old", Kept);
        _time.Advance(Life);
        MadeValue<string> made = _table.GetOrAddEntry("a", Throw, Kept);
        Assert.Equal(("old", ValueOrigin.Stale, "no source"), (made.Value, made.Origin, made.Failure?.Message));
        _time.Advance(FailSafe - Tick);
        Assert.Equal("old", _table.GetOrAdd("a", Throw, Kept));
        _time.Advance(Tick);
        Assert.Throws<IOException>(() => _table.GetOrAdd("a", Throw, Kept));
        Assert.Equal(2, _table.Statistics.StaleReads);
    }

    [Fact]
    public void A_factory_that_succeeds_replaces_it()
    {
        _table.Put("a", "old", Kept);
        _time.Advance(Life);
        MadeValue<string> made = _table.GetOrAddEntry("a", (_, _) => "new", Kept);
        Assert.Equal(("new", ValueOrigin.Factory, null), (made.Value, made.Origin, made.Failure));
        made = _table.GetOrAddEntry("a", Throw, Kept);
        Assert.Equal(("new", ValueOrigin.Table), (made.Value, made.Origin));
        Assert.Equal((1, 1, 0), (_table.Count, _table.Statistics.Expirations, _table.Statistics.StaleReads));
    }

    [Fact]
    public void Without_the_option_the_exception_reaches_the_caller()
    {
        _table.Put("a", "old", new EntryOptions { MaxAge = Life });
        _time.Advance(Life);
        Assert.Throws<IOException>(() => _table.GetOrAdd("a", Throw, Kept)); // what counts is how it was put
    }

    [Fact]
    public void A_factory_can_state_its_failure_without_an_exception()
    {
        FactoryFailedException failure = Assert.Throws<FactoryFailedException>(
            () => _table.GetOrAdd("a", (_, context) => context.Fail("no rows"), Kept));
        Assert.Equal("The factory for the key 'a' of the table 't' made no value: no rows", failure.Message);
        _table.Put("a", "old", Kept);
        _time.Advance(Life);
        MadeValue<string> made = _table.GetOrAddEntry("a", (_, context) => context.Fail("no rows"), Kept);
        Assert.Equal(("old", ValueOrigin.Stale), (made.Value, made.Origin));
        Assert.IsType<FactoryFailedException>(made.Failure);
    }

    [Fact]
    public async Task So_is_it_from_an_asynchronous_factory_and_each_caller_gets_an_object_of_its_own()
    {
        CacheTable<int, byte[]> bytes = _cache.GetOrCreateTable<int, byte[]>("bytes");
        bytes.Put(1, [1, 2, 3], Kept);
        _time.Advance(Life);
        var go = new TaskCompletionSource();
        Task<byte[]>[] callers = [.. Enumerable.Range(0, 9).Select(_ => bytes.GetOrAddAsync(1, async (_, _) =>
        {
            await go.Task;
            throw new IOException();
        }, Kept).AsTask())];
        go.SetResult();
        byte[][] values = await Task.WhenAll(callers);
        Assert.All(values, static value => Assert.Equal([1, 2, 3], value));
        Assert.Equal(values.Length, values.Distinct().Count());
    }

    [Fact]
    public void After_a_failure_the_factory_is_tried_again_when_the_throttle_says_to_the_tick()
    {
        var throttle = TimeSpan.FromSeconds(5);
        EntryOptions options = Kept with { FailSafeThrottle = throttle };
        int runs = 0;
        _table.Put("a", "old", options);
        _table.Put("b", "other", options);
        _time.Advance(Life);
        MadeValue<string> Get(string key) => _table.GetOrAddEntry(key, (_, _) => ++runs > 2 ? "new" : throw new IOException(), options);
        Assert.NotNull(Get("a").Failure);
        MadeValue<string> again = Get("a");
        Assert.Equal(("old", ValueOrigin.Stale, null), (again.Value, again.Origin, again.Failure));
        _time.Advance(throttle - Tick);
        Assert.Equal(("old", 1), (Get("a").Value, runs));
        _time.Advance(Tick);
        Assert.Equal(("old", 2), (Get("a").Value, runs)); // it fails again
        Assert.Equal(("old", 2), (Get("a").Value, runs));
        Assert.Equal(("new", 3), (Get("b").Value, runs)); // of another key nothing is known
        _time.Advance(throttle);
        Assert.Equal(("new", ValueOrigin.Factory), (Get("a").Value, ValueOrigin.Factory));
    }

    [Fact]
    public void What_was_put_while_the_factory_failed_is_given_and_is_not_stale()
    {
        MadeValue<string> made = _table.GetOrAddEntry("a", (_, context) =>
        {
            _table.Put("a", "put", Kept);
            return context.Fail("none");
        }, Kept);
        Assert.Equal(("put", ValueOrigin.Table, null), (made.Value, made.Origin, made.Failure));
        Assert.Equal(0, _table.Statistics.StaleReads);
    }
}
