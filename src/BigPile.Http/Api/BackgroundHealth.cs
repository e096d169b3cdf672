
namespace BigPile.Http.Api;

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
