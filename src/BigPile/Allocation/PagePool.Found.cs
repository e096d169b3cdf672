using System;
using BigPile.Layout;

namespace BigPile.Allocation;

/// <summary>Segments that were found in a directory. Their used pages are unknown until somebody examines them.</summary>
internal sealed unsafe partial class PagePool
{
    /// <summary>Pages in use that nobody has examined since the pile was opened.</summary>
    internal long UnexaminedPages { get; private set; }

    /// <summary>Pages that can't be used any more, because what they say of themselves is damaged.</summary>
    internal long LostPages { get; private set; }

    /// <summary>Makes the pool the owner of a segment's memory before its pages are known, so that it is freed whatever happens.</summary>
    /// <param name="segment">The segment.</param>
    /// <param name="isShared">
    /// Another process writes it, and may replace it by one of the same number: it is found through the pool alone, which changes by one
    /// store.
    /// </param>
    internal void Hold(Segment segment, bool isShared)
    {
        lock (_lock)
            RegisterLocked(segment, isShared);
    }

    private void KeepReplacedLocked(Segment replaced)
    {
        _replaced.Add(replaced);
        ReservedBytes -= replaced.Region.LengthBytes;
        HeadBytes -= (long)replaced.HeadPages * SizeClasses.PageBytes;
    }

    /// <summary>Takes in what a segment's page words say. Nobody else uses the pool yet.</summary>
    /// <param name="segment">A segment that was held before.</param>
    /// <param name="unexaminedPages">Pages of it that are in use.</param>
    /// <param name="lostPages">Pages of it that are damaged.</param>
    internal void NoteScanned(Segment segment, long unexaminedPages, long lostPages)
    {
        lock (_lock)
        {
            FreePages += segment.FreePageCount;
            SuspectPages += GenerationAbove == null ? 0 : segment.SuspectFreePages();
            UnexaminedPages += unexaminedPages;
            LostPages += lostPages;
            _firstWithSpace = Math.Min(_firstWithSpace, segment.Number);
        }
    }

    /// <summary>States that a page of slots is in a heap's care from now on.</summary>
    internal void NoteExamined(PageMeta* page)
    {
        lock (_lock)
        {
            UnexaminedPages--;
            FreeBitsBytes += page->BitsBytes;
        }
    }

    /// <summary>Frees a page of slots that turned out to be empty.</summary>
    internal void FreeExamined(PageMeta* page)
    {
        lock (_lock)
        {
            Segment segment = SegmentOf(page);
            UnexaminedPages--;
            page->Drop();
            MarkUsed(page); // a payload may have been begun in it: it is not all zero any more
            FreeLocked(segment, PageIn(segment, page));
        }
    }

    /// <summary>Takes in a run that was found live.</summary>
    internal void AddExaminedRun(PageMeta* meta, int pages, long payloadBytes)
    {
        lock (_lock)
        {
            UnexaminedPages -= pages;
            meta->IsRunFrozen = KnowsFrozen;
            RunPages += pages;
            RunCount++;
            RunPayloadBytes += payloadBytes;
        }
    }

    /// <summary>Takes in a run that was freed, and whose end was not flushed.</summary>
    internal void QuarantineExaminedRun(PageMeta* meta, int pages)
    {
        lock (_lock)
        {
            UnexaminedPages -= pages;
            meta->IsRunFrozen = true;
            QuarantineRunLocked(meta, pages);
        }
    }

    /// <summary>Frees the pages of a run that turned out to hold nothing.</summary>
    internal void FreeExaminedRun(PageMeta* meta, int pages)
    {
        lock (_lock)
        {
            Segment segment = SegmentOf(meta);
            int first = PageIn(segment, meta);
            UnexaminedPages -= pages;
            for (int page = first; page < first + pages; page++)
            {
                Changes?.Add(segment.Metas[page].FirstAddress); // a power cut must not leave the first page without the others
                FreeLocked(segment, page);
            }
        }
    }
}
