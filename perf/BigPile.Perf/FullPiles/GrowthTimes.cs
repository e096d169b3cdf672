using System.Diagnostics;
using BigPile.Perf.Tables;

namespace BigPile.Perf.FullPiles;

/// <summary>How long puts take into a durable table that grows: where other tables give way to it, and where there is free space.</summary>
internal sealed class GrowthTimes
{
    private const double NsPerSecond = 1e9;

    /// <summary>Where the pile is full.</summary>
    internal LatencyHistogram Full { get; } = new();

    /// <summary>Where what was just removed is free, of the same sizes, in memory that was used before.</summary>
    internal LatencyHistogram Free { get; } = new();

    /// <summary>Puts so many entries into the full pile, and again after it removed them.</summary>
    internal void Grow(CrowdedPile pile, int entries, bool counts)
    {
        pile.PutAtRates(2 * entries); // what is free is full afterwards
        Put(pile, entries, counts ? Full : new LatencyHistogram());
        pile.Shrink();
        Put(pile, entries, counts ? Free : new LatencyHistogram());
        pile.Shrink();
    }

    private static void Put(CrowdedPile pile, int entries, LatencyHistogram times)
    {
        for (int number = 0; number < entries; number++)
        {
            long start = Stopwatch.GetTimestamp();
            pile.Grow(number);
            times.Add((long)(Stopwatch.GetElapsedTime(start).TotalSeconds * NsPerSecond));
        }
    }
}
