using System.Collections.Generic;
using BigPile.AspNetCore.Hosting;

namespace BigPile.Http.Api;

/// <summary>The health of the service.</summary>
/// <param name="Status">One word.</param>
/// <param name="Awaited">What the service still waits for before it is ready.</param>
/// <param name="Recovery">The recovery and warmup of the pile's pages; omitted while there is no pile.</param>
/// <param name="Index">The recovery of the tables' indexes; omitted while there is no pile.</param>
/// <param name="Background">The failures of background work; omitted without any.</param>
/// <param name="Degraded">
/// Why the last flush failed, or lacked space for its log; omitted otherwise. Probes need no key, so the file and the missing bytes are
/// only in the statistics and the log.
/// </param>
internal sealed record HealthReport(
    string Status, IReadOnlyList<string> Awaited, RecoveryProgress? Recovery = null, IndexProgress? Index = null,
    BackgroundHealth? Background = null, string? Degraded = null)
{
    internal static readonly HealthReport Live = new("live", []);

    internal static HealthReport Of(PileHost host)
    {
        HealthReport report = Of(host.State, host.IsStopping);
        if (host.Opened is not { } cache)
            return report;
        PileHealth health = PileHealth.Of(cache.Pile);
        return report with
        {
            Recovery = RecoveryProgress.Of(cache.Pile),
            Index = IndexProgress.Of(cache.Readiness),
            Background = BackgroundHealth.Of(health),
            Degraded = health.FlushTrouble,
        };
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
