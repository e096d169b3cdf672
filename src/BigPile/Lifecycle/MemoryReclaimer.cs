using System.Diagnostics;
using BigPile.Access;
using BigPile.Allocation;
using BigPile.Concurrency;

namespace BigPile.Lifecycle;

/// <summary>Of a pile in memory: what was freed is free at once, but for what a trim is about to give back.</summary>
internal sealed class MemoryReclaimer(Allocator allocator, Trimmer trimmer) : Reclaimer(allocator.ReclaimEvents)
{
    private protected override bool IsFlushWanted => false;

    private protected override bool TryRequestDiskSpace() => false;

    internal override int Reclaim(int attempt)
    {
        Debug.Assert(!CriticalRegion.Current.IsInRegion, "Whoever gives room back waits until this thread has left.");
        allocator.WaitForReclaim();
        return attempt + 1;
    }

    internal override bool TryFlush() => true;

    internal override void RequestFlush()
    {
    }

    internal override void TrimQuietly() => trimmer.TrimQuietly();
}
