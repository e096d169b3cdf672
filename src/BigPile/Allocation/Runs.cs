using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;
using BigPile.Checking;
using BigPile.Concurrency;
using BigPile.Layout;

namespace BigPile.Allocation;

/// <summary>Pages in a row for one large block each, and which of them wait in quarantine.</summary>
/// <remarks>
/// All members are called under the pool's lock. A run that was flushed, and is freed, stays as it is until its end is flushed too.
/// Accounting: <see cref="Pages"/> + <see cref="PendingFreePages"/> = pages of all runs that are not unexamined.
/// </remarks>
internal sealed unsafe class Runs(SegmentTable segments, FreePages free, DirtyList dirty, Lock poolLock)
{
    private readonly List<ulong> _pendingFrees = [];

    /// <summary>Pages of runs with a block.</summary>
    internal long Pages { get; private set; }

    internal long Count { get; private set; }

    internal long PayloadBytes { get; private set; }

    /// <summary>Pages of runs in quarantine.</summary>
    internal long PendingFreePages { get; private set; }

    /// <summary>Gives pages that were taken to a block.</summary>
    /// <returns>The record of the first.</returns>
    internal PageMeta* LayOut(Segment segment, int first, int pages, long payloadBytes)
    {
        PageMeta* meta = segment.Metas + first;
        Publish(segment, first, pages);
        dirty.Add(meta->FirstAddress);
        meta->IsRunFlushed = false;
        CountRun(pages, payloadBytes);
        return meta;
    }

    /// <summary>Takes back a run whose header says free. A first page whose generation is used up is never given out again.</summary>
    /// <returns>Whether it is in quarantine.</returns>
    internal bool Return(PageMeta* meta, uint generation, long payloadBytes)
    {
        int pages = PagesOf(meta, out Segment segment, out int first);
        Debug.Assert(PendingFrees.IsFreed(new BlockHeader(*(ulong*)meta->Start)), "A run that is live.");
        meta->MaxGeneration = Math.Max(meta->MaxGeneration, generation);
        dirty.Add(meta->FirstAddress);
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

    /// <summary>The bytes that a run's block may have, header included.</summary>
    /// <remarks>Without the lock: the run is the caller's, and stays as it is.</remarks>
    internal long BytesOf(PageMeta* meta) => (long)PagesOf(meta, out _, out _) * SizeClasses.PageBytes;

    /// <summary>Gives back all pages of a run but its first.</summary>
    internal void Cut(PageMeta* meta)
    {
        int pages = PagesOf(meta, out Segment segment, out int first);
        CrashPoints.Pass(CrashPoint.RunBeforeCut);
        segment.CutRun(first, 1);
        CrashPoints.Pass(CrashPoint.RunBeforeTailsFreed);
        for (int page = first; page < first + pages; page++)
            dirty.Add(segment.Metas[page].FirstAddress);
        Free(segment, first + 1, pages - 1);
        Pages -= pages - 1;
    }

    internal void AdjustPayload(long deltaBytes) => PayloadBytes += deltaBytes;

    /// <summary>Takes in a run that was found live.</summary>
    /// <param name="meta">The record of its first page.</param>
    /// <param name="pages">Its pages.</param>
    /// <param name="payloadBytes">Those of its block.</param>
    /// <param name="isFlushed">Whether somebody has to know that it may have been flushed.</param>
    internal void AddFound(PageMeta* meta, int pages, long payloadBytes, bool isFlushed)
    {
        meta->IsRunFlushed = isFlushed;
        CountRun(pages, payloadBytes);
    }

    /// <summary>Takes in a run that was freed, and whose end was not flushed.</summary>
    internal void AddPendingFree(PageMeta* meta, int pages)
    {
        meta->IsRunFlushed = true;
        Keep(meta, pages);
    }

    /// <summary>Frees the pages of a run that turned out to hold nothing.</summary>
    internal void FreeFound(PageMeta* meta, int pages)
    {
        Segment segment = segments.Of(meta);
        int first = segment.IndexOf(meta);
        for (int page = first; page < first + pages; page++)
        {
            dirty.Add(segment.Metas[page].FirstAddress); // a power cut must not leave the first page without the others
            free.Free(segment, page);
        }
    }

    /// <summary>Takes the runs that were put into quarantine since the last call.</summary>
    internal void TakePendingFrees(PendingFrees pending)
    {
        pending.Runs.AddRange(_pendingFrees);
        _pendingFrees.Clear();
    }

    /// <summary>Frees a run whose end is durable.</summary>
    internal void Release(PageMeta* meta)
    {
        int pages = PagesOf(meta, out Segment segment, out int first);
        // thawed before if it was leased as well
        Debug.Assert(new BlockHeader(*(ulong*)meta->Start).IsFree, "A run that is not in quarantine.");
        ClearFlushed(meta);
        PendingFreePages -= pages;
        Debug.Assert(PendingFreePages >= 0, "More runs were released than went into quarantine.");
        Free(segment, first, pages);
    }

    /// <summary>Stores the plain header of a run that is free for good.</summary>
    internal void ClearFlushed(PageMeta* meta)
    {
        Debug.Assert(poolLock.IsHeldByCurrentThread, "The pool's lock is needed.");
        _ = StorePlainFree(meta->Start);
        meta->IsRunFlushed = false;
    }

    /// <summary>Stores the plain header of a slot that is free for good.</summary>
    internal static uint StorePlainFree(byte* block)
    {
        uint generation = new BlockHeader(*(ulong*)block).Generation;
        Volatile.Write(ref *(ulong*)block, BlockHeader.Free(generation).Word);
        return generation;
    }

    /// <summary>Looks whether the counters are those of the runs that are there.</summary>
    /// <exception cref="System.InvalidOperationException">They are not.</exception>
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
        Invariant.Equal(Structure, 0, "pages with a block and in quarantine", Pages + PendingFreePages, pages);
        Invariant.Between(Structure, 0, "runs with a block", Count, 0, count);
        Invariant.Between(Structure, 0, "pages of runs with a block", Pages, Count, pages);
        Invariant.Between(Structure, 0, "bytes of payloads", PayloadBytes, 0, Pages * SizeClasses.PageBytes);
        foreach (ulong address in _pendingFrees)
        {
            Segment segment = segments.Find(address)!;
            int page = segment.PageOf(address);
            Invariant.True(Structure, (long)address, "run in quarantine there, frozen and free", segment.WordOf(page).IsRunHead
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
