using System.Collections.Generic;
using BigPile.AspNetCore.Hosting;

namespace BigPile.AspNetCore.Reports;

/// <summary>How the service is.</summary>
/// <param name="Status">One word.</param>
/// <param name="Awaited">What must still happen before the service is ready.</param>
internal sealed record HealthReport(string Status, IReadOnlyList<string> Awaited)
{
    internal static readonly HealthReport Live = new("live", []);

    internal static HealthReport Of(PileState state) => state switch
    {
        PileState.Opening => new HealthReport("starting", ["pile open", "pile prepared"]),
        PileState.Preparing => new HealthReport("starting", ["pile prepared"]),
        PileState.Ready => new HealthReport("ready", []),
        PileState.Failed => new HealthReport("failed", ["pile open"]),
        _ => new HealthReport("stopping", []),
    };
}
