using System;
using System.Collections.Generic;
using System.Linq;
using BigPile.Perf.Tables;

namespace BigPile.Perf.Traces;

/// <summary>Traces that are made and not recorded; the same from the same seed.</summary>
internal static class SyntheticTrace
{
    private const int Accesses = 1_000_000;
    private const int ZipfKeys = 100_000;
    private const double Skew = 0.9;
    private const int LoopKeys = 20_000;
    private const int Scans = 10;
    private const int ScanKeys = 20_000;
    private const int Sets = 4;
    private const int SetKeys = 25_000;
    private const int BurstDistance = 5_000; // new keys between the two uses of one
    private const double UsedAgain = 0.05;
    private const string Prefix = "synthetic:";

    private static readonly (string Name, Func<int, IEnumerable<long>> Make, Func<long, int>? SizeOf)[] Kinds =
    [
        ("zipf", static seed => Zipf(seed, ZipfKeys, Accesses), null),
        ("loop", static _ => Loop(), null),
        ("scan", ZipfWithScans, null),
        ("shift", Shift, null),
        ("bursts", static seed => Bursts(seed).Take(Accesses), null),
        ("stale", static _ => SizedKeys.Stale(), SizedKeys.SizeOf),
        ("resize", SizedKeys.Resize, SizedKeys.SizeOf),
        ("large-scan", SizedKeys.LargeScan, SizedKeys.SizeOf),
    ];

    /// <summary>
    /// The names of those without sizes: as frequent as their rank says; round and round; the first with scans through it; one set after
    /// another; each key twice at a distance, and few of them again.
    /// </summary>
    internal static IReadOnlyList<string> Names { get; } = NamesWhere(hasSizes: false);

    /// <summary>The names of all, with those whose keys have sizes: see <see cref="SizedKeys"/>.</summary>
    internal static IReadOnlyList<string> AllNames { get; } = [.. Names, .. NamesWhere(hasSizes: true)];

    /// <summary>Whether a name is meant for one of these.</summary>
    internal static bool IsName(string name) => name.StartsWith(Prefix, StringComparison.Ordinal);

    /// <summary>Makes a trace.</summary>
    /// <param name="name">One of <see cref="AllNames"/>.</param>
    /// <param name="seed">Any number; another trace for each, but for the loop.</param>
    internal static Trace Make(string name, int seed)
    {
        int kind = Array.FindIndex(Kinds, kind => Prefix + kind.Name == name);
        if (kind < 0)
            throw new LoadException($"'{name}' is no synthetic trace. Use {string.Join(", ", AllNames)}.");
        var trace = new TraceBuilder();
        foreach (long key in Kinds[kind].Make(seed))
        {
            if (Kinds[kind].SizeOf is { } sizeOf)
                trace.Add(key, sizeOf(key));
            else
                trace.Add(key);
        }
        return trace.ToTrace(name);
    }

    private static IReadOnlyList<string> NamesWhere(bool hasSizes) =>
        [.. Kinds.Where(kind => (kind.SizeOf != null) == hasSizes).Select(static kind => Prefix + kind.Name)];

    private static IEnumerable<long> Zipf(int seed, int keys, int count)
    {
        var order = new ZipfOrder(seed, keys, Skew);
        for (int i = 0; i < count; i++)
            yield return order.Next();
    }

    private static IEnumerable<long> Loop()
    {
        for (int i = 0; i < Accesses; i++)
            yield return i % LoopKeys;
    }

    // What a scan comes by is never asked for again.
    private static IEnumerable<long> ZipfWithScans(int seed)
    {
        const int Between = Accesses / Scans;
        int i = 0;
        foreach (long key in Zipf(seed, ZipfKeys, Accesses))
        {
            yield return key;
            if (++i % Between != 0)
                continue;
            long first = ZipfKeys + (long)i / Between * ScanKeys;
            for (int k = 0; k < ScanKeys; k++)
                yield return first + k;
        }
    }

    private static IEnumerable<long> Shift(int seed) =>
        Enumerable.Range(0, Sets).SelectMany(set => Zipf(seed + set, SetKeys, Accesses / Sets).Select(key => key + (long)set * SetKeys));

    private static IEnumerable<long> Bursts(int seed)
    {
        var random = new Random(seed);
        var begun = new Queue<long>();
        for (long next = 0; ;)
        {
            long key = next > BurstDistance && random.NextDouble() < UsedAgain ? random.NextInt64(next) : next++;
            begun.Enqueue(key);
            yield return key;
            if (begun.Count > BurstDistance)
                yield return begun.Dequeue();
        }
    }
}
