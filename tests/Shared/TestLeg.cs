using System;
using System.Globalization;

namespace BigPile.Testing;

/// <summary>How long the random tests run, and from which seed.</summary>
/// <remarks>
/// <c>BIGPILE_LONG=1</c> runs the long legs; <c>BIGPILE_SEED=N</c> replays a run from the seed that it printed, or tries another one.
/// </remarks>
internal static class TestLeg
{
    internal static bool IsLong { get; } = Environment.GetEnvironmentVariable("BIGPILE_LONG") == "1";

    /// <summary>The number of steps of this leg.</summary>
    internal static int Steps(int normal, int longLeg) => IsLong ? longLeg : normal;

    /// <summary>The seed to use in the place of a test's own.</summary>
    internal static int Seed(int normal) =>
        int.TryParse(Environment.GetEnvironmentVariable("BIGPILE_SEED"), CultureInfo.InvariantCulture, out int seed) ? seed : normal;
}
