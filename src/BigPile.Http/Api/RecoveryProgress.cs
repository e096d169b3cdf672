using System;

namespace BigPile.Http.Api;

/// <summary>How far the pages that were in use at the opening are examined and read into memory. The service is ready meanwhile.</summary>
/// <param name="Progress">The share, from 0 to 1.</param>
/// <param name="RemainingBytes">Bytes of pages that nobody has examined yet.</param>
/// <param name="TotalBytes">Bytes of pages that were in use.</param>
/// <param name="WasClean">Whether the last owner closed the pile.</param>
/// <param name="Faults">Places that are not what was written, and were dropped.</param>
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
