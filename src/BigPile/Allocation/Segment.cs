using System;
using System.Diagnostics;
using System.Runtime.InteropServices;
using System.Threading;
using BigPile.Checking;
using BigPile.Layout;
using BigPile.Memory;
using BigPile.Memory.Checking;

namespace BigPile.Allocation;

/// <summary>One contiguous block of memory, divided into pages, with the metadata of its pages.</summary>
/// <remarks>
/// Layout: head, page words, then pages. Thread safety: all members need the pool's lock, except constants, loads of page words, and
/// <see cref="PublishInfo"/>, which page recovery calls under the page's recovery lock. A page whose free bit is set has no owner, and its
/// word says unused.
/// </remarks>
internal sealed unsafe partial class Segment : IDisposable
{
    private const int SystemPageBytes = 4096; // on systems with larger pages some are touched twice

    private readonly ulong[] _freePages; // one bit per page: set while it is free
    private readonly ulong _firstAddress; // in units of 8 bytes
    private ulong[]? _suspects; // one bit per page: a free page that has to be searched; null where none was suspect
    private PageInfo* _infos; // one per page, for readers; written under the pool's lock or the page's recovery lock
    private PageMeta* _metas; // one per page; PageMeta says under which lock
    private ulong* _flushedBits; // MostBitWords per page; null in piles without flushes

    internal Segment(int number, ulong firstAddress, MemoryRegion region, bool tracksFlushed)
    {
        Number = number;
        Region = region;
        _firstAddress = firstAddress;
        PageCount = (int)(region.LengthBytes / SizeClasses.PageBytes);
        HeadPages = SegmentHead.PagesFor(PageCount);
        _freePages = new ulong[(PageCount + 63) / 64];
        _lastingPages = new ulong[_freePages.Length];
        _infos = (PageInfo*)NativeMemory.AllocZeroed((nuint)PageCount, (nuint)sizeof(PageInfo));
        _metas = (PageMeta*)NativeMemory.AlignedAlloc((nuint)PageCount * (nuint)sizeof(PageMeta), PageMeta.SizeBytes);
        NativeMemory.Clear(_metas, (nuint)PageCount * (nuint)sizeof(PageMeta));
        if (tracksFlushed)
            // zeroed lazily by the system: takes no memory before it is used
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

    /// <summary>The pages that hold the head and the page words.</summary>
    internal int HeadPages { get; }

    internal int FreePageCount { get; private set; }

    /// <summary>One past the last page that was touched ahead; in a segment that is not new, all pages count as touched.</summary>
    internal int TouchedEnd { get; set; } = int.MaxValue;

    internal bool IsEmpty => FreePageCount == PageCount - HeadPages;

    /// <summary>
    /// Whether it is empty and out of use: it could not be given back, and it is unknown whether the superblock on disk still lists it.
    /// </summary>
    internal bool IsIdle { get; private set; }

    /// <summary>Whether its memory is about to be unmapped: no page of it may be taken.</summary>
    internal bool IsWithdrawn { get; private set; }

    /// <summary>Whether its writer has given it back: its file is removed, and another file may have its number.</summary>
    internal bool IsGivenBack => !SegmentHead.IsMarked(Volatile.Read(ref Head.Magic));

    /// <summary>How many of its pages may be stored to; the others need <see cref="Allocate"/> first.</summary>
    internal int AllocatedPages => (int)(Region.AllocatedBytes / SizeClasses.PageBytes);

    /// <summary>Has the pages before one be such that may be stored to.</summary>
    /// <exception cref="System.IO.IOException">The disk is full.</exception>
    internal void Allocate(int end) => Region.Allocate((long)end * SizeClasses.PageBytes);

    /// <summary>Touches pages that stay meanwhile, and that may be stored to.</summary>
    /// <remarks>
    /// By an atomic store that changes nothing, since others may already write there; asking the system to populate them would hold a
    /// process-wide lock meanwhile.
    /// </remarks>
    internal void Touch(int first, int end)
    {
        Debug.Assert(first >= 0 && end <= AllocatedPages, "What is touched is the segment's own memory.");
        byte* stop = Region.Start + end * (long)SizeClasses.PageBytes;
        for (byte* at = Region.Start + first * (long)SizeClasses.PageBytes; at < stop; at += SystemPageBytes)
            Interlocked.Or(ref *(int*)at, 0);
    }

    internal PageInfo* Infos => _infos;

    internal PageMeta* Metas => _metas;

    internal ref SegmentHead Head => ref *(SegmentHead*)Region.Start;

    /// <summary>The bytes of process memory that its metadata takes.</summary>
    internal long RecordBytes => PageCount * (long)(sizeof(PageInfo) + sizeof(PageMeta)) + 2 * _freePages.Length * sizeof(ulong);

    /// <summary>The page words, in page order.</summary>
    internal ulong* Words => (ulong*)(Region.Start + SegmentHead.SizeBytes);

    internal ulong FirstAddress => _firstAddress;

    /// <summary>The address of a page's first unit.</summary>
    internal ulong AddressOfPage(int page) => _firstAddress + (ulong)page * (SizeClasses.PageBytes / SizeClasses.GranuleBytes);

    /// <summary>The offset in bytes of an address.</summary>
    internal long OffsetOf(ulong address) => (long)(address - _firstAddress) * SizeClasses.GranuleBytes;

    /// <summary>Whether any byte of a page is not zero.</summary>
    internal bool HasBytesIn(int page) =>
        new ReadOnlySpan<byte>(_metas[page].Start, SizeClasses.PageBytes).ContainsAnyExcept((byte)0);

    /// <summary>False if the disk has lost a page word: it is zero, in a segment that stores a word for each page.</summary>
    internal bool IsWritten(PageWord word) => word.Word != 0 || !Head.HasWrittenWords;

    /// <summary>The number of pages behind the head that are in use by their words.</summary>
    internal int CountPagesInUse()
    {
        int count = 0;
        for (int page = HeadPages; page < PageCount; page++)
            count += WordOf(page) is { IsUnused: false, IsIntact: true } ? 1 : 0;
        return count;
    }

    internal PageWord WordOf(int page) => new(Volatile.Read(ref Words[page]));

    /// <summary>Whether a block begins at an address, by a page word that may be damaged.</summary>
    /// <param name="address">An address of this segment.</param>
    /// <param name="word">The word of its page.</param>
    /// <param name="capacityBytes">The most bytes of the block's payload; all of them lie in the segment.</param>
    internal bool HasBlockAt(ulong address, PageWord word, out long capacityBytes)
    {
        int page = PageOf(address);
        capacityBytes = word.CapacityBytes;
        bool isInside = page >= HeadPages && (!word.IsRunHead || (word.RunPages >= 1 && word.RunPages <= PageCount - page));
        return isInside && word.Info.HasSlotAt(address);
    }

    /// <summary>The number within the segment of a page.</summary>
    internal int IndexOf(PageMeta* meta)
    {
        Debug.Assert(meta >= _metas && meta < _metas + PageCount, "A page of another segment.");
        return (int)(meta - _metas);
    }

    /// <summary>The page that an address of this segment lies in.</summary>
    internal int PageOf(ulong address) => (int)(OffsetOf(address) / SizeClasses.PageBytes);

    /// <summary>Publishes a page's layout: first the word in the segment, then the info for readers.</summary>
    internal void Publish(int page, PageWord word, PageInfo info)
    {
        Debug.Assert(word.IsIntact && word.GenerationBase >= WordOf(page).GenerationBase, "A page's generation never goes back.");
        Debug.Assert(!IsFreePage(page), "The page was not taken.");
        Volatile.Write(ref Words[page], word.Word);
        Volatile.Write(ref *(ulong*)&_infos[page], info.Word);
    }

    /// <summary>Clears a page's layout: first the info for readers, then the word in the segment.</summary>
    internal void Unpublish(int page, uint generationBase)
    {
        Debug.Assert(!IsFreePage(page) && generationBase <= PilePointer.MaxGeneration, "The page is free already.");
        Volatile.Write(ref *(ulong*)&_infos[page], 0);
        CrashPoints.Pass(CrashPoint.PageBeforeUnused);
        Volatile.Write(ref Words[page], PageWord.Unused(generationBase).Word);
    }

    /// <summary>Stores a free header in each slot of a page that is not published yet.</summary>
    internal void ClearSlots(int page, int slotBytes, uint generation)
    {
        Debug.Assert(slotBytes >= SizeClasses.MinSlotBytes && slotBytes % SizeClasses.GranuleBytes == 0, "No slot is of that size.");
        ulong free = BlockHeader.Free(generation).Word;
        byte* start = Region.Start + (long)page * SizeClasses.PageBytes;
        for (int offset = 0; offset + slotBytes <= SizeClasses.PageBytes; offset += slotBytes)
            *(ulong*)(start + offset) = free;
    }

    /// <summary>Publishes the info of a page whose word is stored already.</summary>
    internal void PublishInfo(int page, PageInfo info) => Volatile.Write(ref *(ulong*)&_infos[page], info.Word);

    /// <summary>Stores a page word while the page is in no use.</summary>
    internal void SetWord(int page, PageWord word) => Words[page] = word.Word;

    /// <summary>The words of a run's later pages, as bytes.</summary>
    internal ReadOnlySpan<byte> TailWords(int page, int pages) => new(Words + page + 1, (pages - 1) * sizeof(ulong));

    /// <summary>
    /// Shortens a run; the caller frees its later pages. A kill in between leaves later pages without a first one.
    /// </summary>
    internal void CutRun(int page, int pages)
    {
        Debug.Assert(WordOf(page).IsRunHead && pages >= 1 && pages <= WordOf(page).RunPages, "A run only ever becomes shorter.");
        Volatile.Write(ref Words[page], PageWord.RunHead(pages, WordOf(page).GenerationBase).Word);
    }

    /// <summary>Takes the pages of an empty segment out of allocation; nothing else changes.</summary>
    internal void TakeOut()
    {
        Debug.Assert(IsEmpty && !IsIdle && !IsWithdrawn, "The segment holds something, or was taken out before.");
        IsIdle = true;
        (FreePageCount, FreeLastingCount) = (0, 0);
        Array.Clear(_freePages);
        Array.Clear(_lastingPages);
    }

    /// <summary>Returns the pages of a segment that was taken out to allocation.</summary>
    internal void PutBack()
    {
        Debug.Assert(IsIdle && FreePageCount == 0, "The segment was not taken out.");
        IsIdle = false;
        for (int page = HeadPages; page < PageCount; page++)
            AddFreePage(page);
    }

    /// <summary>Marks a segment that was taken out as gone for good.</summary>
    internal void Withdraw()
    {
        Debug.Assert(IsIdle, "Its pages are still allocated.");
        IsIdle = false;
        IsWithdrawn = true;
        Volatile.Write(ref Head.Magic, 0); // tells processes that map the file for reading to look for its successor
    }

    /// <summary>The highest generation of its pages.</summary>
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

    /// <summary>Marks all free pages as suspect: to be searched before they are used.</summary>
    /// <returns>How many there are.</returns>
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
}
