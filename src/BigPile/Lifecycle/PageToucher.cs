using System;
using System.Diagnostics;
using System.IO;
using System.Threading;
using BigPile.Access;
using BigPile.Allocation;
using BigPile.Layout;
using BigPile.Memory.Concurrency;

namespace BigPile.Lifecycle;

/// <summary>Has pages of a new segment allocated by its file, and touches them, in the background, ahead of the allocator.</summary>
/// <remarks>
/// The first store to a page costs a page fault of 1 to 10 µs per 4 KiB (a huge page takes it at once); prefaulting spares writers these
/// pauses. Pages are touched by an atomic store that changes nothing, since others may already write there; asking the system to populate
/// them would hold a process-wide lock meanwhile. Steps are short, because closing and trimming wait for the one that runs. Each step first
/// checks, in a critical region, that the segment is still in use.
/// </remarks>
internal sealed unsafe class PageToucher(OperationBarrier barrier, PagePool pool, Segment segment, int firstPage, int endPage)
{
    // One huge page.
    private const int StepPages = (2 << 20) / SizeClasses.PageBytes;

    private const int SystemPageBytes = 4096; // on systems with larger pages some are touched twice

    /// <summary>Whether there is a second processor for it.</summary>
    internal static bool IsWorthwhile => Environment.ProcessorCount > 1;

    /// <summary>Touches the pages, as long as the segment is in use.</summary>
    internal void TouchAll()
    {
        for (int page = firstPage; page < endPage; page += StepPages)
        {
            int end = Math.Min(page + StepPages, endPage);
            if (!TryAllocate(end) || !TryStep(page, end))
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

    // Outside of a critical region: it may wait for the file system.
    private bool TryAllocate(int end)
    {
        try
        {
            segment.Allocate(end);
            return true;
        }
        catch (Exception e) when (e is IOException or ObjectDisposedException)
        {
            return false; // a full disk, which who needs the pages reports; or the segment has gone
        }
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
