namespace BigPile.Perf.Traces;

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
