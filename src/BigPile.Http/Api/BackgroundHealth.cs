using BigPile.Concurrency;

namespace BigPile.Http.Api;

/// <summary>What failed in the background: flushes by interval, reading ahead, sweeps. Entries are served all the same.</summary>
/// <param name="Failures">How often, since the pile was opened.</param>
/// <param name="Last">
/// What failed last, and the kind of its error; probes need no key, so the error's text is for the statistics and the log.
/// </param>
internal sealed record BackgroundHealth(long Failures, string Last)
{
    /// <summary>Of an open pile; <see langword="null"/> when nothing has failed.</summary>
    internal static BackgroundHealth? Of(Pile pile) =>
        pile.Engine.Background.LastFailure is { } last ? new BackgroundHealth(pile.Engine.Background.FailureCount, Describe(last)) : null;

    private static string Describe(BackgroundFailure failure) => $"{failure.Work}: {failure.Exception.GetType().Name}";
}
