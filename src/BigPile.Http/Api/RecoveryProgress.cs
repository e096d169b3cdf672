using System;

namespace BigPile.Http.Api;

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
