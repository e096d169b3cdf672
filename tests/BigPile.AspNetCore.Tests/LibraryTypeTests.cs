using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;
using BigPile.AspNetCore.Tests.Support;
using BigPile.Caching;
using Kinds.ThirdParty;
using Kinds.Vendor;
using Microsoft.Extensions.Caching.Hybrid;
using Microsoft.Extensions.Caching.Memory;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace BigPile.AspNetCore.Tests;

/// <summary>Types of class libraries that do not reference BigPile: naming them is consent to store them.</summary>
public sealed class LibraryTypeTests : IDisposable
{
    private readonly TemporaryDirectory _directory = new();
    private readonly KeptLog _log = new();
    private int _made;

    public void Dispose() => _directory.Dispose();

    [Fact]
    public async Task Hybrid_cache_keeps_what_its_calls_name()
    {
        for (int start = 0; start < 2; start++)
        {
            await using TestHost host = await StartAsync(static pile => pile.AsHybridCache());
            HybridCache cache = host.Service<HybridCache>();
            for (int call = 0; call < 3; call++)
            {
                Product product = await cache.GetOrCreateAsync("product", _ => Make(NewProduct("a")));
                AssertSame(NewProduct("a"), product);
                List<Product> list = await cache.GetOrCreateAsync("list", _ => Make<List<Product>>([NewProduct("b")]));
                AssertSame(NewProduct("b"), Assert.Single(list));
                Assert.Equal(new ThirdPartyPoint(1, 2), await cache.GetOrCreateAsync("point", _ => Make(new ThirdPartyPoint(1, 2))));
                Assert.Equal(
                    (new Maker("m"), Paint.Red), await cache.GetOrCreateAsync("tuple", _ => Make((new Maker("m"), Paint.Red))));
            }
        }
        Assert.Equal(4, _made);
        Assert.Empty(_log.Lines);
    }

    [Fact]
    public async Task Tables_hold_what_they_are_declared_with()
    {
        for (int start = 0; start < 2; start++)
        {
            await using TestHost host = await StartAsync(
                static pile => pile.AddTable<ProductKey, Product>("products").AddTable<string, Dictionary<Maker, Product[]>>("by maker"));
            CacheTable<ProductKey, Product> products = host.Service<CacheTable<ProductKey, Product>>();
            CacheTable<string, Dictionary<Maker, Product[]>> byMaker = host.Service<CacheTable<string, Dictionary<Maker, Product[]>>>();
            var key = new ProductKey("shop", 1);
            if (start == 0)
            {
                products.Put(key, NewProduct("a"));
                byMaker.Put("k", new() { [new Maker("m")] = [NewProduct("b")] });
            }
            AssertSame(NewProduct("a"), products.Get(key));
            Assert.Equal(key, Assert.Single(products.Keys));
            AssertSame(NewProduct("b"), Assert.Single(byMaker.Get("k")[new Maker("m")]));
        }
    }

    /// <summary>A pile without a host: the types of a table are named as well.</summary>
    [Fact]
    public void Types_that_were_refused_are_allowed_once_they_are_named()
    {
        using var pile = new Pile(new PileOptions { SegmentBytes = 4 << 20 });
        using var cache = new PileCache(pile);
        CacheTable<string, object> objects = cache.GetOrCreateTable<string, object>("t");
        PileSerializationException e = Assert.Throws<PileSerializationException>(() => objects.Put("k", NewProduct("a")));
        Assert.Contains("PileCodecOptions.Allow(typeof(Kinds.ThirdParty.Product).Assembly)", e.Message, StringComparison.Ordinal);
        Assert.Throws<PileSerializationException>(() => objects.Put("k", new List<Product> { NewProduct("a") }));
        Assert.Throws<PileSerializationException>(() => objects.Put("h", new Holder { Value = NewProduct("a") }));
        Assert.Throws<PileSerializationException>(() => objects.Put("k", NewProduct("a")));
        CacheTable<string, Product> products = cache.GetOrCreateTable<string, Product>("t");
        products.Put("k", NewProduct("a"));
        objects.Put("h", new Holder { Value = NewProduct("a") });
        AssertSame(NewProduct("a"), (Product)objects.Get("k"));
        objects.Put("k", new List<Product> { NewProduct("a") });
        AssertSame(NewProduct("a"), Assert.Single((List<Product>)objects.Get("k")));
    }

    [Fact]
    public void Each_way_to_another_library_is_followed()
    {
        Pass(new Part { Number = 5 }, static part => part.Number);
        Pass(new Made(new Maker("m")), static made => made.By);
        Pass(new List<Maker> { new("m") }, static makers => makers[0]);
        Pass(new ThirdPartyBox<Maker[]> { Content = [new("m")] }, static box => box.Content![0]);
        Pass((1, new Maker("m")), static pair => pair.Item2);
        Pass<ThirdPartyPoint?>(new ThirdPartyPoint(1, 2), static point => point);

        static void Pass<T>(T value, Func<T, object?> selector)
        {
            using var pile = new Pile(new PileOptions { SegmentBytes = 4 << 20 });
            using var cache = new PileCache(pile);
            CacheTable<string, T> table = cache.GetOrCreateTable<string, T>("t");
            table.Put("k", value);
            Assert.Equal(selector(value), selector(table.Get("k")));
        }
    }

    /// <summary>What the framework has is no less refused for having been named.</summary>
    [Fact]
    public async Task Types_of_the_framework_are_not_allowed_by_being_named()
    {
        InvalidOperationException e = await Assert.ThrowsAsync<InvalidOperationException>(
            () => StartAsync(static pile => pile.AddTable<string, System.Data.DataTable>("rows")));
        Assert.Contains("'rows' can't have values of type System.Data.DataTable", e.Message, StringComparison.Ordinal);
        Assert.Contains("WriteXml", e.Message, StringComparison.Ordinal);
        e = await Assert.ThrowsAsync<InvalidOperationException>(
            () => StartAsync(static pile => pile.AddTable<MemoryCacheOptions, string>("t")));
        Assert.Contains("'t' can't have keys of type", e.Message, StringComparison.Ordinal);
        Assert.Contains(
            "Allow(typeof(Microsoft.Extensions.Caching.Memory.MemoryCacheOptions).Assembly)", e.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task What_the_codec_refuses_hybrid_cache_keeps_as_json_and_says_so_once()
    {
        for (int start = 0; start < 2; start++)
        {
            await using TestHost host = await StartAsync(static pile => pile.AsHybridCache());
            HybridCache cache = host.Service<HybridCache>();
            for (int call = 0; call < 3; call++)
            {
                Report report = await cache.GetOrCreateAsync(
                    "report", _ => Make(new Report { Lines = Enumerable.Range(1, 3).Where(n => n > 1) }));
                Assert.Equal([2, 3], report.Lines);
                report = await cache.GetOrCreateAsync("other", _ => Make(new Report { Lines = Enumerable.Range(1, 3).Where(n => n > 2) }));
                Assert.Equal([3], report.Lines);
                Assert.Equal([2], await cache.GetOrCreateAsync("query", _ => Make(Enumerable.Range(1, 2).Where(n => n > 1))));
            }
        }
        Assert.Equal(3, _made);
        Assert.Equal(2, _log.Lines.Count);
        Assert.All(_log.Lines, static line => Assert.Contains("as JSON", line, StringComparison.Ordinal));
        Assert.Contains(_log.Lines, static line => line.Contains("Report.Lines", StringComparison.Ordinal));
    }

    /// <summary>JSON would give an object of the declared class, without what the other one has: that is no cached value.</summary>
    [Fact]
    public async Task What_would_come_back_from_json_as_another_class_is_not_cached_and_told_once()
    {
        await using TestHost host = await StartAsync(static pile => pile.AsHybridCache());
        HybridCache cache = host.Service<HybridCache>();
        for (int call = 0; call < 3; call++)
            Assert.Equal(new KnownMaker("m", 5), await cache.GetOrCreateAsync("maker", _ => Make<Maker>(new KnownMaker("m", 5))));
        Assert.Equal(3, _made);
        string line = Assert.Single(_log.Lines);
        Assert.Contains("'maker' is not cached", line, StringComparison.Ordinal);
        Assert.Contains("Allow(typeof(Kinds.ThirdParty.KnownMaker).Assembly)", line, StringComparison.Ordinal);
        await Assert.ThrowsAsync<PileSerializationException>(async () => await cache.SetAsync<Maker>("maker", new KnownMaker("m", 5)));
    }

    /// <summary>Bytes are bytes, also where their content might be JSON.</summary>
    [Fact]
    public async Task Bytes_behind_an_interface_are_no_json()
    {
        await using TestHost host = await StartAsync(static pile => pile.AsHybridCache());
        HybridCache cache = host.Service<HybridCache>();
        byte[] bytes = "[1,2]"u8.ToArray();
        for (int call = 0; call < 3; call++)
        {
            Assert.Equal(bytes, await cache.GetOrCreateAsync("list", _ => Make<IReadOnlyList<byte>>(bytes)));
            Assert.Equal(bytes, await cache.GetOrCreateAsync("sequence", _ => Make<IEnumerable<byte>>(bytes)));
        }
        Assert.Equal(2, _made);
        Assert.Empty(_log.Lines);
    }

    [Fact]
    public async Task What_can_not_be_read_any_more_is_told_once_with_its_key()
    {
        await using TestHost host = await StartAsync(static pile => pile.AsHybridCache());
        HybridCache cache = host.Service<HybridCache>();
        for (int key = 0; key < 3; key++)
            await cache.SetAsync($"key {key}", new byte[] { 1, 2, 3 });
        for (int key = 0; key < 3; key++)
            Assert.Equal(new Maker("m"), await cache.GetOrCreateAsync($"key {key}", _ => Make(new Maker("m"))));
        string line = Assert.Single(_log.Lines);
        Assert.Contains("'key 0' can't be read as Kinds.Vendor.Maker", line, StringComparison.Ordinal);
        Assert.DoesNotContain("   at ", line, StringComparison.Ordinal);
    }

    private static Product NewProduct(string name)
    {
        var product = new Product { Name = name, Maker = new Maker("m"), Places = { ["p"] = [new ThirdPartyPoint(3, 4)] } };
        product.Pass(new Maker("former"));
        return product;
    }

    private static void AssertSame(Product expected, Product actual)
    {
        Assert.Equal((expected.Name, expected.Maker, expected.FormerCount), (actual.Name, actual.Maker, actual.FormerCount));
        Assert.Equal(expected.Places["p"], actual.Places["p"]);
    }

    private ValueTask<T> Make<T>(T value)
    {
        _made++;
        return new ValueTask<T>(value);
    }

    private Task<TestHost> StartAsync(Action<BigPileBuilder> add) => TestHost.StartAsync(services =>
    {
        services.AddLogging(logging => logging.AddProvider(_log));
        add(services.AddBigPile(options =>
        {
            TestHost.Small(options);
            options.Directory = _directory.Path;
        }));
    });

    public sealed class Holder
    {
        public object? Value { get; set; }
    }

    public sealed class Report
    {
        public IEnumerable<int> Lines { get; set; } = [];
    }
}
