using System;

namespace BigPile.Perf.Loads;

/// <summary>Whether loads run only once with meaningless figures, for tests of the console.</summary>
/// <remarks>An environment variable, so that child processes of the console inherit it.</remarks>
internal static class Brevity
{
    internal const string Variable = "BIGPILE_PERF_BRIEF";

    /// <summary>Whether warm-ups and repeats are minimal.</summary>
    internal static bool IsWanted { get; } = Environment.GetEnvironmentVariable(Variable) == "1";

    /// <summary>The amount of work that only serves to make figures meaningful.</summary>
    internal static int Of(int usual, int brief) => IsWanted ? brief : usual;

    /// <inheritdoc cref="Of(int, int)"/>
    internal static TimeSpan Of(TimeSpan usual, TimeSpan brief) => IsWanted ? brief : usual;
}
