using System;
using System.Diagnostics;
using System.Threading;
using BigPile.Access;
using BigPile.Allocation;
using BigPile.Concurrency;
using BigPile.Layout;

namespace BigPile.Lifecycle;

/// <summary>Touches some pages of a new segment in the background, ahead of the allocator.</summary>
/// <remarks>
/// The first store to a page of memory costs a fault of 1 to 10 microseconds for each 4 KiB, and a huge page takes it in one go: a writer
/// that never meets one has no such pauses. Pages are touched by an atomic store that changes nothing, since others may write there
/// already; asking the system to populate them would hold a lock of the process meanwhile. Steps are short, because whoever closes the
/// pile or gives memory back waits for the one that runs. Memory that is given back stays so: a step looks, inside the pile, whether the
/// segment is still in use.
/// </remarks>
internal sealed unsafe class PageToucher(OperationBarrier barrier, PagePool pool, Segment segment, int firstPage, int endPage)
{
    // One huge page.
    private const int StepPages = (2 << 20) / SizeClasses.PageBytes;

    private const int SystemPageBytes = 4096; // where they are larger, some are touched twice

    /// <summary>Whether there is a processor for it beside the writer's.</summary>
    internal static bool IsWorthwhile => Environment.ProcessorCount > 1;

    /// <summary>Touches the pages, as long as the segment is in use.</summary>
    internal void TouchAll()
    {
        for (int page = firstPage; page < endPage; page += StepPages)
        {
            if (!TryStep(page, Math.Min(page + StepPages, endPage)))
                return;
        }
    }

    /// <summary>Touches pages of a segment whose memory stays meanwhile.</summary>
    internal static void Touch(Segment segment, int first, int end)
    {
        Debug.Assert(first >= 0 && end <= segment.PageCount, "What is touched is the segment's own memory.");
        byte* stop = segment.Region.Start + end * (long)SizeClasses.PageBytes;
        for (byte* at = segment.Region.Start + first * (long)SizeClasses.PageBytes; at < stop; at += SystemPageBytes)
            Interlocked.Or(ref *(int*)at, 0);
    }

    private bool TryStep(int first, int end)
    {
        if (!barrier.TryEnterReader(out CriticalRegion critical))
            return false;
        try
        {
            if (!pool.IsInUse(segment))
                return false;
            Touch(segment, first, end);
            return true;
        }
        finally
        {
            critical.Exit();
            GC.KeepAlive(this);
        }
    }
}
