using System;
using System.Collections.Generic;
using System.Linq;
using BigPile.Perf.Tables;

namespace BigPile.Perf.Policies;

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
