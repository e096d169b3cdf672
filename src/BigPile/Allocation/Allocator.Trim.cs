using System;
using System.Collections.Generic;
using BigPile.Concurrency;
using BigPile.Layout;

namespace BigPile.Allocation;

/// <summary>Giving room back to the system, and waiting for others who do.</summary>
internal sealed unsafe partial class Allocator
{
    /// <summary>Gives empty segments back to the system. The caller is outside of all calls of any pile.</summary>
    /// <returns>What kept it from giving back all that it could; the next trim tries again.</returns>
    internal Exception? Trim()
    {
        lock (_trimming)
        {
            ReclaimEvents.Begin();
            try
            {
                return TrimLocked();
            }
            finally
            {
                ReclaimEvents.End();
            }
        }
    }

    /// <summary>Returns once what others are giving back is free. The caller is outside of all calls.</summary>
    internal void WaitForReclaim()
    {
        lock (_trimming)
        {
            // a trim waits for the slowest reader, and for the file system
        }
        ReclaimEvents.Wait();
    }

    private Exception? TrimLocked()
    {
        foreach (Heap heap in _heaps)
            GiveUpEmptyPages(heap);
        List<Segment> withdrawn = Pool.WithdrawEmpty(out Exception? failure);
        if (withdrawn.Count == 0)
            return failure;
        CriticalRegion.WaitForQuiescence();
        return Pool.Release(withdrawn) ?? failure;
    }

    private void GiveUpEmptyPages(Heap heap)
    {
        for (int sizeClass = 0; sizeClass < SizeClasses.Count; sizeClass++)
        {
            PageMeta* page = heap.GiveUpEmpty(sizeClass);
            if (page != null)
                ReturnPage(page);
        }
    }

    /// <summary>Ends the way of an empty page that a heap gave up.</summary>
    private void ReturnPage(PageMeta* emptied)
    {
        Pool.ReturnPage(emptied);
        ReclaimEvents.End();
    }
}
