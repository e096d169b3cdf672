using System;
using System.Collections.Generic;
using System.Globalization;
using BigPile.Allocation;
using BigPile.Blocks;
using BigPile.Memory;

namespace BigPile.Storage;

/// <summary>Rebuilds the allocator's records of a segment from what the segment itself says.</summary>
/// <remarks>
/// Nothing from the file is followed before it was checked. A kill can leave free slots, live slots, later pages of a run without a
/// first one, and link targets without an origin; all of these are found here. Anything else is damage.
/// </remarks>
internal sealed unsafe class SegmentLoader
{
    private readonly Segment _segment;
    private readonly string _path;

    internal SegmentLoader(Segment segment, string path)
    {
        _segment = segment;
        _path = path;
    }

    /// <summary>A page of slots, and what is live in it.</summary>
    internal readonly record struct FoundPage(int Page, long Blocks, long PayloadBytes);

    internal Segment Segment => _segment;

    internal List<FoundPage> Pages { get; } = [];

    /// <summary>The addresses of link targets, whose origins are to be checked once all segments are known.</summary>
    internal List<ulong> LinkTargets { get; } = [];

    /// <summary>The addresses of links, whose targets are to be checked likewise.</summary>
    internal List<ulong> Links { get; } = [];

    internal long RunPages { get; private set; }

    internal long RunCount { get; private set; }

    internal long RunPayloadBytes { get; private set; }

    internal long FreeBitsBytes { get; private set; }

    /// <summary>Checks that a region is the segment that it should be.</summary>
    /// <exception cref="PileStorageException">It is another one.</exception>
    internal static void CheckHead(MemoryRegion region, string path, int number, Guid pileId)
    {
        SegmentHead head = *(SegmentHead*)region.Start;
        if (head.Magic != SegmentHead.ExpectedMagic || head.Number != number || head.LengthBytes != region.LengthBytes || head.PileId != pileId)
            throw new PileStorageException($"The file '{path}' is not segment {number} of this pile. Restore it from a copy.");
    }

    /// <summary>Reads all pages.</summary>
    /// <exception cref="PileStorageException">A page or block is damaged.</exception>
    internal void Load()
    {
        for (int page = _segment.HeadPages; page < _segment.PageCount;)
        {
            PageWord word = _segment.WordOf(page);
            _segment.Metas[page].MaxGeneration = word.GenerationBase;
            if (word.HasSlots)
                LoadSlots(page, word);
            else if (word.IsRunHead)
                page += LoadRun(page, word) - 1;
            else if (word.IsUnused || word.IsRunTail)
                AddFree(page, word.GenerationBase);
            else
                throw Damaged(page, "its layout is unknown");
            page++;
        }
    }

    private void AddFree(int page, uint generationBase)
    {
        _segment.Metas[page].MaxGeneration = generationBase;
        _segment.Unpublish(page, generationBase);
        if (generationBase < PilePointer.MaxGeneration)
            _segment.AddFreePage(page);
    }

    private void LoadSlots(int page, PageWord word)
    {
        PageMeta* meta = _segment.Metas + page;
        meta->LayOut(word.SizeClass, allFree: false);
        FreeBitsBytes += PageMeta.FreeBitsBytes(meta->SlotCount);
        long blocks = 0;
        long payloadBytes = 0;
        for (int slot = 0; slot < meta->SlotCount; slot++)
        {
            BlockHeader header = LoadHeader(meta->Start + slot * meta->SlotBytes);
            meta->MaxGeneration = Math.Max(meta->MaxGeneration, header.Generation);
            if (header.IsFree)
            {
                LoadFreeSlot(meta, slot, header.Generation);
                continue;
            }
            blocks++;
            payloadBytes += header.PayloadBytes;
            ulong address = meta->FirstAddress + (ulong)(slot * meta->SlotBytes / SizeClasses.GranuleBytes);
            LoadLive(page, address, header, meta->SlotBytes - BlockHeader.SizeBytes);
        }
        if (meta->IsEmpty)
        {
            FreeBitsBytes -= PageMeta.FreeBitsBytes(meta->SlotCount);
            meta->Drop();
            AddFree(page, Math.Max(meta->MaxGeneration, 1)); // a payload may have been begun in it: it is not all zero any more
            return;
        }
        _segment.Infos[page] = SizeClasses.InfoOf(word.SizeClass);
        Pages.Add(new FoundPage(page, blocks, payloadBytes));
    }

    // A killed replacement leaves its block busy, and nobody is replacing any more.
    private static BlockHeader LoadHeader(byte* block)
    {
        var header = new BlockHeader(*(ulong*)block);
        if (!header.IsBusy)
            return header;
        *(ulong*)block = header.NotBusy.Word;
        return header.NotBusy;
    }

    private static void LoadFreeSlot(PageMeta* meta, int slot, uint generation)
    {
        if (generation == PilePointer.MaxGeneration)
            meta->WornCount++;
        else
            meta->ReturnSlot(slot);
    }

    private void LoadLive(int page, ulong address, BlockHeader header, long capacityBytes)
    {
        if (header.PayloadBytes > capacityBytes)
            throw Damaged(page, $"the block at {Hex(address)} states {header.PayloadBytes:N0} bytes, and its slot has {capacityBytes:N0}");
        if (header.Kind == BlockKind.Link)
            Links.Add(address);
        if (header.Kind != BlockKind.LinkTarget)
            return;
        if (header.PayloadBytes < BackWord.SizeBytes)
            throw Damaged(page, $"the link target at {Hex(address)} is shorter than its back word");
        LinkTargets.Add(address);
    }

    private int LoadRun(int page, PageWord word)
    {
        if (word.RunPages < 1 || word.RunPages > _segment.PageCount - page)
            throw Damaged(page, $"it states a run of {word.RunPages:N0} pages");
        PageMeta* meta = _segment.Metas + page;
        BlockHeader header = LoadHeader(meta->Start);
        meta->MaxGeneration = Math.Max(word.GenerationBase, header.Generation);
        for (int tail = page + 1; tail < page + word.RunPages; tail++)
            _segment.Metas[tail].MaxGeneration = _segment.WordOf(tail).GenerationBase;
        if (header.IsFree)
        {
            for (int i = page; i < page + word.RunPages; i++)
                AddFree(i, _segment.Metas[i].MaxGeneration);
            return word.RunPages;
        }
        LoadLive(page, meta->FirstAddress, header, (long)word.RunPages * SizeClasses.PageBytes - BlockHeader.SizeBytes);
        _segment.Infos[page] = PageInfo.OfRun();
        RunPages += word.RunPages;
        RunCount++;
        RunPayloadBytes += header.PayloadBytes;
        return word.RunPages;
    }

    private PileStorageException Damaged(int page, string what) =>
        new($"Page {page} of the segment file '{_path}' is damaged: {what}. Restore the file from a copy.");

    private static string Hex(ulong address) => address.ToString("x", CultureInfo.InvariantCulture);
}
