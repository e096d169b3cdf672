using System.Numerics;
using BigPile.Layout;
using BigPile.Memory.Checking;

namespace BigPile.Allocation;

internal sealed unsafe partial class Segment
{
    private const string Structure = "Segment";
    private const string PageStructure = "Segment's page";

    /// <summary>Checks that free pages, page words, page infos and page metadata agree.</summary>
    /// <remarks>The caller owns the pile, and holds the pool's lock. No page is recovered, taken or freed concurrently.</remarks>
    /// <exception cref="System.InvalidOperationException">They disagree.</exception>
    internal void CheckInvariants()
    {
        Invariant.True(Structure, Number, "head of a segment in use", SegmentHead.IsMarked(Head.Magic));
        Invariant.Equal(Structure, Number, "length in its head", Head.LengthBytes, Region.LengthBytes);
        int free = 0;
        int freeLasting = 0;
        for (int word = 0; word < _freePages.Length; word++)
        {
            free += BitOperations.PopCount(_freePages[word]);
            freeLasting += BitOperations.PopCount(_freePages[word] & _lastingPages[word]);
            for (int page = word * 64; page < word * 64 + 64; page += GroupPages)
                CheckGroup(page);
        }
        Invariant.Equal(Structure, Number, "free pages", FreePageCount, free);
        Invariant.Equal(Structure, Number, "free pages for blocks that stay", FreeLastingCount, freeLasting);
        for (int page = 0; page < _freePages.Length * 64; page++)
        {
            if (IsFreePage(page))
                Invariant.Between(Structure, Number, "place of a free page", page, HeadPages, PageCount - 1);
        }
        if (IsIdle)
            Invariant.Equal(Structure, Number, "free pages of an idle segment", free, 0);
        for (int page = HeadPages; page < PageCount;)
            page += CheckPage(page);
    }

    /// <summary>How many of its pages are not recovered.</summary>
    internal long CountUnrecovered()
    {
        long count = 0;
        for (int page = HeadPages; page < PageCount; page++)
        {
            if (_infos[page].IsUnrecovered)
                count += WordOf(page).IsRunHead ? WordOf(page).RunPages : 1;
        }
        return count;
    }

    /// <summary>How many free pages have to be searched before they are used.</summary>
    internal long CountSuspects()
    {
        long count = 0;
        foreach (ulong bits in _suspects ?? [])
            count += BitOperations.PopCount(bits);
        return count;
    }

    private void CheckGroup(int page)
    {
        ulong lasting = _lastingPages[page >> 6] & GroupOf(page);
        Invariant.True(Structure, Number, "one use of a group of pages", lasting == 0 || lasting == GroupOf(page));
    }

    private int CheckPage(int page)
    {
        PageMeta* meta = _metas + page;
        PageWord word = WordOf(page);
        PageInfo info = _infos[page];
        Invariant.Equal(PageStructure, meta->PageNumber, "place of a page", meta->Start - Region.Start, (long)page * SizeClasses.PageBytes);
        Invariant.Equal(Structure, Number, "number of a page", meta->PageNumber, (int)(_firstAddress >> SegmentMap.PageShift) + page);
        Invariant.True(PageStructure, meta->PageNumber, "address of the flushed bits",
            meta->FlushedBits == (_flushedBits == null ? null : _flushedBits + (long)page * PageMeta.MostBitWords));
        if (IsFreePage(page))
            CheckFree(page, word, info);
        if (info.IsUnrecovered || !word.IsIntact)
        {
            Invariant.True(PageStructure, meta->PageNumber, "page that is not known without bits", meta->FreeBits == null);
            return info.IsUnrecovered && word.IsRunHead ? word.RunPages : 1;
        }
        Invariant.Between(
            PageStructure, meta->PageNumber, "generation", meta->MaxGeneration, word.GenerationBase, PilePointer.MaxGeneration);
        if (word.IsRunHead)
            return CheckRun(page, word, info);
        if (word.HasSlots)
            CheckSlots(meta, word, info);
        else
            CheckUnused(page, meta, info);
        return 1;
    }

    private void CheckFree(int page, PageWord word, PageInfo info)
    {
        // When a kill interrupts the cut of a run, its later pages are free with their words unchanged.
        Invariant.True(PageStructure, _metas[page].PageNumber, "word of a free page unused", word.IsUnused || word.IsRunTail);
        Invariant.Equal(PageStructure, _metas[page].PageNumber, "what readers know of a free page", info.Word, 0ul);
        Invariant.Equal(PageStructure, _metas[page].PageNumber, "owner of a free page", _metas[page].Owner, PageMeta.NoOwner);
    }

    private void CheckSlots(PageMeta* meta, PageWord word, PageInfo info)
    {
        Invariant.True(PageStructure, meta->PageNumber, "page of slots with bits", meta->FreeBits != null);
        Invariant.Equal(PageStructure, meta->PageNumber, "class of a page", meta->SizeClass, (short)word.SizeClass);
        Invariant.Equal(PageStructure, meta->PageNumber, "what readers know of a page", info.Word, word.Info.Word);
        meta->CheckInvariants();
    }

    private int CheckRun(int first, PageWord word, PageInfo info)
    {
        Invariant.Between(PageStructure, _metas[first].PageNumber, "pages of a run", word.RunPages, 1, PageCount - first);
        Invariant.Equal(PageStructure, _metas[first].PageNumber, "what readers know of a run", info.Word, PageInfo.OfRun().Word);
        for (int page = first; page < first + word.RunPages; page++)
        {
            Invariant.False(PageStructure, _metas[page].PageNumber, "page of a run free", IsFreePage(page));
            Invariant.Equal(PageStructure, _metas[page].PageNumber, "owner of a page of a run", _metas[page].Owner, PageMeta.NoOwner);
            _metas[page].CheckInvariants();
            if (page == first)
                continue;
            PageWord tail = WordOf(page);
            Invariant.True(PageStructure, _metas[page].PageNumber, "later page of a run marked so", tail.IsIntact && tail.IsRunTail);
            Invariant.Equal(PageStructure, _metas[page].PageNumber, "what readers know of a later page", _infos[page].Word, 0ul);
        }
        return word.RunPages;
    }

    // A page that is neither used nor free: its generations are exhausted, it is withheld, or the segment is idle.
    private void CheckUnused(int page, PageMeta* meta, PageInfo info)
    {
        Invariant.Equal(PageStructure, meta->PageNumber, "what readers know of an unused page", info.Word, 0ul);
        Invariant.True(PageStructure, meta->PageNumber, "unused page without bits", meta->FreeBits == null);
        bool mayBeKept = IsIdle || meta->IsWithheld || meta->MaxGeneration == PilePointer.MaxGeneration;
        Invariant.True(PageStructure, meta->PageNumber, "unused page free, idle, withheld or exhausted", IsFreePage(page) || mayBeKept);
        meta->CheckInvariants();
    }
}
