using System.Diagnostics;
using BigPile.Access;
using BigPile.Allocation;
using BigPile.Concurrency;

namespace BigPile.Lifecycle;

/// <summary>Reclaims space of a pile in memory: freed space is free at once, except what a trim is returning just now.</summary>
internal sealed class MemoryReclaimer(Allocator allocator, Trimmer trimmer) : Reclaimer(allocator.TransferEvents)
{
    private protected override bool IsFlushWanted => false;

    private protected override bool TryRequestDiskSpace() => false;

    internal override int Reclaim(int attempt)
    {
        Debug.Assert(!PileRegions.Current.IsOpen, "A flush or trim waits until this thread's critical region ends.");
        allocator.WaitForReclaim();
        return attempt + 1;
    }

    internal override bool TryFlush() => true;

    internal override void RequestFlush()
    {
    }

    internal override void TrimQuietly() => trimmer.TrimQuietly();
}
