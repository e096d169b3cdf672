using System;
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
/// Why the last flush failed, or lacked space for its log, and how many puts were refused, for a minute after the last; omitted otherwise.
/// Probes need no key, so the file, the bytes and the remedy are only in the statistics and the log.
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
            Degraded = health.Trouble,
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

/// <summary>Failures of background work: periodic flushes, warmup, sweeps. Entries are served all the same.</summary>
/// <param name="Failures">The number of failures since the pile was opened.</param>
/// <param name="Last">
/// The last failure and the type of its error. Probes need no key, so the error's text is only in the statistics and the log.
/// </param>
internal sealed record BackgroundHealth(long Failures, string Last)
{
    /// <summary>The failures of an open pile; <see langword="null"/> without any.</summary>
    internal static BackgroundHealth? Of(PileHealth health) => health.LastFailure is { } last
        ? new BackgroundHealth(health.BackgroundFailureCount, $"{health.LastFailedWork}: {last.GetType().Name}")
        : null;
}

/// <summary>The recovery and warmup of pages that were in use at the opening. The service is ready meanwhile.</summary>
/// <param name="Progress">The share, from 0 to 1.</param>
/// <param name="RemainingBytes">Bytes of pages that are not recovered yet.</param>
/// <param name="TotalBytes">Bytes of pages that were in use.</param>
/// <param name="WasClean">Whether the last owner closed the pile.</param>
/// <param name="Faults">Damaged places that were found and dropped.</param>
internal sealed record RecoveryProgress(double Progress, long RemainingBytes, long TotalBytes, bool WasClean, long Faults)
{
    internal static RecoveryProgress Of(Pile pile)
    {
        PileRecovery recovery = pile.Recovery;
        long total = recovery.TotalBytes;
        long remaining = Math.Min(recovery.RemainingBytes, total);
        return new RecoveryProgress(
            total == 0 ? 1 : Math.Round(1 - (remaining / (double)total), 4), remaining, total, recovery.WasClean, recovery.FaultCount);
    }
}
