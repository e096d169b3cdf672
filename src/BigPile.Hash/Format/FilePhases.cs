namespace BigPile.Hash.Format;

/// <summary>Which phase of a file may follow which.</summary>
internal static class FilePhases
{
    /// <summary>Whether a process that finds or has stated one phase may state another next; for an assertion, which tests run.</summary>
    internal static bool MayFollow(this FilePhase next, FilePhase before) => (before, next) switch
    {
        (_, FilePhase.Recovering) => true, // whatever a header says, a recovery begins anew
        (FilePhase.Closed or FilePhase.Recovering or FilePhase.Clearing or FilePhase.Open, FilePhase.Open) => true,
        (FilePhase.Open, FilePhase.Clearing or FilePhase.Closed) => true,
        _ => false,
    };
}
