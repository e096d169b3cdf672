using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;
using BigPile.Checking;
using BigPile.Layout;
using BigPile.Memory.Checking;

namespace BigPile.Allocation;

/// <summary>Lays out pages for slots of a class when the pool gives them to heaps, and takes empty ones back.</summary>
/// <remarks>
/// Thread safety: all members need the pool's lock. Invariant: <see cref="BitsBytes"/> is the sum over the recovered pages of slots.
/// </remarks>
internal sealed unsafe class SlotPages(SegmentTable segments, FreePages free, ChangedPages changed, Lock poolLock)
{
    /// <summary>The bytes of process memory that the pages' bits use.</summary>
    internal long BitsBytes { get; private set; }

    /// <summary>The epoch of the flush log in which pages are laid out.</summary>
    internal long Epoch { get; set; }

    /// <summary>Lays out a free page of a kind for a heap.</summary>
    internal PageMeta* LayOut(Segment segment, int page, int kind, int owner)
    {
        int sizeClass = PageKind.SizeClassOf(kind);
        Debug.Assert(poolLock.IsHeldByCurrentThread, "The pool's lock is needed.");
        PageMeta* meta = segment.Metas + page;
        uint generation = meta->MaxGeneration;
        Debug.Assert(meta->Owner == PageMeta.NoOwner && segment.WordOf(page).GenerationBase <= generation, "The page is in use.");
        changed.KeepWord(segment, page);
        meta->LayOut(sizeClass, allFree: true);
        meta->Kind = (short)kind;
        BitsBytes += meta->BitsBytes;
        CrashPoints.Pass(CrashPoint.PageBeforeSlotsCleared);
        if (generation != 0 && !Mutation.SlotsUncleared)
            segment.ClearSlots(page, meta->SlotBytes, generation);
        CrashPoints.Pass(CrashPoint.PageBeforeWord);
        segment.Publish(page, PageWord.Slots(sizeClass, generation, Epoch), SizeClasses.InfoOf(sizeClass));
        meta->Owner = owner;
        return meta;
    }

    /// <summary>Takes back an empty page that no heap refers to.</summary>
    internal void Return(PageMeta* meta)
    {
        Debug.Assert(meta->IsAllFree && !meta->IsListed && meta->PendingFreeCount == 0, "The page holds something, or a heap knows it.");
        meta->Owner = PageMeta.NoOwner;
        BitsBytes -= meta->BitsBytes;
        Debug.Assert(BitsBytes >= 0, "More pages came back than went out.");
        Free(meta);
    }

    /// <summary>Counts the bits of a recovered page that a heap gets.</summary>
    internal void CountRecovered(PageMeta* meta)
    {
        Debug.Assert(poolLock.IsHeldByCurrentThread, "The pool's lock is needed.");
        BitsBytes += meta->BitsBytes;
    }

    /// <summary>Frees a recovered page without a live block.</summary>
    internal void FreeFound(PageMeta* meta)
    {
        meta->MarkUsed(); // a payload may have been begun in it: it may not be all zero
        Free(meta);
    }

    /// <summary>Checks that the bytes match the pages of slots.</summary>
    /// <exception cref="System.InvalidOperationException">They don't.</exception>
    internal void CheckInvariants(List<Segment> all)
    {
        long bytes = 0;
        foreach (Segment segment in all)
        {
            for (int page = segment.HeadPages; page < segment.PageCount; page++)
                bytes += segment.Metas[page].FreeBits == null ? 0 : segment.Metas[page].BitsBytes;
        }
        Invariant.Equal("SlotPages", 0, "bytes of bits", BitsBytes, bytes);
    }

    private void Free(PageMeta* meta)
    {
        Segment segment = segments.Of(meta);
        meta->Drop();
        free.Free(segment, segment.IndexOf(meta));
    }
}
