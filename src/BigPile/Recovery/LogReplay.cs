using System;
using System.Runtime.InteropServices;
using BigPile.Allocation;
using BigPile.Blocks;
using BigPile.Storage;

namespace BigPile.Recovery;

/// <summary>Puts back what was flushed to the log and may be missing in the segments after a power cut.</summary>
/// <remarks>
/// The device may hold any mixture of page states between the last checkpoint and the cut. A record is put back unless the segment holds
/// something younger that is whole: a page laid out later, or a block of a higher generation. Nobody else uses the pile yet, and no page
/// was looked at.
/// </remarks>
internal sealed unsafe class LogReplay(SegmentMap map, PagePool pool, BlockInspector inspector, bool isSealed)
{
    /// <summary>Blocks that were put back.</summary>
    internal long AppliedCount { get; private set; }

    /// <summary>Puts back the records of a batch, in their order.</summary>
    internal void Apply(ReadOnlySpan<byte> body)
    {
        while (ChangeRecord.TryRead(body, out ChangeRecord record))
        {
            if (map.Find(record.Address, out _) != null && TryApplyLayout(record))
                ApplyBlock(record);
            body = body[record.SizeBytes..];
        }
    }

    private bool TryApplyLayout(ChangeRecord record)
    {
        PageMeta* meta = map.MetaOf(record.Address);
        Segment segment = pool.SegmentOf(meta);
        int page = PagePool.PageIn(segment, meta);
        var word = new PageWord(record.PageWord);
        PageWord found = segment.WordOf(page);
        int tailPages = record.TailWords.Length / sizeof(ulong);
        if (page < segment.HeadPages || page + tailPages >= segment.PageCount)
            return false;
        if (found.Word == word.Word)
            return ApplyTails(segment, page, record);
        if (found.IsIntact && found.IsYoungerThan(word))
            return false;
        if (word.HasSlots)
            segment.ClearSlots(page, SizeClasses.SlotBytes(word.SizeClass), word.GenerationBase);
        segment.SetWord(page, word);
        return ApplyTails(segment, page, record);
    }

    private static bool ApplyTails(Segment segment, int page, ChangeRecord record)
    {
        ReadOnlySpan<ulong> words = MemoryMarshal.Cast<byte, ulong>(record.TailWords);
        for (int i = 0; i < words.Length; i++)
            segment.SetWord(page + 1 + i, new PageWord(words[i]));
        return true;
    }

    private void ApplyBlock(ChangeRecord record)
    {
        var word = new PageWord(record.PageWord);
        if (!word.Info.HasSlotAt(record.Address))
            return;
        byte* block = map.Find(record.Address, out _);
        long capacityBytes = word.CapacityBytes;
        var header = new BlockHeader(record.HeaderWord);
        var found = new BlockHeader(*(ulong*)block);
        if (record.Bytes.Length > capacityBytes || (found.Generation > header.Generation && IsWhole(record.Address, block, capacityBytes)))
            return;
        record.Bytes.CopyTo(new Span<byte>(block + BlockHeader.SizeBytes, record.Bytes.Length));
        *(ulong*)block = header.Word;
        AppliedCount++;
    }

    // Where a page's word reached the device and its slots did not, payload bytes lie in the places of headers, and may look like any.
    private bool IsWhole(ulong address, byte* block, long capacityBytes)
    {
        var header = new BlockHeader(*(ulong*)block);
        if (header.IsFree)
            return header.Word == BlockHeader.Free(header.Generation).Word;
        header = header.NotBusy;
        if (header.Kind == BlockKind.Link)
            return inspector.HasSoundTarget(address, header);
        if (!isSealed)
            return true;
        return BlockSeal.Fits(header.PayloadBytes, capacityBytes) && BlockSeal.IsIntact(block, header, capacityBytes);
    }
}
