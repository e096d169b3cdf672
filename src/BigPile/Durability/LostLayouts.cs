using System;
using System.Diagnostics;
using BigPile.Allocation;
using BigPile.Layout;

namespace BigPile.Durability;

/// <summary>After a power cut, finds blocks in a page whose page word does not know of them.</summary>
/// <remarks>
/// A page may have been laid out and filled, and the device has the blocks but not the page word. These blocks are lost, but a later layout
/// must not revive them: if its word reaches the device and its slots do not, a whole block whose generation is at least the word's base
/// looks like a live one. So no layout begins at or below the generation of a whole block in the page. Blocks are searched wherever a slot
/// of any class can begin; a link counts if its target points back to it. Thread safety: the callers prevent changes of the pages
/// meanwhile.
/// </remarks>
internal sealed unsafe class LostLayouts(PagePool pool, BlockInspector inspector, BlockChecksumKind checksums)
{
    /// <summary>
    /// The lowest generation, at least the one in the page's metadata, above the generations of all whole blocks in the page.
    /// </summary>
    internal uint GenerationAbove(Segment segment, int page)
    {
        Debug.Assert(inspector.HasTracesOfCut, "Only a power cut can lose the word of a page and keep its blocks.");
        PageMeta* meta = segment.Metas + page;
        uint least = meta->MaxGeneration;
        for (int offset = 0; offset < SizeClasses.PageBytes; offset += SizeClasses.GranuleBytes)
        {
            var header = new BlockHeader(*(ulong*)(meta->Start + offset));
            if (header.Generation < least || header.Word == 0) // harmless: a later layout begins above it
                continue;
            ulong address = meta->FirstAddress + (ulong)(offset / SizeClasses.GranuleBytes);
            if (IsWhole(meta->Start + offset, address, offset, header) || (offset == 0 && IsWholeRun(segment, page, header)))
                // A false one only skips some generations; a missed one could come back to life.
                least = Math.Min(header.Generation + 1, PilePointer.MaxGeneration);
        }
        return least;
    }

    private bool IsWhole(byte* block, ulong address, int offset, BlockHeader header)
    {
        if (header.IsFree)
            return header.IsUndoableFree && IsWholeInAnyClass(block, offset, header);
        if (header.Kind == BlockKind.Link)
            return LeadsBack(address, header.NotBusy);
        if (header.PayloadBytes > SizeClasses.MaxSlotBytes - BlockHeader.SizeBytes)
            return false;
        if (!header.HasInlineChecksum)
            return IsWholeInAnyClass(block, offset, header);
        // A block has an inline checksum only if the slot has no space for a full one: so its length gives the class.
        int slotBytes = SizeClasses.SlotBytes(SizeClasses.ClassOf(BlockHeader.SizeBytes + (int)header.PayloadBytes));
        return checksums != BlockChecksumKind.None && IsWholeIn(block, offset, header, slotBytes);
    }

    private bool IsWholeInAnyClass(byte* block, int offset, BlockHeader header)
    {
        for (int sizeClass = 0; sizeClass < SizeClasses.Count; sizeClass++)
        {
            if (IsWholeIn(block, offset, header, SizeClasses.SlotBytes(sizeClass)))
                return true;
        }
        return false;
    }

    private bool IsWholeIn(byte* block, int offset, BlockHeader header, int slotBytes)
    {
        if (offset % slotBytes != 0 || offset + slotBytes > SizeClasses.PageBytes)
            return false;
        return IsWholeWith(block, header, slotBytes - BlockHeader.SizeBytes);
    }

    private bool IsWholeRun(Segment segment, int page, BlockHeader header)
    {
        long payloadBytes = header.IsUndoableFree ? header.Undone(long.MaxValue - BlockHeader.SizeBytes).PayloadBytes : header.PayloadBytes;
        if (header.HasInlineChecksum && !header.IsFree)
            return false;
        long blockBytes = BlockHeader.SizeBytes + payloadBytes + BlockChecksum.TailBytesFor(payloadBytes);
        long leftBytes = (segment.PageCount - page) * (long)SizeClasses.PageBytes;
        return blockBytes > SizeClasses.MaxSlotBytes && blockBytes <= leftBytes
            && IsWholeWith(segment.Metas[page].Start, header, Math.Min(
                leftBytes, (blockBytes | (SizeClasses.PageBytes - 1)) + 1) - BlockHeader.SizeBytes);
    }

    private bool IsWholeWith(byte* block, BlockHeader header, long capacityBytes)
    {
        BlockHeader live = header.IsUndoableFree ? header.Undone(capacityBytes) : header.NotBusy;
        if (!live.CanBeUndone || live.OwnPayloadBytes > capacityBytes || (checksums == BlockChecksumKind.None && live.HasInlineChecksum))
            return false;
        return BlockChecksum.IsValid(block, live, capacityBytes, checksums);
    }

    // Ignores the target's header and checksum: a target that is damaged, or freed as an orphan, may be back after the next power cut.
    private bool LeadsBack(ulong address, BlockHeader link)
    {
        if (pool.Find(link.TargetAddress) == null || !inspector.TryFindRaw(link.TargetAddress, out byte* target, out long capacityBytes))
            return false;
        if (capacityBytes < OwnerWord.SizeBytes)
            return false;
        var back = new OwnerWord(*(ulong*)(target + BlockHeader.SizeBytes));
        return back.LinkAddress == address && back.LinkGeneration == link.Generation;
    }
}
