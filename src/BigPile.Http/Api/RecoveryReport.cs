using System;
using BigPile.Caching;

namespace BigPile.Http.Api;

/// <summary>The recovery of a pile that was found on disk: pages are recovered and read ahead in the background.</summary>
/// <param name="WasClean">Whether the last owner closed it.</param>
/// <param name="WasPowerCut">Whether the machine was restarted since the last owner, which had not closed the pile.</param>
/// <param name="TotalBytes">Bytes of pages that were in use when it was opened.</param>
/// <param name="RemainingBytes">Bytes of them that are not recovered yet.</param>
/// <param name="Progress">The recovered share, from 0 to 1.</param>
/// <param name="Restored">Blocks restored from the flush log.</param>
/// <param name="Orphans">Link targets that no link named; they were freed.</param>
/// <param name="Faults">Damaged places that were found.</param>
/// <param name="LostBytes">Bytes of payload dropped.</param>
/// <param name="IndexProgress">The progress of index recovery, from 0 to 1.</param>
/// <param name="IndexEntries">The entries found.</param>
/// <param name="IndexRestored">Whether the index was restored from its saved state.</param>
internal sealed record RecoveryReport(
    bool WasClean, bool WasPowerCut, long TotalBytes, long RemainingBytes, double Progress, long Restored, long Orphans, long Faults,
    long LostBytes, double IndexProgress, long IndexEntries, bool IndexRestored)
{
    internal static RecoveryReport Of(PileCache cache)
    {
        PileRecovery recovery = cache.Pile.Recovery;
        var pages = RecoveryProgress.Of(cache.Pile);
        CacheReadiness index = cache.Readiness;
        return new RecoveryReport(
            pages.WasClean, recovery.WasPowerCut, pages.TotalBytes, pages.RemainingBytes, pages.Progress, recovery.RestoredCount,
            recovery.OrphanCount, pages.Faults, recovery.LostBytes, Math.Round(index.Progress, 4), index.EntriesFound, index.WasRestored);
    }
}

/// <summary>The progress of the tables' index recovery.</summary>
/// <param name="Progress">The share, from 0 to 1.</param>
/// <param name="EntriesFound">Entries that the walk has found; none if no walk was needed.</param>
/// <param name="WasRestored">Whether the index was restored from its saved state.</param>
internal sealed record IndexProgress(double Progress, long EntriesFound, bool WasRestored)
{
    internal static IndexProgress Of(CacheReadiness readiness) =>
        new(Math.Round(readiness.Progress, 4), readiness.EntriesFound, readiness.WasRestored);
}
