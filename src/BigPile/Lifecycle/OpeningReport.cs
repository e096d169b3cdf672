namespace BigPile.Lifecycle;

/// <summary>
/// What was found when a pile was opened, and does not change any more: the members of <see cref="PileRecovery"/> of the same names show
/// it, and say what it means.
/// </summary>
internal readonly record struct OpeningReport(bool WasClean, bool WasPowerCut, long RestoredCount, long TotalBytes)
{
    /// <summary>Of a pile in memory.</summary>
    internal static OpeningReport OfNew => new(WasClean: true, WasPowerCut: false, RestoredCount: 0, TotalBytes: 0);
}
