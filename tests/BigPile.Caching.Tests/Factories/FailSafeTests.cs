using System;
using System.IO;
using System.Linq;
using System.Threading.Tasks;

namespace BigPile.Caching.Tests.Factories;

/// <summary>Expired values that are given where a factory fails, and to nobody else.</summary>
public sealed class FailSafeTests : FailSafeTest
{
    [Fact]
    public void What_has_expired_is_given_where_the_factory_throws_until_its_time_is_over_to_the_tick()
    {
        Table.Put("a", "old", Kept);
        Time.Advance(Life);
        MadeValue<string> made = Table.GetOrAddEntry("a", Throw, Kept);
        Assert.Equal(("old", ValueOrigin.Stale, "no source"), (made.Value, made.Origin, made.Failure?.Message));
        Time.Advance(FailSafe - Tick);
        Assert.Equal("old", Table.GetOrAdd("a", Throw, Kept));
        Time.Advance(Tick);
        Assert.Throws<IOException>(() => Table.GetOrAdd("a", Throw, Kept));
        Assert.Equal(2, Table.Statistics.StaleReads);
    }

    [Fact]
    public void A_factory_that_succeeds_replaces_it()
    {
        Table.Put("a", "old", Kept);
        Time.Advance(Life);
        MadeValue<string> made = Table.GetOrAddEntry("a", (_, _) => "new", Kept);
        Assert.Equal(("new", ValueOrigin.Factory, null), (made.Value, made.Origin, made.Failure));
        made = Table.GetOrAddEntry("a", Throw, Kept);
        Assert.Equal(("new", ValueOrigin.Table), (made.Value, made.Origin));
        Assert.Equal((1, 1, 0), (Table.Count, Table.Statistics.Expirations, Table.Statistics.StaleReads));
    }

    [Fact]
    public void Without_the_option_the_exception_reaches_the_caller()
    {
        Table.Put("a", "old", new EntryOptions { MaxAge = Life });
        Time.Advance(Life);
        Assert.Throws<IOException>(() => Table.GetOrAdd("a", Throw, Kept)); // what counts is how it was put
    }

    [Fact]
    public void A_factory_can_state_its_failure_without_an_exception()
    {
        FactoryFailedException failure = Assert.Throws<FactoryFailedException>(
            () => Table.GetOrAdd("a", (_, context) => context.Fail("no rows"), Kept));
        Assert.Equal("The factory for the key 'a' of the table 't' made no value: no rows", failure.Message);
        Table.Put("a", "old", Kept);
        Time.Advance(Life);
        MadeValue<string> made = Table.GetOrAddEntry("a", (_, context) => context.Fail("no rows"), Kept);
        Assert.Equal(("old", ValueOrigin.Stale), (made.Value, made.Origin));
        Assert.IsType<FactoryFailedException>(made.Failure);
    }

    [Fact]
    public async Task So_is_it_from_an_asynchronous_factory_and_each_caller_gets_an_object_of_its_own()
    {
        CacheTable<int, byte[]> bytes = Cache.GetOrCreateTable<int, byte[]>("bytes");
        bytes.Put(1, [1, 2, 3], Kept);
        Time.Advance(Life);
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
        Table.Put("a", "old", options);
        Table.Put("b", "other", options);
        Time.Advance(Life);
        MadeValue<string> Get(string key) => Table.GetOrAddEntry(key, (_, _) => ++runs > 2 ? "new" : throw new IOException(), options);
        Assert.NotNull(Get("a").Failure);
        MadeValue<string> again = Get("a");
        Assert.Equal(("old", ValueOrigin.Stale, null), (again.Value, again.Origin, again.Failure));
        Time.Advance(throttle - Tick);
        Assert.Equal(("old", 1), (Get("a").Value, runs));
        Time.Advance(Tick);
        Assert.Equal(("old", 2), (Get("a").Value, runs)); // it fails again
        Assert.Equal(("old", 2), (Get("a").Value, runs));
        Assert.Equal(("new", 3), (Get("b").Value, runs)); // of another key nothing is known
        Time.Advance(throttle);
        Assert.Equal(("new", ValueOrigin.Factory), (Get("a").Value, ValueOrigin.Factory));
    }

    [Fact]
    public void What_was_put_while_the_factory_failed_is_given_and_is_not_stale()
    {
        MadeValue<string> made = Table.GetOrAddEntry("a", (_, context) =>
        {
            Table.Put("a", "put", Kept);
            return context.Fail("none");
        }, Kept);
        Assert.Equal(("put", ValueOrigin.Table, null), (made.Value, made.Origin, made.Failure));
        Assert.Equal(0, Table.Statistics.StaleReads);
    }
}
