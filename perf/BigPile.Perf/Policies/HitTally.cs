using System;

namespace BigPile.Perf.Policies;

/// <summary>Hits, and the bytes of what was hit.</summary>
internal readonly record struct HitTally(long Accesses, long Hits, long Bytes, long HitBytes)
{
    /// <summary>The share of accesses that found their key.</summary>
    internal double HitPercent => Percent(Hits, Accesses);

    /// <summary>The same of bytes asked for.</summary>
    internal double ByteHitPercent => Percent(HitBytes, Bytes);

    private static double Percent(long part, long whole) => whole == 0 ? 0 : Math.Round(100.0 * part / whole, 3);
}
