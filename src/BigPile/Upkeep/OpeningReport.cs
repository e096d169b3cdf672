namespace BigPile.Upkeep;

/// <summary>What was found when a pile was opened.</summary>
/// <param name="WasClean">Whether the last owner closed it; true for one that is new.</param>
/// <param name="WasPowerCut">Whether the machine was started anew since the last owner, or that can't be told.</param>
/// <param name="RestoredCount">Blocks that a flush had made durable and that were put back from its log.</param>
/// <param name="TotalBytes">Bytes of pages that were in use.</param>
internal readonly record struct OpeningReport(bool WasClean, bool WasPowerCut, long RestoredCount, long TotalBytes)
{
    /// <summary>Of a pile in memory.</summary>
    internal static OpeningReport OfNew => new(true, false, 0, 0);
}
