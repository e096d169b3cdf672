using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Runtime.InteropServices;
using BigPile.Allocation;
using BigPile.Concurrency;
using BigPile.Layout;

namespace BigPile.Durability;

/// <summary>Puts back what was flushed to the log and may be missing in the segments after a power cut.</summary>
/// <remarks>
/// The device may hold any mixture of page states between the last checkpoint and the cut. What was flushed last of each address is put
/// back, whatever the segment holds there: links with their targets, and no link that a later flush had changed. Two exceptions: the page
/// was laid out later, which it only is once its blocks were flushed as free; and where nothing was flushed but a free slot, a whole
/// block that was put later stays. Nobody else uses the pile yet, and no page was looked at.
/// </remarks>
internal sealed unsafe class LogReplay(SegmentMap map, PagePool pool, BlockChecksumKind checksums)
{
    /// <summary>Blocks that were put back.</summary>
    internal long AppliedCount { get; private set; }

    /// <summary>The last version of an entry that the batches have, or 0.</summary>
    internal ulong FlushedVersion { get; private set; }

    /// <summary>Puts back the records of all batches: of each address the last one, in their order.</summary>
    internal void Apply(ReadOnlyMemory<byte>[] bodies)
    {
        Dictionary<ulong, long> last = FindLast(bodies);
        long number = 0;
        foreach (ReadOnlyMemory<byte> body in bodies)
        {
            ReadOnlySpan<byte> rest = body.Span;
            for (; ChangeRecord.TryRead(rest, out ChangeRecord record); number++)
            {
                if (record.IsVersion)
                    FlushedVersion = Math.Max(FlushedVersion, record.HeaderWord);
                else if (last[record.Address] == number && map.Find(record.Address, out _) != null && TryApplyLayout(record))
                    ApplyBlock(record);
                CrashPoints.Pass(CrashPoint.ReplayBetweenRecords);
                rest = rest[record.SizeBytes..];
            }
        }
    }

    private static Dictionary<ulong, long> FindLast(ReadOnlyMemory<byte>[] bodies)
    {
        var last = new Dictionary<ulong, long>();
        long number = 0;
        foreach (ReadOnlyMemory<byte> body in bodies)
        {
            ReadOnlySpan<byte> rest = body.Span;
            for (; ChangeRecord.TryRead(rest, out ChangeRecord record); number++)
            {
                last[record.Address] = number;
                rest = rest[record.SizeBytes..];
            }
        }
        return last;
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
        Debug.Assert(word.IsIntact, "A batch whose checksum is right has a word that was not.");
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
        Debug.Assert((nuint)block % BlockHeader.SizeBytes == 0, "A kill or a reader could find half of the header.");
        long capacityBytes = word.CapacityBytes;
        var header = new BlockHeader(record.HeaderWord);
        if (record.Bytes.Length > capacityBytes || (header.IsFree && HoldsNewerBlock(block, header, capacityBytes)))
            return;
        record.Bytes.CopyTo(new Span<byte>(block + BlockHeader.SizeBytes, record.Bytes.Length));
        *(ulong*)block = header.Word;
        AppliedCount++;
    }

    // Whether the slot has a block that was put after the deletion in the log. A header alone does not prove it: where a page's word
    // reached the device and its slots did not, bytes of older payloads lie where headers should, and may look like any.
    private bool HoldsNewerBlock(byte* block, BlockHeader flushed, long capacityBytes)
    {
        Debug.Assert(flushed.IsFree, "Nothing that was flushed gives way to what was put later.");
        var header = new BlockHeader(*(ulong*)block);
        header = header.IsUndoableFree ? header.Undone(capacityBytes) : header.NotBusy; // as it was before a deletion that no flush has
        if (!header.CanBeUndone && header.Kind != BlockKind.Link)
            return header.Generation > flushed.Generation && header.Word == BlockHeader.Free(header.Generation).Word;
        if (header.Generation < flushed.Generation || header.Kind == BlockKind.Link)
            return false;
        return BlockChecksum.IsValid(block, header, capacityBytes, checksums);
    }
}
