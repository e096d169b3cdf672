namespace BigPile.Lifecycle;

/// <summary>
/// What was found when a pile was opened; constant. The members of <see cref="PileRecovery"/> with the same names expose and explain it.
/// </summary>
internal readonly record struct OpeningReport(bool WasClean, bool WasPowerCut, long RestoredCount, long TotalBytes)
{
    /// <summary>For a pile in memory, or a new one.</summary>
    internal static OpeningReport OfNew => new(WasClean: true, WasPowerCut: false, RestoredCount: 0, TotalBytes: 0);
}
