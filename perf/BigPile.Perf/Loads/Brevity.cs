using System;

namespace BigPile.Perf.Loads;

/// <summary>Whether loads are only to be gone through once, and their figures may mean nothing: for tests of the console.</summary>
/// <remarks>By the environment, so that the processes that the console starts know it too.</remarks>
internal static class Brevity
{
    internal const string Variable = "BIGPILE_PERF_BRIEF";

    /// <summary>Whether rehearsals and repeats are as few as can be.</summary>
    internal static bool IsWanted { get; } = Environment.GetEnvironmentVariable(Variable) == "1";

    /// <summary>How much there is of what only makes figures mean something.</summary>
    internal static int Of(int usual, int brief) => IsWanted ? brief : usual;

    /// <inheritdoc cref="Of(int, int)"/>
    internal static TimeSpan Of(TimeSpan usual, TimeSpan brief) => IsWanted ? brief : usual;
}
