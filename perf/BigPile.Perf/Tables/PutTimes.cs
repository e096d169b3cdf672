using System;

namespace BigPile.Perf.Tables;

/// <summary>How long the puts of one thread took, and how much of the longest was its own work.</summary>
internal sealed class PutTimes
{
    private const long LongNs = 1_000_000;

    internal LatencyHistogram All { get; } = new();

    /// <summary>Puts that took over a millisecond by the clock.</summary>
    internal long LongPuts { get; private set; }

    /// <summary>The most processor time of one of those: of the put, and of some before it.</summary>
    internal long MaxCpuNs { get; private set; }

    /// <summary>The processor time of the thread, some puts ago.</summary>
    internal long CpuMarkNs { get; set; }

    internal void Add(long ns)
    {
        All.Add(ns);
        if (ns < LongNs)
            return;
        LongPuts++;
        long cpuNs = ThreadClock.NowNs();
        MaxCpuNs = Math.Max(MaxCpuNs, Math.Min(ns, cpuNs - CpuMarkNs)); // no put worked for longer than it took
        CpuMarkNs = cpuNs;
    }
}
