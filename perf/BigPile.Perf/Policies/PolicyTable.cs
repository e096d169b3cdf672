using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using BigPile.Perf.Tables;
using BigPile.Perf.Traces;

namespace BigPile.Perf.Policies;

/// <summary>Compares the table with simulated policies, on one trace at one capacity.</summary>
internal sealed class PolicyTable(
    IReadOnlyList<PolicyKind> policies, int threads, ILoadProgress progress, CancellationToken stop)
{
    /// <summary>The fewest entries that a share of the keys stands for.</summary>
    internal const long MinCapacity = 10;

    // Shares such as 0.29 are slightly below their decimal value.
    private const double Rounding = 1e-9;

    /// <summary>Replays a trace through a table by one thread, and simulates policies.</summary>
    /// <param name="trace">The accesses.</param>
    /// <param name="fraction">The capacity, as a share of the different keys, above 0 and to 1.</param>
    /// <param name="policies">What is simulated.</param>
    internal static PolicyFigures Measure(Trace trace, double fraction, IReadOnlyList<PolicyKind> policies) =>
        new PolicyTable(policies, threads: 1, new NoProgress(), CancellationToken.None).Measure(trace, CapacityOf(trace, fraction));

    /// <summary>The entries that a share of a trace's keys stands for.</summary>
    internal static long CapacityOf(Trace trace, double fraction) =>
        Math.Max(MinCapacity, (long)(trace.DistinctKeys * fraction + Rounding));

    /// <summary>Replays a trace through a table with so many entries, and simulates policies.</summary>
    internal PolicyFigures Measure(Trace trace, long capacity)
    {
        ReplayFigures table = TableReplay.Run(trace, capacity, threads, progress, stop);
        return new PolicyFigures(
            capacity, table, policies.ToDictionary(
                static kind => kind, kind => Simulate(kind, PolicyKinds.Make(kind, trace, capacity), trace)));
    }

    /// <summary>
    /// Replays a trace through a table with so many bytes, and simulates policies that weigh their keys by what the table says.
    /// </summary>
    /// <param name="trace">The accesses, with sizes.</param>
    /// <param name="weights">What each key's entry costs the table.</param>
    /// <param name="limitBytes">The table's limit. The policies have of it what the table's index and queues leave to entries.</param>
    /// <inheritdoc cref="Measure(Trace, long)"/>
    internal PolicyFigures MeasureWeighing(Trace trace, long[] weights, long limitBytes)
    {
        ReplayFigures table = SizedReplay.Run(trace, limitBytes, threads, progress, stop);
        long capacity = Math.Max(1, limitBytes - table.OverheadBytes);
        return new PolicyFigures(
            limitBytes, table, policies.ToDictionary(
                static kind => kind, kind => Simulate(kind, PolicyKinds.MakeWeighing(kind, weights, capacity), trace)));
    }

    private HitTally Simulate(PolicyKind kind, IPolicy policy, Trace trace)
    {
        using var disposed = policy as IDisposable;
        return Simulation.Run(policy, PolicyKinds.TitleOf(kind), trace, progress, stop);
    }
}

/// <summary>What a table and policies made of a trace at one capacity.</summary>
/// <param name="Capacity">The entries that fit; the table's limit in bytes when it weighs.</param>
/// <param name="Table">What the table did.</param>
/// <param name="Policies">The hits of each policy that was simulated.</param>
internal sealed record PolicyFigures(long Capacity, ReplayFigures Table, IReadOnlyDictionary<PolicyKind, HitTally> Policies)
{
    /// <summary>
    /// By how many points of hit ratio the table is ahead of the best of the policies that can be built; <see langword="null"/> when none
    /// of them was simulated.
    /// </summary>
    internal double? DifferencePoints
    {
        get
        {
            double[] rivals = [.. PolicyKinds.Rivals.Where(Policies.ContainsKey).Select(kind => Policies[kind].HitPercent)];
            return rivals.Length == 0 ? null : Math.Round(Table.Hits.HitPercent - rivals.Max(), 3);
        }
    }
}
