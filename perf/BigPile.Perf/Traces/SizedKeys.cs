using System.Collections.Generic;
using System.Linq;
using BigPile.Perf.Tables;

namespace BigPile.Perf.Traces;

/// <summary>Accesses to small and large values, which compete for the same bytes.</summary>
/// <remarks>Keys from 0 are of small ones, keys below of large ones.</remarks>
internal static class SizedKeys
{
    private const int SmallBytes = 150;
    private const int LargeBytes = 20_000;
    private const int SmallKeys = 30_011; // prime, as the next one: ZipfOrder scatters ranks by a product modulo this
    private const int LargeKeys = 307;
    private const int Accesses = 600_000;
    private const int Phases = 6;
    private const int Between = 20_000; // accesses from one scan to the next
    private const double Skew = 0.9;

    internal static int SizeOf(long key) => key < 0 ? LargeBytes : SmallBytes;

    /// <summary>Small ones once, and then large ones round and round.</summary>
    internal static IEnumerable<long> Stale() =>
        Enumerable.Range(0, SmallKeys).Select(static key => (long)key)
            .Concat(Enumerable.Range(0, Accesses).Select(static i => -1L - i % LargeKeys));

    /// <summary>Small ones and large ones in turn, as frequent as their rank says.</summary>
    internal static IEnumerable<long> Resize(int seed)
    {
        var small = new ZipfOrder(seed, SmallKeys, Skew);
        var large = new ZipfOrder(seed, LargeKeys, Skew);
        for (int i = 0; i < Accesses; i++)
            yield return i * Phases / Accesses % 2 == 0 ? small.Next() : -1 - large.Next();
    }

    /// <summary>Small ones as frequent as their rank says, with scans of large ones that are never asked for again.</summary>
    internal static IEnumerable<long> LargeScan(int seed)
    {
        var small = new ZipfOrder(seed, SmallKeys, Skew);
        long scanned = 0;
        for (int i = 1; i <= Accesses; i++)
        {
            yield return small.Next();
            for (int k = 0; i % Between == 0 && k < LargeKeys / 10; k++)
                yield return -1 - scanned++;
        }
    }
}

/// <summary>Sizes for the keys of a trace that has none: from 1 to 1,000 units, all as often, by a hash of the key.</summary>
internal static class MadeSizes
{
    internal const int UnitBytes = 32;
    internal const int Units = 1000;

    private const ulong Scatter = 0x9E37_79B9_7F4A_7C15;

    /// <summary>Gives a trace sizes, if it has none.</summary>
    /// <param name="trace">The accesses.</param>
    /// <param name="seed">Any number; other sizes for each.</param>
    internal static Trace Give(Trace trace, int seed)
    {
        if (trace.SizesBytes != null)
            return trace;
        var sizes = new int[trace.DistinctKeys];
        for (int key = 0; key < sizes.Length; key++)
            sizes[key] = Of(key, seed);
        return trace with { SizesBytes = sizes };
    }

    private static int Of(int key, int seed)
    {
        ulong hash = ((ulong)(uint)seed << 32 | (uint)key) + 1;
        hash *= Scatter;
        hash = (hash ^ (hash >> 32)) * Scatter;
        return (1 + (int)((hash >> 32) % Units)) * UnitBytes;
    }
}
