using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Runtime.InteropServices;
using BigPile.Allocation;
using BigPile.Checking;
using BigPile.Layout;
using BigPile.Memory.Checking;

namespace BigPile.Durability;

/// <summary>Restores flushed blocks from the log that may be missing in the segments after a power cut.</summary>
/// <remarks>
/// The device may hold any mixture of page states between the last checkpoint and the power cut. The last flushed state of each address
/// overwrites whatever the segment holds: links with their targets, and no link that a later flush had changed. Two exceptions: the page
/// was laid out anew since, or the flushed state is a free slot and a whole block was put there since. A kill on the way changes nothing:
/// the next owner replays from the start. Nobody else uses the pile yet, and no page is recovered.
/// </remarks>
internal sealed unsafe class LogReplay(SegmentMap map, PagePool pool, BlockChecksumKind checksums)
{
    /// <summary>The number of blocks restored.</summary>
    internal long AppliedCount { get; private set; }

    /// <summary>The highest entry version in the batches, or 0.</summary>
    internal ulong FlushedVersion { get; private set; }

    /// <summary>Applies all batches in order, for each address only its last record.</summary>
    internal void Apply(ReadOnlyMemory<byte>[] bodies)
    {
        Dictionary<ulong, long> last = FindLast(bodies); // by address: the number of its last record
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
        segment.Allocate(page + 1 + tailPages);
        // The page is as the flush had it, or an earlier record has laid it out: its slots stay.
        if (found.Word == word.Word)
            return ApplyTails(segment, page, record);
        if (found.IsIntact && found.IsYoungerThan(word)) // laid out anew: so all its blocks were flushed as free
            return false;
        // The slots before the word, as when a page is taken: bytes of an older layout must not pass for blocks.
        if (word.HasSlots)
            segment.ClearSlots(page, SizeClasses.SlotBytes(word.SizeClass), word.GenerationBase);
        Debug.Assert(word.IsIntact, "A batch with a valid checksum has an invalid page word.");
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
        Debug.Assert((nuint)block % BlockHeader.SizeBytes == 0, "The header's store would not be atomic.");
        long capacityBytes = word.CapacityBytes;
        var header = new BlockHeader(record.HeaderWord);
        if (record.Bytes.Length > capacityBytes || (header.IsFree && HoldsNewerBlock(block, header, capacityBytes)))
            return;
        // In any order: all is synced before the superblock leaves this epoch, and replayed again after a kill.
        record.Bytes.CopyTo(new Span<byte>(block + BlockHeader.SizeBytes, record.Bytes.Length));
        *(ulong*)block = header.Word;
        AppliedCount++;
    }

    // Whether the slot has a block that was put after the logged deletion. The header alone does not prove it: if a page's word reached the
    // device and its slots did not, bytes of older payloads lie where headers should, and may look like any header.
    private bool HoldsNewerBlock(byte* block, BlockHeader flushed, long capacityBytes)
    {
        Debug.Assert(flushed.IsFree, "Only a flushed free slot gives way to a newer block.");
        var header = new BlockHeader(*(ulong*)block);
        header = header.IsUndoableFree ? header.Undone(capacityBytes) : header.NotBusy; // as before a deletion that was never flushed
        if (!header.CanBeUndone && header.Kind != BlockKind.Link)
            return header.Generation > flushed.Generation && header.Word == BlockHeader.Free(header.Generation).Word;
        if (header.Generation < flushed.Generation || header.Kind == BlockKind.Link)
            return false;
        return BlockChecksum.IsValid(block, header, capacityBytes, checksums);
    }
}
