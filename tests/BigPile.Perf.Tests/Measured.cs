using System.Collections.Generic;
using System.Text.Json;

namespace BigPile.Perf.Tests;

/// <summary>
/// What a test may say of a figure that a clock told: that it is there. A thread of a busy machine may stand still for seconds, so there
/// is no bound that holds.
/// </summary>
internal static class Measured
{
    internal static void AssertAbove0(JsonElement report, params IEnumerable<string> names) =>
        Assert.All(names, name => AssertAbove0(report.GetProperty(name).GetDouble()));

    internal static void AssertAbove0(double figure) => Assert.InRange(figure, double.Epsilon, double.MaxValue);

    /// <summary>Of what may not have happened at all.</summary>
    internal static void AssertNotNegative(JsonElement report, params IEnumerable<string> names) =>
        Assert.All(names, name => Assert.InRange(report.GetProperty(name).GetDouble(), 0, double.MaxValue));
}
