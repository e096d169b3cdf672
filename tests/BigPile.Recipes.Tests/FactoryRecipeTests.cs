using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Caching;
using Microsoft.Extensions.Time.Testing;

namespace BigPile.Recipes.Tests;

/// <summary>Factories that fail, take long and decide, by the recipes of the page.</summary>
public sealed class FactoryRecipeTests : IDisposable
{
    private readonly FakeTimeProvider _time = new();
    private readonly PileCache _cache;
    private readonly CacheTable<string, Recipes.Product> _products;

    public FactoryRecipeTests()
    {
        _cache = Recipes.MakeCache(_time);
        _products = Recipes.GetResilientTable(_cache);
    }

    public void Dispose() => _cache.Dispose();

    private static ValueTask<Recipes.Product> LoadAsync(string id, CancellationToken stop) =>
        new(new Recipes.Product(id, $"{id} of the source"));

    [Fact]
    public async Task A_source_that_fails_is_covered_by_the_stale_value()
    {
        Assert.Equal("a of the source", await Recipes.DescribeAsync(_products, "a", LoadAsync));
        _time.Advance(TimeSpan.FromMinutes(6));
        string late = await Recipes.DescribeAsync(_products, "a", static (_, _) => throw new TimeoutException("no answer"));
        Assert.Equal("a of the source (as of before: no answer)", late);
    }

    [Fact]
    public async Task A_source_that_knows_what_the_caller_has_renews_it()
    {
        var five = TimeSpan.FromMinutes(5);
        var answers = new Queue<Recipes.Answer>(
        [
            new Recipes.Answer(new Recipes.Product("a", "one"), five, IsNotModified: false, IsPrivate: false, ""),
            new Recipes.Answer(null, five, IsNotModified: true, IsPrivate: false, ""),
            new Recipes.Answer(null, five, IsNotModified: false, IsPrivate: false, "gone"),
            new Recipes.Answer(new Recipes.Product("b", "mine"), five, IsNotModified: false, IsPrivate: true, ""),
        ]);
        var asked = new List<string?>();
        Task<Recipes.Answer> AskAsync(string id, string? had, CancellationToken stop)
        {
            asked.Add(had);
            return Task.FromResult(answers.Dequeue());
        }
        for (int i = 0; i < 3; i++)
        {
            Assert.Equal("one", (await Recipes.AskAsync(_products, "a", AskAsync)).Name);
            _time.Advance(TimeSpan.FromMinutes(6));
        }
        Assert.Equal([null, "one", "one"], asked);
        Assert.Equal("mine", (await Recipes.AskAsync(_products, "b", AskAsync)).Name);
        Assert.False(_products.ContainsKey("b"));
    }

    [Fact]
    public async Task Many_are_found_with_one_query()
    {
        int queries = 0;
        ValueTask<IReadOnlyDictionary<string, Recipes.Product>> QueryAsync(IReadOnlyList<string> ids, CancellationToken stop)
        {
            queries++;
            return new(ids.ToDictionary(static id => id, static id => new Recipes.Product(id, id)));
        }
        _products.Put("b", new Recipes.Product("b", "there"));
        IReadOnlyDictionary<string, Recipes.Product> found = await Recipes.FindManyAsync(_products, ["a", "b", "c"], QueryAsync);
        Assert.Equal(["a", "there", "c"], found.OrderBy(static one => one.Key).Select(static one => one.Value.Name));
        Assert.Equal(1, queries);
    }

    [Fact]
    public void A_change_prolongs_nothing_and_the_bounds_are_valid()
    {
        _products.Put("a", new Recipes.Product("a", "one"), new EntryOptions { MaxAge = TimeSpan.FromMinutes(1) });
        _time.Advance(TimeSpan.FromSeconds(50));
        Recipes.Change(_products, "a", new Recipes.Product("a", "two"));
        Assert.Equal("two", _products.Get("a").Name);
        _time.Advance(TimeSpan.FromSeconds(10 + 20)); // with the jitter
        Assert.False(_products.ContainsKey("a"));
        using var cache = new PileCache(new Pile(), Recipes.Bounded() with { OwnsPile = true });
        Assert.Equal("x", cache.GetOrCreateTable<int, string>("t").GetOrAdd(1, static _ => "x"));
    }
}
