using System;
using System.Collections.Generic;
using System.Linq;

namespace BigPile.AspNetCore.Configuration;

/// <summary>Finds the name that was meant when one is mistyped.</summary>
internal static class NearestName
{
    private const int LongestShare = 3; // one letter in three may be wrong

    /// <summary>The known name most similar to the given one; <see langword="null"/>: none is similar.</summary>
    internal static string? Of(string given, IEnumerable<string> known) => known
        .Select(name => (Name: name, Distance: Math.Min(DistanceOf(given, name), DistanceOf(given, LastPartOf(name)))))
        .Where(candidate => candidate.Distance <= Math.Max(1, given.Length / LongestShare))
        .OrderBy(static candidate => candidate.Distance)
        .Select(static candidate => candidate.Name)
        .FirstOrDefault();

    /// <summary>A hint for a message about an unknown name.</summary>
    /// <param name="given">The name.</param>
    /// <param name="known">The known names.</param>
    /// <param name="otherwise">The hint when no known name is similar.</param>
    /// <param name="place">The prefix of all known names.</param>
    internal static string Hint(string given, IEnumerable<string> known, string otherwise, string place = "") =>
        Of(given, known) is { } nearest ? $"Did you mean '{place}{nearest}'?" : otherwise;

    /// <summary>
    /// The number of insertions, deletions, substitutions and swaps of neighbours that turn one text into the other, ignoring case.
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

    // "--Directory=x" probably means "--Pile:Directory=x".
    private static string LastPartOf(string name) => name[(name.LastIndexOf(':') + 1)..];
}
