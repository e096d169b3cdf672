using System;
using System.Diagnostics;
using BigPile.Allocation;
using BigPile.Layout;
using BigPile.Memory;

namespace BigPile.Durability;

/// <summary>Reads the page words in a segment's head, without reading the pages.</summary>
/// <remarks>
/// This is all that opening does per page, so a full segment takes as long as an empty one. A kill can leave later pages of a run without a
/// first page: these are free. Any other contradiction is damage, and the page is left alone.
/// </remarks>
internal sealed unsafe class SegmentScanner(Segment segment, string path, bool wasClean, uint generationSkip, FaultLog faults)
{
    /// <summary>The fault of a page whose word is zero where it must not be.</summary>
    internal const string LostLayoutFault = "its layout was lost: the word is zero";

    /// <summary>Pages in use, which need recovery.</summary>
    internal long UnrecoveredPages { get; private set; }

    /// <summary>Pages whose word is damaged.</summary>
    internal long LostPages { get; private set; }

    /// <summary>One past the last page that is not free.</summary>
    internal int UsedEnd { get; private set; } = segment.HeadPages;

    /// <summary>Checks that a region is the segment that it should be.</summary>
    /// <exception cref="PileStorageException">It is another segment.</exception>
    internal static void CheckHead(MemoryRegion region, string path, int number, Guid pileId)
    {
        if (!IsHead(region, number, pileId))
            throw new PileStorageException(
                $"The file '{path}' is not segment {number} of this pile, or its head is damaged. Restore it from a copy.");
    }

    /// <summary>Whether a region has the head of the expected segment.</summary>
    internal static bool IsHead(MemoryRegion region, int number, Guid pileId) =>
        ((SegmentHead*)region.Start)->IsSame(SegmentHead.For(
            number, region.LengthBytes, pileId, ((SegmentHead*)region.Start)->HasWrittenWords));

    /// <summary>Marks pages in use as unrecovered, and the others as free.</summary>
    internal void Scan()
    {
        Debug.Assert(segment.FreePageCount == 0, "The segment was scanned before, and its pages may be in use.");
        for (int page = segment.HeadPages; page < segment.PageCount; page++)
        {
            PageWord word = segment.WordOf(page);
            // at least 1: pages of a file are never assumed to be zero
            segment.Metas[page].MaxGeneration = Math.Max(word.GenerationBase, 1);
            if (!segment.IsWritten(word))
                Lose(page, LostLayoutFault);
            else if (!word.IsIntact)
                Lose(page, "its layout is damaged");
            else if (word.HasSlots)
                MarkUnrecovered(page, 1); // readers and writers that come here recover it first
            else if (word.IsRunHead)
                page += ScanRun(page, word.RunPages) - 1; // its later pages are no pages of their own
            else if (word.IsUnused || word.IsRunTail)
                AddFree(page);
            else
                Lose(page, "its layout is unknown");
        }
    }

    private int ScanRun(int page, int pages)
    {
        if (pages < 1 || pages > segment.PageCount - page)
        {
            Lose(page, $"it states a run of {pages:N0} pages");
            return 1;
        }
        for (int tail = page + 1; tail < page + pages; tail++)
        {
            PageWord word = segment.WordOf(tail);
            if (!word.IsIntact || !word.IsRunTail) // tail words are stored before the first page's: no kill leaves this
            {
                DropRun(page, $"page {tail - page} of its run of {pages:N0} is not one");
                return 1;
            }
            segment.Metas[tail].MaxGeneration = Math.Max(word.GenerationBase, 1);
        }
        MarkUnrecovered(page, pages);
        return pages;
    }

    private void MarkUnrecovered(int page, int pages)
    {
        Debug.Assert(pages >= 1 && page + pages <= segment.PageCount, "The run ends behind its segment.");
        UsedEnd = page + pages;
        segment.PublishInfo(page, PageInfo.Unrecovered);
        UnrecoveredPages += pages;
    }

    private void AddFree(int page)
    {
        // The page may have been used after its word was written, and a power cut may have lost that: pointers of its generation may exist.
        PageMeta* meta = segment.Metas + page;
        meta->MaxGeneration = Math.Min(meta->MaxGeneration + 1 + generationSkip, PilePointer.MaxGeneration);
        if (generationSkip != 0)
            segment.SetWord(page, PageWord.Unused(meta->MaxGeneration)); // stored for later owners, which then start above it too
        if (meta->MaxGeneration < PilePointer.MaxGeneration)
            segment.AddFreePage(page);
    }

    // A power cut may lose some words of a run; its payload is not whole then either. The generation of the first page is lost with them,
    // so this page is never used again. In a closed pile it is damage, and the page stays as found.
    private void DropRun(int page, string what)
    {
        if (wasClean)
        {
            Lose(page, what);
            return;
        }
        faults.Add(new PileFault($"{path}, page {page}", what, 0));
        segment.Metas[page].MaxGeneration = PilePointer.MaxGeneration;
        segment.SetWord(page, PageWord.Unused(PilePointer.MaxGeneration));
    }

    private void Lose(int page, string what)
    {
        UsedEnd = page + 1;
        LostPages++;
        faults.Add(new PileFault($"{path}, page {page}", what, 0));
    }
}
