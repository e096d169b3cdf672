using System;
using System.Collections.Concurrent;
using System.Globalization;
using System.Linq;
using BenchmarkDotNet.Attributes;
using BenchmarkDotNet.Configs;
using BigPile.Caching;
using Microsoft.Extensions.Caching.Memory;

namespace BigPile.Benchmarks;

/// <summary>What does a table cost beside the caches that .NET has: to put bytes at a key, and to get them?</summary>
/// <remarks>
/// A million keys with 100 bytes each, taken in random order. Whoever puts has the bytes in a buffer of its own, so each side makes a copy:
/// the dictionaries an array, the table an entry. Each side gives the bytes to be looked into: the dictionaries their array, the table a
/// new one, or a copy in a buffer of the caller's.
/// </remarks>
[MemoryDiagnoser]
[GroupBenchmarksBy(BenchmarkLogicalGroupRule.ByCategory)]
[CategoriesColumn]
public class TableBenchmarks
{
    private static readonly int Count = Jobs.Sized(1_000_000);
    private const int ValueBytes = 100;

    private readonly Shuffled _order = new(Count);
    private readonly byte[] _source = new byte[ValueBytes];
    private readonly byte[] _buffer = new byte[ValueBytes];
    private string[] _texts = [];
    private ConcurrentDictionary<long, byte[]> _dictionary = [];
    private ConcurrentDictionary<string, byte[]> _textDictionary = [];
    private MemoryCache? _memoryCache;
    private PileCache? _pileCache;
    private CacheTable<long, byte[]> _table = null!;
    private CacheTable<string, byte[]> _textTable = null!;

    /// <summary>Fills a dictionary.</summary>
    [GlobalSetup(Targets = [nameof(ConcurrentGetLong), nameof(ConcurrentPutLong)])]
    public void FillDictionary() => Fill(key => _dictionary[key] = Value(key).ToArray());

    /// <summary>Fills a dictionary by texts.</summary>
    [GlobalSetup(Targets = [nameof(ConcurrentGetText), nameof(ConcurrentPutText)])]
    public void FillTextDictionary()
    {
        MakeTexts();
        Fill(key => _textDictionary[_texts[key]] = Value(key).ToArray());
    }

    /// <summary>Fills a memory cache.</summary>
    [GlobalSetup(Targets = [nameof(MemoryCacheGetLong), nameof(MemoryCachePutLong)])]
    public void FillMemoryCache()
    {
        _memoryCache = new MemoryCache(new MemoryCacheOptions());
        Fill(key => _memoryCache.Set((long)key, Value(key).ToArray()));
    }

    /// <summary>Fills a memory cache by texts.</summary>
    [GlobalSetup(Targets = [nameof(MemoryCacheGetText), nameof(MemoryCachePutText)])]
    public void FillTextMemoryCache()
    {
        MakeTexts();
        _memoryCache = new MemoryCache(new MemoryCacheOptions());
        Fill(key => _memoryCache.Set(_texts[key], Value(key).ToArray()));
    }

    /// <summary>Fills a table.</summary>
    [GlobalSetup(Targets = [nameof(TableGetLong), nameof(TableReadLong), nameof(TablePutLong)])]
    public void FillTable()
    {
        _pileCache = new PileCache(new Pile(), ownsPile: true);
        _table = _pileCache.GetOrCreateTable<long, byte[]>(new TableOptions("long") { CollisionMode = CollisionMode.Durable });
        Fill(key => _table.PutBytes(key, Value(key), out _));
    }

    /// <summary>Fills a table by texts.</summary>
    [GlobalSetup(Targets = [nameof(TableGetText), nameof(TableReadText), nameof(TablePutText)])]
    public void FillTextTable()
    {
        MakeTexts();
        _pileCache = new PileCache(new Pile(), ownsPile: true);
        _textTable = _pileCache.GetOrCreateTable<string, byte[]>(new TableOptions("text") { CollisionMode = CollisionMode.Durable });
        Fill(key => _textTable.PutBytes(_texts[key], Value(key), out _));
    }

    /// <summary>Gives all back.</summary>
    [GlobalCleanup]
    public void End()
    {
        _pileCache?.Dispose();
        _memoryCache?.Dispose();
        _dictionary = [];
        _textDictionary = [];
        _texts = [];
    }

    /// <summary>Gets from a concurrent dictionary by number.</summary>
    [BenchmarkCategory("GetLong"), Benchmark(Baseline = true)]
    public int ConcurrentGetLong() => LookInto(_dictionary[_order.Next()]);

    /// <summary>Gets from a memory cache by number.</summary>
    [BenchmarkCategory("GetLong"), Benchmark]
    public int MemoryCacheGetLong() => LookInto(_memoryCache!.Get<byte[]>((long)_order.Next())!);

    /// <summary>Gets from a table by number.</summary>
    [BenchmarkCategory("GetLong"), Benchmark]
    public int TableGetLong() => LookInto(_table.Get(_order.Next()));

    /// <summary>Reads from a table into a buffer by number.</summary>
    [BenchmarkCategory("GetLong"), Benchmark]
    public int TableReadLong() => _table.TryRead(_order.Next(), _buffer, out _) ? LookInto(_buffer) : throw Missing();

    /// <summary>Puts into a concurrent dictionary by number.</summary>
    [BenchmarkCategory("PutLong"), Benchmark(Baseline = true)]
    public void ConcurrentPutLong()
    {
        int key = _order.Next();
        _dictionary[key] = Value(key).ToArray();
    }

    /// <summary>Puts into a memory cache by number.</summary>
    [BenchmarkCategory("PutLong"), Benchmark]
    public void MemoryCachePutLong()
    {
        int key = _order.Next();
        _memoryCache!.Set((long)key, Value(key).ToArray());
    }

    /// <summary>Puts into a table by number.</summary>
    [BenchmarkCategory("PutLong"), Benchmark]
    public void TablePutLong()
    {
        int key = _order.Next();
        _table.PutBytes(key, Value(key), out _);
    }

    /// <summary>Gets from a concurrent dictionary by text.</summary>
    [BenchmarkCategory("GetText"), Benchmark(Baseline = true)]
    public int ConcurrentGetText() => LookInto(_textDictionary[_texts[_order.Next()]]);

    /// <summary>Gets from a memory cache by text.</summary>
    [BenchmarkCategory("GetText"), Benchmark]
    public int MemoryCacheGetText() => LookInto(_memoryCache!.Get<byte[]>(_texts[_order.Next()])!);

    /// <summary>Gets from a table by text.</summary>
    [BenchmarkCategory("GetText"), Benchmark]
    public int TableGetText() => LookInto(_textTable.Get(_texts[_order.Next()]));

    /// <summary>Reads from a table into a buffer by text.</summary>
    [BenchmarkCategory("GetText"), Benchmark]
    public int TableReadText() => _textTable.TryRead(_texts[_order.Next()], _buffer, out _) ? LookInto(_buffer) : throw Missing();

    /// <summary>Puts into a concurrent dictionary by text.</summary>
    [BenchmarkCategory("PutText"), Benchmark(Baseline = true)]
    public void ConcurrentPutText()
    {
        int key = _order.Next();
        _textDictionary[_texts[key]] = Value(key).ToArray();
    }

    /// <summary>Puts into a memory cache by text.</summary>
    [BenchmarkCategory("PutText"), Benchmark]
    public void MemoryCachePutText()
    {
        int key = _order.Next();
        _memoryCache!.Set(_texts[key], Value(key).ToArray());
    }

    /// <summary>Puts into a table by text.</summary>
    [BenchmarkCategory("PutText"), Benchmark]
    public void TablePutText()
    {
        int key = _order.Next();
        _textTable.PutBytes(_texts[key], Value(key), out _);
    }

    private static int LookInto(byte[] value) => value[0] + value[^1];

    private static InvalidOperationException Missing() => new("A key is missing.");

    private static void Fill(Action<int> put)
    {
        for (int key = 0; key < Count; key++)
            put(key);
    }

    private ReadOnlySpan<byte> Value(int key)
    {
        _source[0] = (byte)key;
        return _source;
    }

    private void MakeTexts() => _texts =
        [.. Enumerable.Range(0, Count).Select(static key => string.Create(CultureInfo.InvariantCulture, $"customer:{key:D10}"))];
}
