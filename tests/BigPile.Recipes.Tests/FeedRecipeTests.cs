using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Caching;
using Microsoft.Extensions.Time.Testing;

namespace BigPile.Recipes.Tests;

/// <summary>Readers of a table's changes, by the recipes of the page.</summary>
public sealed class FeedRecipeTests : IDisposable
{
    private static readonly TableOptions Options = new("products")
    {
        CollisionMode = CollisionMode.Durable, FeedBytes = 256 << 10,
    };

    private readonly TemporaryDirectory _directory = new();
    private readonly FakeTimeProvider _time = new();
    private readonly Dictionary<string, Change<string, Recipes.Product>> _held = [];

    public void Dispose() => _directory.Dispose();

    [Fact]
    public async Task A_reader_goes_on_where_it_was_after_a_restart()
    {
        string? cursor = null;
        var names = new List<string>();
        using (PileCache cache = Open(out CacheTable<string, Recipes.Product> products))
        {
            products.Put("a", new Recipes.Product("a", "apple"));
            products.Put("b", new Recipes.Product("b", "banana"));
            await FollowUntilAsync(products, "banana");
            products.Put("c", new Recipes.Product("c", "cherry"));
        }
        Assert.Equal(["apple", "banana"], names.Order());
        names.Clear();
        using (PileCache cache = Open(out CacheTable<string, Recipes.Product> products))
        {
            products.Put("d", new Recipes.Product("d", "date"));
            await FollowUntilAsync(products, "date");
        }
        Assert.Equal(["cherry", "date"], names);

        async Task FollowUntilAsync(CacheTable<string, Recipes.Product> products, string last)
        {
            using var stop = new CancellationTokenSource();
            bool isMet = false;
            await Assert.ThrowsAnyAsync<OperationCanceledException>(() => Recipes.FollowAsync(
                products, () => Task.FromResult(cursor), ApplyAsync, SaveAsync, stop.Token));

            Task ApplyAsync(ChangeBatch<string, Recipes.Product> batch)
            {
                Assert.NotEqual(ChangeBatchKind.Gap, batch.Kind);
                names.AddRange(batch.Changes.Select(static change => change.Value!.Name));
                isMet |= names.Contains(last);
                return Task.CompletedTask;
            }

            async Task SaveAsync(string text)
            {
                cursor = text;
                if (isMet)
                    await stop.CancelAsync();
            }
        }
    }

    [Fact]
    public async Task An_index_follows_the_values_and_a_gap()
    {
        using PileCache cache = Open(out CacheTable<string, Recipes.Product> products);
        products.Put("a", new Recipes.Product("a", "red"));
        var byName = new SortedSet<(string Name, string Id)>();
        using var stop = new CancellationTokenSource();
        Task reading = Recipes.KeepIndexAsync(products, _held, byName, stop.Token);
        products.Put("b", new Recipes.Product("b", "red"));
        products.Put("c", new Recipes.Product("c", "blue"));
        await BecomesAsync(("blue", "c"), ("red", "a"), ("red", "b"));
        products.Put("b", new Recipes.Product("b", "blue"));
        products.Remove("a");
        await BecomesAsync(("blue", "b"), ("blue", "c"));
        products.Configure(Options with { FeedBytes = 512 << 10 }); // a window of another size begins anew: a gap
        products.Remove("c");
        products.Put("d", new Recipes.Product("d", "green"));
        await BecomesAsync(("blue", "b"), ("green", "d"));
        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => reading);

        Task BecomesAsync(params (string Name, string Id)[] expected) => Eventually.TrueAsync(() =>
        {
            lock (byName)
                return byName.SequenceEqual(expected);
        });
    }

    [Fact]
    public async Task A_counter_by_tag_is_exact_whatever_takes_entries()
    {
        using PileCache cache = Open(out CacheTable<string, Recipes.Product> products);
        var counts = new ConcurrentDictionary<ulong, int>();
        using var stop = new CancellationTokenSource();
        Put("a", "fruit");
        Task reading = Recipes.CountAsync(products, _held, counts, stop.Token);
        Put("b", "fruit", "red");
        Put("c", "red");
        await BecomesAsync(fruit: 2, red: 2);
        Put("a", "red"); // another tag
        products.Remove("b");
        await BecomesAsync(fruit: 0, red: 2);
        products.Put("e", new Recipes.Product("e", "x"), new EntryOptions { Tags = ["fruit"], MaxAge = TimeSpan.FromMinutes(1) });
        await BecomesAsync(fruit: 1, red: 2);
        _time.Advance(TimeSpan.FromMinutes(2));
        products.Sweep();
        await BecomesAsync(fruit: 0, red: 2);
        products.RemoveByTag("red");
        Put("f", "red", "fruit");
        await BecomesAsync(fruit: 1, red: 1);
        products.Clear();
        await BecomesAsync(fruit: 0, red: 0);
        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => reading);

        void Put(string id, params string[] tags) =>
            products.Put(id, new Recipes.Product(id, "x"), new EntryOptions { Tags = tags });

        Task BecomesAsync(int fruit, int red) => Eventually.TrueAsync(() => (fruit, red) == (CountOf("fruit"), CountOf("red")));

        int CountOf(string tag) => counts.GetValueOrDefault(CacheTable.HashOfTag(tag));
    }

    private PileCache Open(out CacheTable<string, Recipes.Product> products)
    {
        Pile pile = Pile.Open(_directory.Pile, new PileOptions { SegmentBytes = 4 << 20 });
        var cache = new PileCache(pile, new PileCacheOptions { OwnsPile = true, TimeProvider = _time, SweepPeriod = TimeSpan.Zero });
        products = cache.GetOrCreateTable<string, Recipes.Product>(Options);
        return cache;
    }
}
