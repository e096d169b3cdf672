using System;
using System.Collections.Generic;
using BigPile.Concurrency;

namespace BigPile.Allocation;

/// <summary>Trimming: returns empty segments to the system, and waits for other threads' transfers.</summary>
internal sealed unsafe partial class Allocator
{
    /// <summary>Returns empty segments to the system. The caller must not be in a critical region.</summary>
    /// <param name="keepsSome">Whether so much stays free that the next segment is not made soon.</param>
    /// <returns>Why some segments could not be returned; the next trim tries again.</returns>
    internal Exception? Trim(bool keepsSome)
    {
        lock (_trimming)
        {
            TransferEvents.Begin();
            try
            {
                return TrimLocked(keepsSome);
            }
            finally
            {
                TransferEvents.End();
            }
        }
    }

    /// <summary>Waits until the transfers that are under way have ended. The caller must not be in a critical region.</summary>
    internal void WaitForReclaim()
    {
        lock (_trimming)
        {
            // Empty on purpose: waits for a running trim, which waits for the slowest reader and for the file system.
        }
        TransferEvents.Wait();
    }

    private Exception? TrimLocked(bool keepsSome)
    {
        foreach (Heap heap in _heaps)
            GiveUpEmptyPages(heap);
        List<Segment> withdrawn = Pool.WithdrawEmpty(keepsSome, out Exception? failure);
        if (withdrawn.Count == 0)
            return failure;
        PileRegions.WaitForQuiescence();
        return Pool.Release(withdrawn) ?? failure;
    }

    private void GiveUpEmptyPages(Heap heap)
    {
        for (int kind = 0; kind < PageKind.End; kind++)
        {
            heap.EnterLock();
            PageMeta* page = heap.GiveUpEmptyLocked(kind);
            heap.ExitLock();
            if (page != null)
                ReturnPage(page);
        }
    }

    /// <summary>Returns to the pool an empty page that a heap gave up, and ends its transfer.</summary>
    private void ReturnPage(PageMeta* emptied)
    {
        Pool.ReturnPage(emptied);
        TransferEvents.End();
    }
}
