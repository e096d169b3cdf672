using System;
using BigPile.Caching;

namespace BigPile.Http.Api;

/// <summary>What becomes of a pile that was found on disk: pages are examined and read ahead in the background.</summary>
/// <param name="WasClean">Whether the last owner closed it.</param>
/// <param name="WasPowerCut">Whether the machine was started anew since the last owner, who did not close it.</param>
/// <param name="TotalBytes">Bytes of pages that were in use when it was opened.</param>
/// <param name="RemainingBytes">Bytes of them that are not examined yet.</param>
/// <param name="Progress">The share that is, from 0 to 1.</param>
/// <param name="Restored">Blocks that were put back from the flush log.</param>
/// <param name="Orphans">Payloads without an object, which were freed.</param>
/// <param name="Faults">Places that are not what was written.</param>
/// <param name="LostBytes">Bytes of payload that were dropped.</param>
/// <param name="IndexProgress">How far the tables are in finding their entries, from 0 to 1.</param>
/// <param name="IndexEntries">The entries that they came upon.</param>
/// <param name="IndexRestored">Whether the index came back as it was saved.</param>
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
