using System;
using System.Diagnostics;
using System.Numerics;
using System.Runtime.InteropServices;
using System.Threading;
using BigPile.Concurrency;
using BigPile.Layout;
using BigPile.Memory;

namespace BigPile.Allocation;

/// <summary>One contiguous block of memory, cut into pages, with the records of its pages.</summary>
/// <remarks>
/// Laid out as: head, page words, then pages. All members are called under the pool's lock, except for reading the constants.
/// A set bit in the free pages is a page that nobody owns and whose word says unused.
/// </remarks>
internal sealed unsafe partial class Segment : IDisposable
{
    private readonly ulong[] _freePages;
    private readonly ulong _firstAddress;
    private ulong[]? _suspects;
    private PageInfo* _infos;
    private PageMeta* _metas;
    private ulong* _flushedBits;

    internal Segment(int number, ulong firstAddress, MemoryRegion region, bool tracksFlushed)
    {
        Number = number;
        Region = region;
        _firstAddress = firstAddress;
        PageCount = (int)(region.LengthBytes / SizeClasses.PageBytes);
        HeadPages = SegmentHead.PagesFor(PageCount);
        _freePages = new ulong[(PageCount + 63) / 64];
        _infos = (PageInfo*)NativeMemory.AllocZeroed((nuint)PageCount, (nuint)sizeof(PageInfo));
        _metas = (PageMeta*)NativeMemory.AlignedAlloc((nuint)PageCount * (nuint)sizeof(PageMeta), PageMeta.SizeBytes);
        NativeMemory.Clear(_metas, (nuint)PageCount * (nuint)sizeof(PageMeta));
        if (tracksFlushed)
            // no memory before it is used
            _flushedBits = (ulong*)NativeMemory.AllocZeroed((nuint)PageCount, PageMeta.MostBitWords * sizeof(ulong));
        for (int i = 0; i < PageCount; i++)
        {
            _metas[i].Start = region.Start + (long)i * SizeClasses.PageBytes;
            _metas[i].PageNumber = (int)(firstAddress >> SegmentMap.PageShift) + i;
            _metas[i].Owner = PageMeta.NoOwner;
            _metas[i].FlushedBits = tracksFlushed ? _flushedBits + (long)i * PageMeta.MostBitWords : null;
        }
    }

    internal int Number { get; }

    internal MemoryRegion Region { get; }

    internal int PageCount { get; }

    /// <summary>The pages that the head and the page words take.</summary>
    internal int HeadPages { get; }

    internal int FreePageCount { get; private set; }

    /// <summary>One past the last page that was touched ahead; of a segment that is not new, all of them.</summary>
    internal int TouchedEnd { get; set; } = int.MaxValue;

    internal bool IsEmpty => FreePageCount == PageCount - HeadPages;

    /// <summary>
    /// Whether it is empty and no page of it may be taken: it could not be given back, and nobody knows whether the disk lists it.
    /// </summary>
    internal bool IsIdle { get; private set; }

    /// <summary>Whether its memory is about to go: no page of it may be taken.</summary>
    internal bool IsWithdrawn { get; private set; }

    /// <summary>Whether its writer has given it back: the file is gone, and another one of its number may be there.</summary>
    internal bool IsGivenBack => !SegmentHead.IsMarked(Volatile.Read(ref Head.Magic));

    internal PageInfo* Infos => _infos;

    internal PageMeta* Metas => _metas;

    internal ref SegmentHead Head => ref *(SegmentHead*)Region.Start;

    /// <summary>The bytes of process memory that the records take.</summary>
    internal long RecordBytes => PageCount * (long)(sizeof(PageInfo) + sizeof(PageMeta)) + _freePages.Length * sizeof(ulong);

    /// <summary>The words of the pages, in their order.</summary>
    internal ulong* Words => (ulong*)(Region.Start + SegmentHead.SizeBytes);

    /// <summary>The byte of the segment that an address stands for.</summary>
    internal long OffsetOf(ulong address) => (long)(address - _firstAddress) * SizeClasses.GranuleBytes;

    /// <summary>Whether any byte of a page is not zero.</summary>
    internal bool HasBytesIn(int page) =>
        new ReadOnlySpan<byte>(_metas[page].Start, SizeClasses.PageBytes).ContainsAnyExcept((byte)0);

    /// <summary>Whether somebody has stored a word of a page: it is not one that the disk has lost.</summary>
    internal bool IsWritten(PageWord word) => word.Word != 0 || !Head.HasWrittenWords;

    /// <summary>The pages behind the head that their words say are in use.</summary>
    internal int CountPagesInUse()
    {
        int count = 0;
        for (int page = HeadPages; page < PageCount; page++)
            count += WordOf(page) is { IsUnused: false, IsIntact: true } ? 1 : 0;
        return count;
    }

    internal PageWord WordOf(int page) => new(Volatile.Read(ref Words[page]));

    /// <summary>Whether a block begins at an address, by a word of its page that may be damaged.</summary>
    /// <param name="address">An address of this segment.</param>
    /// <param name="word">What its page says.</param>
    /// <param name="capacityBytes">The most bytes of the block's payload; all of them lie in the segment.</param>
    internal bool HasBlockAt(ulong address, PageWord word, out long capacityBytes)
    {
        int page = PageOf(address);
        capacityBytes = word.CapacityBytes;
        bool isInside = page >= HeadPages && (!word.IsRunHead || (word.RunPages >= 1 && word.RunPages <= PageCount - page));
        return isInside && word.Info.HasSlotAt(address);
    }

    /// <summary>The number of a page, of which this is the record.</summary>
    internal int IndexOf(PageMeta* meta)
    {
        Debug.Assert(meta >= _metas && meta < _metas + PageCount, "A page of another segment.");
        return (int)(meta - _metas);
    }

    /// <summary>The page that an address of this segment lies in.</summary>
    internal int PageOf(ulong address) => (int)(OffsetOf(address) / SizeClasses.PageBytes);

    /// <summary>States a page's layout, first in the segment itself and then for readers.</summary>
    internal void Publish(int page, PageWord word, PageInfo info)
    {
        Debug.Assert(word.IsIntact && word.GenerationBase >= WordOf(page).GenerationBase, "A page's generation never goes back.");
        Debug.Assert(!IsFreePage(page), "The page was not taken.");
        Volatile.Write(ref Words[page], word.Word);
        Volatile.Write(ref *(ulong*)&_infos[page], info.Word);
    }

    /// <summary>Takes a page away from readers, and then from the segment's own words.</summary>
    internal void Unpublish(int page, uint generationBase)
    {
        Debug.Assert(!IsFreePage(page) && generationBase <= PilePointer.MaxGeneration, "The page is free already.");
        Volatile.Write(ref *(ulong*)&_infos[page], 0);
        CrashPoints.Pass(CrashPoint.PageBeforeUnused);
        Volatile.Write(ref Words[page], PageWord.Unused(generationBase).Word);
    }

    /// <summary>Has each slot of a page that nobody may read yet say that it is free.</summary>
    internal void ClearSlots(int page, int slotBytes, uint generation)
    {
        Debug.Assert(slotBytes >= SizeClasses.MinSlotBytes && slotBytes % SizeClasses.GranuleBytes == 0, "No slot is of that size.");
        ulong free = BlockHeader.Free(generation).Word;
        byte* start = Region.Start + (long)page * SizeClasses.PageBytes;
        for (int offset = 0; offset + slotBytes <= SizeClasses.PageBytes; offset += slotBytes)
            *(ulong*)(start + offset) = free;
    }

    /// <summary>States what a reader may know of a page whose word is right already.</summary>
    internal void PublishInfo(int page, PageInfo info) => Volatile.Write(ref *(ulong*)&_infos[page], info.Word);

    /// <summary>Writes a page's word while nobody uses the pile.</summary>
    internal void SetWord(int page, PageWord word) => Words[page] = word.Word;

    /// <summary>The words of a run's later pages, as bytes.</summary>
    internal ReadOnlySpan<byte> TailWords(int page, int pages) => new(Words + page + 1, (pages - 1) * sizeof(ulong));

    /// <summary>
    /// Makes a run shorter by its later pages, which the caller frees. A kill between leaves later pages without a first one.
    /// </summary>
    internal void CutRun(int page, int pages)
    {
        Debug.Assert(WordOf(page).IsRunHead && pages >= 1 && pages <= WordOf(page).RunPages, "A run only ever becomes shorter.");
        Volatile.Write(ref Words[page], PageWord.RunHead(pages, WordOf(page).GenerationBase).Word);
    }

    internal void AddFreePage(int page)
    {
        Debug.Assert(page >= HeadPages && page < PageCount && !IsFreePage(page), "The page is free, or none to be.");
        _freePages[page >> 6] |= 1UL << page;
        FreePageCount++;
    }

    /// <summary>Takes the lowest free page, so that the last segments become empty first; -1 when there is none.</summary>
    internal int TakeFreePage()
    {
        if (FreePageCount == 0)
            return -1;
        int word = Array.FindIndex(_freePages, static bits => bits != 0);
        int page = word * 64 + BitOperations.TrailingZeroCount(_freePages[word]);
        RemoveFreePage(page);
        return page;
    }

    /// <summary>Takes neighbouring free pages; -1 when there are not so many in a row.</summary>
    internal int TakeFreeRun(int pages)
    {
        int length = 0;
        for (int page = HeadPages; page < PageCount; page++)
        {
            length = IsFreePage(page) ? length + 1 : 0;
            if (length < pages)
                continue;
            int first = page - pages + 1;
            for (int i = first; i <= page; i++)
                RemoveFreePage(i);
            return first;
        }
        return -1;
    }

    /// <summary>Takes the pages of an empty segment away from allocation; nothing else changes.</summary>
    internal void TakeOut()
    {
        Debug.Assert(IsEmpty && !IsIdle && !IsWithdrawn, "The segment holds something, or was taken out before.");
        IsIdle = true;
        FreePageCount = 0;
        Array.Clear(_freePages);
    }

    /// <summary>Has the pages of a segment that was taken out be taken again.</summary>
    internal void PutBack()
    {
        Debug.Assert(IsIdle && FreePageCount == 0, "The segment was not taken out.");
        IsIdle = false;
        for (int page = HeadPages; page < PageCount; page++)
            AddFreePage(page);
    }

    /// <summary>States that a segment that was taken out is gone for ever.</summary>
    internal void Withdraw()
    {
        Debug.Assert(IsIdle, "Somebody may take a page of it.");
        IsIdle = false;
        IsWithdrawn = true;
        Volatile.Write(ref Head.Magic, 0); // processes that have the file mapped for reading look for its successor then
    }

    /// <summary>The highest generation that any of its pages has seen.</summary>
    internal uint MaxGeneration()
    {
        uint max = 0;
        for (int i = HeadPages; i < PageCount; i++)
            max = Math.Max(max, _metas[i].MaxGeneration);
        return max;
    }

    public void Dispose()
    {
        if (_metas == null)
            return;
        for (int i = 0; i < PageCount; i++)
            _metas[i].Drop();
        NativeMemory.Free(_infos);
        NativeMemory.AlignedFree(_metas);
        NativeMemory.Free(_flushedBits);
        _infos = null;
        _metas = null;
        _flushedBits = null;
        Region.Dispose();
    }

    /// <summary>Has all pages that are free be searched before they are used.</summary>
    /// <returns>How many these are.</returns>
    internal int SuspectFreePages()
    {
        _suspects = [.. _freePages];
        return FreePageCount;
    }

    internal bool IsSuspect(int page) => _suspects != null && (_suspects[page >> 6] >> page & 1) != 0;

    internal void RemoveSuspect(int page)
    {
        Debug.Assert(IsSuspect(page), "The page was searched before.");
        _suspects![page >> 6] &= ~(1UL << page);
    }

    private bool IsFreePage(int page) => (_freePages[page >> 6] >> page & 1) != 0;

    private void RemoveFreePage(int page)
    {
        Debug.Assert(IsFreePage(page) && FreePageCount > 0, "A page is taken that is not free.");
        _freePages[page >> 6] &= ~(1UL << page);
        FreePageCount--;
    }
}
