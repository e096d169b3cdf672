using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;

namespace BigPile.Perf.Graphs;

/// <summary>What a graph answered, and how fast.</summary>
/// <param name="Dependencies">What packages depend on, they and all that these depend on.</param>
/// <param name="Dependents">The packages that depend on them in that way.</param>
internal sealed record GraphAnswers(List<ClosureRun> Dependencies, List<ClosureRun> Dependents)
{
    /// <summary>The transitive dependencies of each package, by its number.</summary>
    internal int[] DependencyCounts => Dependencies[0].Counts;

    /// <summary>The transitive dependents of each package, by its number.</summary>
    internal int[] DependentCounts => Dependents[0].Counts;

    /// <summary>The packages of which most depend, the first one first.</summary>
    internal IEnumerable<int> MostNeeded(int limit) =>
        Enumerable.Range(0, DependentCounts.Length).OrderByDescending(number => DependentCounts[number]).Take(limit);

    /// <summary>Refuses a pile's answers that are not those of plain objects.</summary>
    /// <exception cref="LoadException">A package has another count.</exception>
    internal static void RequireEqual(GraphAnswers pile, GraphAnswers plain, Func<int, string> nameOf)
    {
        RequireEqual("dependencies", pile.DependencyCounts, plain.DependencyCounts, nameOf);
        RequireEqual("dependents", pile.DependentCounts, plain.DependentCounts, nameOf);
    }

    private static void RequireEqual(string what, int[] pile, int[] plain, Func<int, string> nameOf)
    {
        int number = pile.AsSpan().CommonPrefixLength(plain);
        if (number == pile.Length && number == plain.Length)
            return;
        throw new LoadException(string.Create(
            CultureInfo.InvariantCulture,
            $"The package '{nameOf(number)}' has {pile[number]:N0} transitive {what} in the pile and {plain[number]:N0} among "
            + $"plain objects. The pile is at fault."));
    }
}
