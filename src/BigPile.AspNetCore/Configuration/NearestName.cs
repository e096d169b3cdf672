using System;
using System.Collections.Generic;
using System.Linq;

namespace BigPile.AspNetCore.Configuration;

/// <summary>Finds the name that was meant when one is mistyped.</summary>
internal static class NearestName
{
    private const int LongestShare = 3; // of three letters, one may be wrong

    /// <summary>The known name that a given one is most like, or <see langword="null"/> when it is like none.</summary>
    internal static string? Of(string given, IEnumerable<string> known) => known
        .Select(name => (Name: name, Distance: Math.Min(DistanceOf(given, name), DistanceOf(given, LastPartOf(name)))))
        .Where(candidate => candidate.Distance <= Math.Max(1, given.Length / LongestShare))
        .OrderBy(static candidate => candidate.Distance)
        .Select(static candidate => candidate.Name)
        .FirstOrDefault();

    /// <summary>What is said behind a name that there is not.</summary>
    /// <param name="given">The name.</param>
    /// <param name="known">Those that there are.</param>
    /// <param name="otherwise">What to say when it is like none of them.</param>
    /// <param name="place">What stands before all of them.</param>
    internal static string Hint(string given, IEnumerable<string> known, string otherwise, string place = "") =>
        Of(given, known) is { } nearest ? $"Did you mean '{place}{nearest}'?" : otherwise;

    /// <summary>
    /// How many letters must be put in, taken out, changed or swapped with the next to make one text of the other, whatever their case.
    /// </summary>
    /// <remarks>
    /// The optimal string alignment distance (Damerau, "A technique for computer detection and correction of spelling errors").
    /// </remarks>
    internal static int DistanceOf(string left, string right)
    {
        var steps = new int[left.Length + 1, right.Length + 1];
        for (int i = 0; i <= left.Length; i++)
        {
            for (int j = 0; j <= right.Length; j++)
                steps[i, j] = i == 0 || j == 0 ? i + j : StepsTo(steps, left, i, right, j);
        }
        return steps[left.Length, right.Length];
    }

    private static int StepsTo(int[,] steps, string left, int i, string right, int j)
    {
        int change = IsSame(left[i - 1], right[j - 1]) ? 0 : 1;
        int least = Math.Min(steps[i - 1, j - 1] + change, Math.Min(steps[i - 1, j], steps[i, j - 1]) + 1);
        bool isSwap = i > 1 && j > 1 && IsSame(left[i - 1], right[j - 2]) && IsSame(left[i - 2], right[j - 1]);
        return isSwap ? Math.Min(least, steps[i - 2, j - 2] + 1) : least;
    }

    private static bool IsSame(char left, char right) => char.ToUpperInvariant(left) == char.ToUpperInvariant(right);

    // "--Directory=x" is meant to be "--Pile:Directory=x".
    private static string LastPartOf(string name) => name[(name.LastIndexOf(':') + 1)..];
}
