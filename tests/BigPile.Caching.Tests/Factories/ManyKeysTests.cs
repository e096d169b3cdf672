using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading.Tasks;

namespace BigPile.Caching.Tests.Factories;

/// <summary>Calls for many keys: which keys are one, and what a limit holds for.</summary>
public sealed class ManyKeysTests : FailSafeTest
{
    private static readonly TimeSpan Soft = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan Hard = TimeSpan.FromSeconds(10);
    private static readonly EntryOptions Limited = Kept with { FactorySoftTimeout = Soft, FactoryHardTimeout = Hard };

    private readonly TaskCompletionSource<string> _never = new();

    private static Dictionary<string, string> Make(IReadOnlyList<string> keys) => keys.ToDictionary(static key => key, static _ => "new");

    [Fact]
    public void Keys_are_one_where_the_table_has_one_entry_for_them()
    {
        CacheTable<DateTime, string> table = Cache.GetOrCreateTable<DateTime, string>("times");
        var utc = new DateTime(1_000, DateTimeKind.Utc);
        var local = new DateTime(1_000, DateTimeKind.Local);
        table.Put(utc, "utc");
        table.Put(local, "local");
        IReadOnlyDictionary<DateTime, string> values = table.GetOrAddMany([utc, local], static _ => throw new IOException("none misses"));
        Assert.Equal(("utc", "local", 2), (values[utc], values[local], values.Count));

        CacheTable<byte[], string> bytes = Cache.GetOrCreateTable<byte[], string>("bytes");
        var asked = new List<byte[]>();
        Assert.Empty(bytes.GetOrAddMany([[1], [2], [1]], keys =>
        {
            asked.AddRange(keys);
            return new Dictionary<byte[], string>();
        }));
        Assert.Equal([1, 2], asked.Select(static key => key[0]));
    }

    [Fact]
    public async Task The_soft_limit_holds_for_keys_that_others_make_too()
    {
        Table.Put("a", "old", Kept);
        Time.Advance(Life);
        Task<string> other = Table.GetOrAddAsync("a", (_, _) => new ValueTask<string>(_never.Task), Kept).AsTask();
        Task<IReadOnlyDictionary<string, string>> many =
            Table.GetOrAddManyAsync(["a", "b"], static (keys, _) => new(Make(keys)), Limited).AsTask();
        await Eventually.TrueAsync(() => Table.ContainsKey("b") && Time.TimerCount != 0);
        Time.Advance(Soft);
        Assert.Equal(("old", "new"), ((await many.WaitAsync(Eventually.Timeout))["a"], (await many)["b"]));
        _never.SetResult("late");
        Assert.Equal("late", await other);
    }

    [Fact]
    public async Task The_hard_limit_is_one_for_all_keys()
    {
        Task<string>[] others = [.. Enumerable.Range(0, 8).Select(
            key => Table.GetOrAddAsync($"{key}", (_, _) => new ValueTask<string>(_never.Task)).AsTask())];
        Task<IReadOnlyDictionary<string, string>> many = Table.GetOrAddManyAsync(
            Enumerable.Range(0, 8).Select(static key => $"{key}"), static (keys, _) => new(Make(keys)), Limited).AsTask();
        await Eventually.TrueAsync(() => Time.TimerCount != 0);
        Time.Advance(Hard);
        await Assert.ThrowsAsync<TimeoutException>(() => many.WaitAsync(Eventually.Timeout));
        _never.SetResult("late");
        Assert.All(await Task.WhenAll(others), static value => Assert.Equal("late", value));
    }

    /// <summary>The patience of the cache is for the factories of others.</summary>
    [Fact]
    public async Task A_factory_may_take_any_time_though_another_caller_makes_one_of_the_keys()
    {
        var other = new TaskCompletionSource<string>();
        Task<string> one = Table.GetOrAddAsync("a", (_, _) => new ValueTask<string>(other.Task)).AsTask();
        Task<IReadOnlyDictionary<string, string>> many = Table.GetOrAddManyAsync(["a", "b"], async (keys, _) =>
        {
            await _never.Task;
            return Make(keys);
        }).AsTask();
        await Eventually.TrueAsync(() => Time.TimerCount != 0);
        other.SetResult("other");
        await one;
        Time.Advance(new PileCacheOptions().FactoryPatience);
        Assert.False(many.IsCompleted);
        _never.SetResult("late");
        Assert.Equal(("other", "new"), ((await many.WaitAsync(Eventually.Timeout))["a"], (await many)["b"]));
    }

    /// <summary>One key is put while the call begins; the factory for the other one fails.</summary>
    [Fact]
    public void A_key_that_was_put_meanwhile_has_its_value_though_the_others_fail()
    {
        Table.Put("b", "old", Kept);
        Time.Advance(Life);
        IReadOnlyDictionary<string, string> values = Table.GetOrAddMany(Keys(), static _ => throw new IOException("no source"), Kept);
        Assert.Equal(("put", "old"), (values["a"], values["b"]));

        IEnumerable<string> Keys()
        {
            yield return "a";
            yield return "b";
            Table.Put("a", "put"); // after the call has looked for it
        }
    }

    [Fact]
    public void A_result_that_throws_is_a_failure_of_the_factory()
    {
        Table.Put("a", "old", Kept);
        Time.Advance(Life);
        var result = new Dictionary<string, string>(new Throwing { CallsLeft = 1 }) { ["a"] = "new" };
        Assert.Equal("old", Table.GetOrAddMany(["a"], _ => result, Kept)["a"]);
    }

    /// <summary>At whichever call the comparer throws, no key is left with a run that nobody runs.</summary>
    [Fact]
    public void A_comparer_that_throws_leaves_nothing_behind()
    {
        var comparer = new Throwing();
        CacheTable<string, string> table = Cache.GetOrCreateTable<string, string>(new TableOptions("compared"), comparer);
        for (int calls = 0; calls < 60; calls++)
        {
            comparer.CallsLeft = calls;
            try
            {
                table.GetOrAddMany(["a", "b", "c"], Make);
            }
            catch (IOException)
            {
                // as it was told to
            }
            comparer.CallsLeft = int.MaxValue;
            Assert.All(["a", "b", "c"], key => Assert.Equal("new", table.GetOrAdd(key, static _ => "new")));
            table.Clear();
        }
    }

    private sealed class Throwing : IEqualityComparer<string>
    {
        internal int CallsLeft { get; set; }

        public bool Equals(string? left, string? right) => Count(string.Equals(left, right, StringComparison.Ordinal));

        public int GetHashCode(string key) => Count(string.GetHashCode(key, StringComparison.Ordinal));

        private T Count<T>(T result) => CallsLeft-- > 0 ? result : throw new IOException("The comparer fails.");
    }
}
