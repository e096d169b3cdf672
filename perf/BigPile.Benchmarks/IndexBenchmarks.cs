using System.Collections.Generic;
using System.IO;
using System.Numerics;
using BenchmarkDotNet.Attributes;
using BenchmarkDotNet.Configs;
using BigPile.Caching;

namespace BigPile.Benchmarks;

/// <summary>What does it cost to look up whether a key exists, as their number grows?</summary>
/// <remarks>
/// Keys are random numbers, looked up in random order: so each lookup misses the caches on both sides. Keys come from an array that is read
/// in sequence. Values have eight bytes.
/// </remarks>
[MemoryDiagnoser]
[GroupBenchmarksBy(BenchmarkLogicalGroupRule.ByCategory)]
[CategoriesColumn]
public class IndexBenchmarks
{
    private const int AskedFor = 1 << 20;
    private const ulong Odd = 0x9E3779B97F4A7C15;

    private readonly long[] _there = new long[AskedFor];
    private readonly long[] _missing = new long[AskedFor];
    private Dictionary<long, long> _dictionary = [];
    private PileCache? _cache;
    private CacheTable<long, long> _table = null!;
    private int _next;

    /// <summary>How many keys there are.</summary>
    [ParamsSource(nameof(EntryCounts))]
    public int Entries { get; set; }

    /// <summary>The numbers of keys.</summary>
    public static IEnumerable<int> EntryCounts => [Jobs.Sized(1_000_000), Jobs.Sized(10_000_000)];

    /// <summary>Fills a dictionary.</summary>
    [GlobalSetup(Targets = [nameof(DictionaryHit), nameof(DictionaryMiss)])]
    public void FillDictionary()
    {
        Draw();
        for (int number = 0; number < Entries; number++)
            _dictionary.Add(KeyOf(number), number);
        Check(_dictionary.ContainsKey(_there[1]) && !_dictionary.ContainsKey(_missing[1]));
    }

    /// <summary>Fills a table.</summary>
    [GlobalSetup(Targets = [nameof(TableHit), nameof(TableMiss)])]
    public void FillTable()
    {
        Draw();
        _cache = new PileCache(new Pile(), ownsPile: true);
        _table = _cache.GetOrCreateTable<long, long>(new TableOptions("index") { CollisionMode = CollisionMode.Durable });
        for (int number = 0; number < Entries; number++)
            _table.Put(KeyOf(number), number);
        Check(_table.ContainsKey(_there[1]) && !_table.ContainsKey(_missing[1]));
    }

    /// <summary>Releases everything.</summary>
    [GlobalCleanup]
    public void End()
    {
        _cache?.Dispose();
        _dictionary = [];
    }

    /// <summary>Asks a dictionary for a key that is there.</summary>
    [BenchmarkCategory("Hit"), Benchmark(Baseline = true)]
    public bool DictionaryHit() => _dictionary.ContainsKey(_there[_next++ & (AskedFor - 1)]);

    /// <summary>Asks a table for a key that is there.</summary>
    [BenchmarkCategory("Hit"), Benchmark]
    public bool TableHit() => _table.ContainsKey(_there[_next++ & (AskedFor - 1)]);

    /// <summary>Asks a dictionary for a key that is not there.</summary>
    [BenchmarkCategory("Miss"), Benchmark(Baseline = true)]
    public bool DictionaryMiss() => _dictionary.ContainsKey(_missing[_next++ & (AskedFor - 1)]);

    /// <summary>Asks a table for a key that is not there.</summary>
    [BenchmarkCategory("Miss"), Benchmark]
    public bool TableMiss() => _table.ContainsKey(_missing[_next++ & (AskedFor - 1)]);

    private void Draw()
    {
        var order = new Shuffled(Entries, AskedFor);
        for (int i = 0; i < AskedFor; i++)
        {
            int number = order.Next();
            _there[i] = KeyOf(number);
            _missing[i] = KeyOf((long)Entries + number);
        }
    }

    // Each step can be undone, so that different numbers have different keys.
    private static long KeyOf(long number)
    {
        ulong key = ((ulong)number + 1) * Odd;
        key ^= key >> 29;
        return (long)BitOperations.RotateLeft(key * Odd, 31);
    }

    private static void Check(bool isRight)
    {
        if (!isRight)
            throw new InvalidDataException("The keys that are there and those that are missing are not told apart.");
    }
}
