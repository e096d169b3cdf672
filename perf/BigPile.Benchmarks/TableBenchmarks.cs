using System;
using System.Globalization;
using System.Linq;
using System.Runtime.InteropServices;
using BenchmarkDotNet.Attributes;
using BenchmarkDotNet.Configs;
using BigPile.Perf.Stores;

namespace BigPile.Benchmarks;

/// <summary>What does a table cost, compared with other caches and stores: to put bytes by key, and to get them?</summary>
/// <remarks>
/// A million keys with 100 bytes each, in random order. The caller puts from its own buffer, so each side makes a copy. Each get returns
/// bytes to read: most their stored array, HybridCache and <c>TableGet</c> a new one, FASTER and <c>TableRead</c> a copy in the caller's
/// buffer. For FusionCache and HybridCache it is the memory level.
/// </remarks>
/// <typeparam name="TKey">The type of the keys.</typeparam>
[MemoryDiagnoser]
[GroupBenchmarksBy(BenchmarkLogicalGroupRule.ByCategory)]
[CategoriesColumn]
public abstract class TableBenchmarks<TKey>
    where TKey : notnull
{
    private const string Get = nameof(Get);
    private const string Put = nameof(Put);
    private const int ValueBytes = 100;

    private static readonly int Count = Jobs.Sized(1_000_000);

    private readonly Shuffled _order = new(Count);
    private readonly byte[] _source = new byte[ValueBytes];
    private readonly byte[] _buffer = new byte[ValueBytes];
    private TKey[] _keys = [];
    private IStore<TKey>? _store;

    /// <summary>Makes a key of a number.</summary>
    private protected abstract TKey KeyOf(int number);

    /// <summary>The bytes of a key.</summary>
    private protected abstract ReadOnlySpan<byte> BytesOf(in TKey key);

    /// <summary>Fills a concurrent dictionary.</summary>
    [GlobalSetup(Targets = [nameof(ConcurrentDictionaryGet), nameof(ConcurrentDictionaryPut)])]
    public void FillConcurrentDictionary() => Fill(new ConcurrentDictionaryStore<TKey>());

    /// <summary>Fills a memory cache.</summary>
    [GlobalSetup(Targets = [nameof(MemoryCacheGet), nameof(MemoryCachePut)])]
    public void FillMemoryCache() => Fill(new MemoryCacheStore<TKey>());

    /// <summary>Fills BitFaster's cache by recency.</summary>
    [GlobalSetup(Targets = [nameof(ConcurrentLruGet), nameof(ConcurrentLruPut)])]
    public void FillConcurrentLru() => Fill(BitFasterStore<TKey>.Lru(Count));

    /// <summary>Fills BitFaster's cache by frequency.</summary>
    [GlobalSetup(Targets = [nameof(ConcurrentLfuGet), nameof(ConcurrentLfuPut)])]
    public void FillConcurrentLfu() => Fill(BitFasterStore<TKey>.Lfu(Count));

    /// <summary>Fills FusionCache.</summary>
    [GlobalSetup(Targets = [nameof(FusionCacheGet), nameof(FusionCachePut)])]
    public void FillFusionCache() => Fill(new FusionCacheStore<TKey>());

    /// <summary>Fills HybridCache.</summary>
    [GlobalSetup(Targets = [nameof(HybridCacheGet), nameof(HybridCachePut)])]
    public void FillHybridCache() => Fill(new HybridCacheStore<TKey>());

    /// <summary>Fills a store of FASTER.</summary>
    [GlobalSetup(Targets = [nameof(FasterGet), nameof(FasterPut)])]
    public void FillFaster() => Fill(new FasterStore<TKey>(Count, ValueBytes, BytesOf));

    /// <summary>Fills a table.</summary>
    [GlobalSetup(Targets = [nameof(TableGet), nameof(TablePut)])]
    public void FillTable() => Fill(new TableStore<TKey>(copies: false));

    /// <summary>Fills a table that is read into a buffer.</summary>
    [GlobalSetup(Target = nameof(TableRead))]
    public void FillReadTable() => Fill(new TableStore<TKey>(copies: true));

    /// <summary>Releases everything.</summary>
    [GlobalCleanup]
    public void End()
    {
        _store?.Dispose();
        _store = null;
        _keys = [];
    }

    /// <summary>Gets from a table.</summary>
    [BenchmarkCategory(Get), Benchmark(Baseline = true)]
    public int TableGet() => GetOne();

    /// <summary>Reads from a table into a buffer.</summary>
    [BenchmarkCategory(Get), Benchmark]
    public int TableRead() => GetOne();

    /// <summary>Gets from a concurrent dictionary.</summary>
    [BenchmarkCategory(Get), Benchmark]
    public int ConcurrentDictionaryGet() => GetOne();

    /// <summary>Gets from a memory cache.</summary>
    [BenchmarkCategory(Get), Benchmark]
    public int MemoryCacheGet() => GetOne();

    /// <summary>Gets from BitFaster's cache by recency.</summary>
    [BenchmarkCategory(Get), Benchmark]
    public int ConcurrentLruGet() => GetOne();

    /// <summary>Gets from BitFaster's cache by frequency.</summary>
    [BenchmarkCategory(Get), Benchmark]
    public int ConcurrentLfuGet() => GetOne();

    /// <summary>Gets from FusionCache.</summary>
    [BenchmarkCategory(Get), Benchmark]
    public int FusionCacheGet() => GetOne();

    /// <summary>Gets from HybridCache.</summary>
    [BenchmarkCategory(Get), Benchmark]
    public int HybridCacheGet() => GetOne();

    /// <summary>Gets from a store of FASTER.</summary>
    [BenchmarkCategory(Get), Benchmark]
    public int FasterGet() => GetOne();

    /// <summary>Puts into a table.</summary>
    [BenchmarkCategory(Put), Benchmark(Baseline = true)]
    public void TablePut() => PutOne();

    /// <summary>Puts into a concurrent dictionary.</summary>
    [BenchmarkCategory(Put), Benchmark]
    public void ConcurrentDictionaryPut() => PutOne();

    /// <summary>Puts into a memory cache.</summary>
    [BenchmarkCategory(Put), Benchmark]
    public void MemoryCachePut() => PutOne();

    /// <summary>Puts into BitFaster's cache by recency.</summary>
    [BenchmarkCategory(Put), Benchmark]
    public void ConcurrentLruPut() => PutOne();

    /// <summary>Puts into BitFaster's cache by frequency.</summary>
    [BenchmarkCategory(Put), Benchmark]
    public void ConcurrentLfuPut() => PutOne();

    /// <summary>Puts into FusionCache.</summary>
    [BenchmarkCategory(Put), Benchmark]
    public void FusionCachePut() => PutOne();

    /// <summary>Puts into HybridCache.</summary>
    [BenchmarkCategory(Put), Benchmark]
    public void HybridCachePut() => PutOne();

    /// <summary>Puts into a store of FASTER.</summary>
    [BenchmarkCategory(Put), Benchmark]
    public void FasterPut() => PutOne();

    private int GetOne() => _store!.Get(_keys[_order.Next()], _buffer) is [var first, .., var last]
        ? first + last
        : throw new InvalidOperationException("A key is missing.");

    private void PutOne() => PutAt(_order.Next());

    private void PutAt(int number)
    {
        _source[0] = (byte)number;
        _store!.Put(_keys[number], _source);
    }

    private void Fill(IStore<TKey> store)
    {
        _store = store;
        _keys = [.. Enumerable.Range(0, Count).Select(KeyOf)];
        for (int number = 0; number < Count; number++)
            PutAt(number);
    }
}

/// <summary>By number; for FusionCache and HybridCache, which support only strings, by its digits.</summary>
public class LongTableBenchmarks : TableBenchmarks<long>
{
    private protected override long KeyOf(int number) => number;

    private protected override ReadOnlySpan<byte> BytesOf(in long key) => MemoryMarshal.AsBytes(new ReadOnlySpan<long>(in key));
}

/// <summary>By text.</summary>
public class TextTableBenchmarks : TableBenchmarks<string>
{
    private protected override string KeyOf(int number) => string.Create(CultureInfo.InvariantCulture, $"customer:{number:D10}");

    private protected override ReadOnlySpan<byte> BytesOf(in string key) => MemoryMarshal.AsBytes(key.AsSpan());
}
