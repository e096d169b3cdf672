using System;
using System.IO;
using BigPile.Access;
using BigPile.Allocation;
using BigPile.Layout;
using BigPile.Memory.Concurrency;

namespace BigPile.Lifecycle;

/// <summary>Has pages of a new segment allocated by its file, and touches them, in the background, ahead of the allocator.</summary>
/// <remarks>
/// The first store to a page costs a page fault of 1 to 10 µs per 4 KiB (a huge page takes it at once); prefaulting spares writers these
/// pauses. Steps are short, because closing and trimming wait for the one that runs. Each step first
/// checks, in a critical region, that the segment is still in use.
/// </remarks>
internal sealed unsafe class PageToucher(OperationBarrier barrier, PagePool pool, Segment segment, int firstPage, int endPage)
{
    // One huge page.
    private const int StepPages = (2 << 20) / SizeClasses.PageBytes;

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
            segment.Touch(first, end);
            return true;
        }
        finally
        {
            critical.Exit();
            GC.KeepAlive(this);
        }
    }
}
