using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;
using BigPile.Checking;
using BigPile.Layout;
using BigPile.Memory.Checking;

namespace BigPile.Allocation;

/// <summary>Runs: consecutive pages that hold one large block each. Also which of them are pending frees.</summary>
/// <remarks>
/// Thread safety: all members need the pool's lock. A flushed run that is freed is pending until a flush has made its deletion durable.
/// Invariant: <see cref="Pages"/> + <see cref="PendingFreePages"/> = pages of all runs that are recovered.
/// </remarks>
internal sealed unsafe class Runs(SegmentTable segments, FreePages free, ChangedPages changed, Lock poolLock)
{
    private readonly List<ulong> _pendingFrees = [];

    /// <summary>Pages of runs with a block.</summary>
    internal long Pages { get; private set; }

    internal long Count { get; private set; }

    internal long PayloadBytes { get; private set; }

    /// <summary>Pages of pending runs.</summary>
    internal long PendingFreePages { get; private set; }

    /// <summary>Publishes a run on free pages that were taken.</summary>
    /// <returns>The metadata of its first page.</returns>
    internal PageMeta* LayOut(Segment segment, int first, int pages, long payloadBytes)
    {
        PageMeta* meta = segment.Metas + first;
        for (int page = first; page < first + pages; page++)
            changed.KeepWord(segment, page);
        changed.Add(meta);
        Publish(segment, first, pages);
        meta->IsRunFlushed = false;
        CountRun(pages, payloadBytes);
        return meta;
    }

    /// <summary>Frees a run whose header already says free. A first page whose generation is exhausted is never used again.</summary>
    /// <returns>Whether the run is pending until a flush.</returns>
    internal bool Return(PageMeta* meta, uint generation, long payloadBytes)
    {
        int pages = PagesOf(meta, out Segment segment, out int first);
        Debug.Assert(PendingFrees.IsFreed(new BlockHeader(*(ulong*)meta->Start)), "A run that is live.");
        meta->MaxGeneration = Math.Max(meta->MaxGeneration, generation);
        changed.Add(meta);
        Pages -= pages;
        Count--;
        PayloadBytes -= payloadBytes;
        Debug.Assert(Pages >= Count && Count >= 0 && PayloadBytes >= 0, "More runs were freed than taken.");
        if (meta->IsRunFlushed)
        {
            Keep(meta, pages);
            return true;
        }
        Free(segment, first, pages);
        return false;
    }

    /// <summary>The capacity in bytes of a run's block, header included.</summary>
    /// <remarks>Needs no lock: the caller owns the run, so its length does not change.</remarks>
    internal long BytesOf(PageMeta* meta) => (long)PagesOf(meta, out _, out _) * SizeClasses.PageBytes;

    /// <summary>Frees all pages of a run but its first.</summary>
    internal void Cut(PageMeta* meta)
    {
        int pages = PagesOf(meta, out Segment segment, out int first);
        for (int page = first; page < first + pages; page++)
            changed.Add(segment.Metas + page);
        changed.KeepWord(segment, first);
        CrashPoints.Pass(CrashPoint.RunBeforeCut);
        segment.CutRun(first, 1);
        CrashPoints.Pass(CrashPoint.RunBeforeTailsFreed);
        Free(segment, first + 1, pages - 1);
        Pages -= pages - 1;
    }

    internal void AdjustPayload(long deltaBytes) => PayloadBytes += deltaBytes;

    /// <summary>Adds a recovered run with a live block.</summary>
    /// <param name="meta">The metadata of its first page.</param>
    /// <param name="pages">Its pages.</param>
    /// <param name="payloadBytes">The payload bytes of its block.</param>
    /// <param name="isFlushed">Whether its block counts as flushed: in mapped piles.</param>
    internal void AddFound(PageMeta* meta, int pages, long payloadBytes, bool isFlushed)
    {
        meta->IsRunFlushed = isFlushed;
        CountRun(pages, payloadBytes);
    }

    /// <summary>Adds a recovered run that was freed, and whose deletion is not known to be durable.</summary>
    internal void AddPendingFree(PageMeta* meta, int pages)
    {
        meta->IsRunFlushed = true;
        Keep(meta, pages);
    }

    /// <summary>Frees the pages of a recovered run without a block.</summary>
    internal void FreeFound(PageMeta* meta, int pages)
    {
        Segment segment = segments.Of(meta);
        int first = segment.IndexOf(meta);
        for (int page = first; page < first + pages; page++)
        {
            changed.Add(segment.Metas + page); // a power cut must not leave the first page as a run without the others
            free.Free(segment, page);
        }
    }

    /// <summary>Moves the pending runs since the last call to <paramref name="pending"/>.</summary>
    internal void TakePendingFrees(PendingFrees pending)
    {
        pending.Runs.AddRange(_pendingFrees);
        _pendingFrees.Clear();
    }

    /// <summary>Frees a pending run whose deletion is durable.</summary>
    internal void Release(PageMeta* meta)
    {
        int pages = PagesOf(meta, out Segment segment, out int first);
        // its flushed bit is clear already if it was leased as well
        Debug.Assert(new BlockHeader(*(ulong*)meta->Start).IsFree, "The run is not pending.");
        ClearFlushed(meta);
        PendingFreePages -= pages;
        Debug.Assert(PendingFreePages >= 0, "More runs were released than were pending.");
        Free(segment, first, pages);
    }

    /// <summary>Stores the plain free header of a run whose deletion is durable.</summary>
    internal void ClearFlushed(PageMeta* meta)
    {
        Debug.Assert(poolLock.IsHeldByCurrentThread, "The pool's lock is needed.");
        _ = StorePlainFree(meta->Start);
        meta->IsRunFlushed = false;
    }

    /// <summary>Stores the plain free header of a slot whose deletion is durable.</summary>
    internal static uint StorePlainFree(byte* block)
    {
        uint generation = new BlockHeader(*(ulong*)block).Generation;
        BlockTransitions.Store((ulong*)block, BlockHeader.Free(generation));
        return generation;
    }

    /// <summary>Checks that the counters match the runs.</summary>
    /// <exception cref="System.InvalidOperationException">They don't.</exception>
    internal void CheckInvariants(List<Segment> all)
    {
        const string Structure = "Runs";
        long pages = 0;
        long count = 0;
        foreach (Segment segment in all)
        {
            for (int page = segment.HeadPages; page < segment.PageCount; page++)
            {
                if (segment.Infos[page].Word != PageInfo.OfRun().Word)
                    continue;
                pages += segment.WordOf(page).RunPages;
                count++;
            }
        }
        Invariant.Equal(Structure, 0, "pages with a block and pending", Pages + PendingFreePages, pages);
        Invariant.Between(Structure, 0, "runs with a block", Count, 0, count);
        Invariant.Between(Structure, 0, "pages of runs with a block", Pages, Count, pages);
        Invariant.Between(Structure, 0, "bytes of payloads", PayloadBytes, 0, Pages * SizeClasses.PageBytes);
        foreach (ulong address in _pendingFrees)
        {
            Segment segment = segments.Find(address)!;
            int page = segment.PageOf(address);
            Invariant.True(Structure, (long)address, "pending run mapped, flushed and free", segment.WordOf(page).IsRunHead
                && segment.Metas[page].IsRunFlushed && PendingFrees.IsFreed(new BlockHeader(*(ulong*)segment.Metas[page].Start)));
        }
    }

    private void CountRun(int pages, long payloadBytes)
    {
        Debug.Assert(poolLock.IsHeldByCurrentThread, "The pool's lock is needed.");
        Pages += pages;
        Count++;
        PayloadBytes += payloadBytes;
    }

    private int PagesOf(PageMeta* meta, out Segment segment, out int first)
    {
        segment = segments.Of(meta);
        first = segment.IndexOf(meta);
        PageWord word = segment.WordOf(first);
        Debug.Assert(
            word.IsRunHead && word.RunPages >= 1 && word.RunPages <= segment.PageCount - first, "No run of this segment begins there.");
        return word.RunPages;
    }

    private void Keep(PageMeta* meta, int pages)
    {
        Debug.Assert(poolLock.IsHeldByCurrentThread, "The pool's lock is needed.");
        PendingFreePages += pages;
        _pendingFrees.Add(meta->FirstAddress);
    }

    private void Free(Segment segment, int first, int pages)
    {
        for (int page = first; page < first + pages; page++)
            free.Free(segment, page);
    }

    private static void Publish(Segment segment, int first, int pages)
    {
        PageMeta* meta = segment.Metas + first;
        for (int page = 0; page < pages; page++)
            meta[page].MarkUsed();
        *(ulong*)meta->Start = BlockHeader.Free(meta->MaxGeneration).Word;
        for (int page = first + pages - 1; page > first; page--)
            segment.Publish(page, PageWord.RunTail(segment.Metas[page].MaxGeneration), default);
        CrashPoints.Pass(CrashPoint.RunBeforeFirstPage);
        segment.Publish(first, PageWord.RunHead(pages, meta->MaxGeneration), PageInfo.OfRun());
    }
}
