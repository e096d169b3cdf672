using System;
using System.Diagnostics;
using BigPile.Allocation;
using BigPile.Layout;
using BigPile.Memory;

namespace BigPile.Durability;

/// <summary>Reads what a segment's head says of its pages, without looking at the pages.</summary>
/// <remarks>
/// This is all that opening does for a page, so it takes the same time for a full segment as for an empty one. A kill can leave later
/// pages of a run without a first one: these are free. Anything else that does not fit together is damage, and such a page is left alone.
/// </remarks>
internal sealed unsafe class SegmentScanner(Segment segment, string path, bool wasClean, uint generationSkip, FaultLog faults)
{
    /// <summary>What is wrong with a page whose word is zero, where none is.</summary>
    internal const string LostLayoutFault = "its layout was lost: the word is zero";

    /// <summary>Pages in use, which are to be examined.</summary>
    internal long UnrecoveredPages { get; private set; }

    /// <summary>Pages whose word is damaged.</summary>
    internal long LostPages { get; private set; }

    /// <summary>Checks that a region is the segment that it should be.</summary>
    /// <exception cref="PileStorageException">It is another one.</exception>
    internal static void CheckHead(MemoryRegion region, string path, int number, Guid pileId)
    {
        if (!IsHead(region, number, pileId))
            throw new PileStorageException(
                $"The file '{path}' is not segment {number} of this pile, or its head is damaged. Restore it from a copy.");
    }

    /// <summary>Whether a region begins as the segment that it should be.</summary>
    internal static bool IsHead(MemoryRegion region, int number, Guid pileId) =>
        ((SegmentHead*)region.Start)->IsSame(SegmentHead.For(
            number, region.LengthBytes, pileId, ((SegmentHead*)region.Start)->HasWrittenWords));

    /// <summary>Marks the pages in use as unexamined, and the others as free.</summary>
    internal void Scan()
    {
        Debug.Assert(segment.FreePageCount == 0, "The segment was scanned before, and its pages may be in use.");
        for (int page = segment.HeadPages; page < segment.PageCount; page++)
        {
            PageWord word = segment.WordOf(page);
            segment.Metas[page].MaxGeneration = Math.Max(word.GenerationBase, 1); // a file's bytes are never taken for zeros
            if (!segment.IsWritten(word))
                Lose(page, LostLayoutFault);
            else if (!word.IsIntact)
                Lose(page, "its layout is damaged");
            else if (word.HasSlots)
                MarkUnrecovered(page, 1);
            else if (word.IsRunHead)
                page += ScanRun(page, word.RunPages) - 1;
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
            if (!word.IsIntact || !word.IsRunTail)
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
        segment.PublishInfo(page, PageInfo.Unrecovered);
        UnrecoveredPages += pages;
    }

    private void AddFree(int page)
    {
        // The page may have been used after its word was written, and the power cut took that: pointers of its generation may be out.
        PageMeta* meta = segment.Metas + page;
        meta->MaxGeneration = Math.Min(meta->MaxGeneration + 1 + generationSkip, PilePointer.MaxGeneration);
        if (generationSkip != 0)
            segment.SetWord(page, PageWord.Unused(meta->MaxGeneration)); // found by later owners, which then begin above it as well
        if (meta->MaxGeneration < PilePointer.MaxGeneration)
            segment.AddFreePage(page);
    }

    // A power cut may take some of the words of a run; its payload is not whole then either. The generation of the first page is lost with
    // it, so that page is not used again. In a closed pile it is damage, and the page stays as it was found.
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
        LostPages++;
        faults.Add(new PileFault($"{path}, page {page}", what, 0));
    }
}
