using System.Collections.Generic;
using BigPile.AspNetCore.Hosting;

namespace BigPile.Http.Api;

/// <summary>How the service is.</summary>
/// <param name="Status">One word.</param>
/// <param name="Awaited">What must still happen before the service is ready.</param>
/// <param name="Recovery">How far the pages of the pile are examined and warm; left out while there is no pile.</param>
/// <param name="Index">How far the tables are in finding their entries again; left out while there is no pile.</param>
/// <param name="Background">What failed in the background; left out when nothing did.</param>
/// <param name="Degraded">
/// What is wrong with flushes since the last one; left out when nothing is. Probes need no key, so the file and the bytes that it lacks
/// are for the statistics and the log.
/// </param>
internal sealed record HealthReport(
    string Status, IReadOnlyList<string> Awaited, RecoveryProgress? Recovery = null, IndexProgress? Index = null,
    BackgroundHealth? Background = null, string? Degraded = null)
{
    internal static readonly HealthReport Live = new("live", []);

    internal static HealthReport Of(PileHost host)
    {
        HealthReport report = Of(host.State, host.IsStopping);
        return host.Opened is { } cache
            ? report with
            {
                Recovery = RecoveryProgress.Of(cache.Pile),
                Index = IndexProgress.Of(cache.Readiness),
                Background = BackgroundHealth.Of(cache.Pile),
                Degraded = cache.Pile.Engine.FlushTrouble?.Reason,
            }
            : report;
    }

    private static HealthReport Of(PileState state, bool isStopping) => state switch
    {
        PileState.Opening => new HealthReport("starting", ["pile open", "pile prepared"]),
        PileState.Preparing => new HealthReport("starting", ["pile prepared"]),
        PileState.Ready when !isStopping => new HealthReport("ready", []),
        PileState.Failed => new HealthReport("failed", ["pile open"]),
        _ => new HealthReport("stopping", []),
    };
}
