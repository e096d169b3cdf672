using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;
using BigPile.Checking;
using BigPile.Concurrency;
using BigPile.Layout;

namespace BigPile.Allocation;

/// <summary>Pages on their way between the pool and the heaps: laid out for slots of a class, and taken back empty.</summary>
/// <remarks>
/// All members are called under the pool's lock. Accounting: <see cref="BitsBytes"/> is a sum over the pages that are laid out for slots,
/// and examined.
/// </remarks>
internal sealed unsafe class SlotPages(SegmentTable segments, FreePages free, Lock poolLock)
{
    /// <summary>The bytes of process memory that are in use of the pages' bits.</summary>
    internal long BitsBytes { get; private set; }

    /// <summary>The epoch of the flush log that pages are laid out in.</summary>
    internal long Epoch { get; set; }

    /// <summary>Gives a page that was taken to a heap.</summary>
    internal PageMeta* LayOut(Segment segment, int page, int sizeClass, int owner)
    {
        Debug.Assert(poolLock.IsHeldByCurrentThread, "The pool's lock is needed.");
        PageMeta* meta = segment.Metas + page;
        uint generation = meta->MaxGeneration;
        Debug.Assert(meta->Owner == PageMeta.NoOwner && segment.WordOf(page).GenerationBase <= generation, "The page is in use.");
        meta->LayOut(sizeClass, allFree: true);
        BitsBytes += meta->BitsBytes;
        CrashPoints.Pass(CrashPoint.PageBeforeSlotsCleared);
        if (generation != 0 && !Mutation.SlotsUncleared)
            segment.ClearSlots(page, meta->SlotBytes, generation);
        CrashPoints.Pass(CrashPoint.PageBeforeWord);
        segment.Publish(page, PageWord.Slots(sizeClass, generation, Epoch), SizeClasses.InfoOf(sizeClass));
        meta->Owner = owner;
        return meta;
    }

    /// <summary>Takes back a page that holds nothing and that no heap knows any more.</summary>
    internal void Return(PageMeta* meta)
    {
        Debug.Assert(meta->IsEmpty && !meta->IsListed && meta->PendingFreeCount == 0, "The page holds something, or a heap knows it.");
        meta->Owner = PageMeta.NoOwner;
        BitsBytes -= meta->BitsBytes;
        Debug.Assert(BitsBytes >= 0, "More pages came back than went out.");
        Free(meta);
    }

    /// <summary>States that a page that was found is in a heap's care from now on.</summary>
    internal void CountRecovered(PageMeta* meta)
    {
        Debug.Assert(poolLock.IsHeldByCurrentThread, "The pool's lock is needed.");
        BitsBytes += meta->BitsBytes;
    }

    /// <summary>Frees a page that was found, and turned out to be empty.</summary>
    internal void FreeFound(PageMeta* meta)
    {
        meta->MarkUsed(); // a payload may have been begun in it: it is not all zero any more
        Free(meta);
    }

    /// <summary>Looks whether the bytes are those of the pages that are out.</summary>
    /// <exception cref="System.InvalidOperationException">They are not.</exception>
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
