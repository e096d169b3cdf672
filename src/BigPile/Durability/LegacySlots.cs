using System;
using BigPile.Allocation;
using BigPile.Layout;

namespace BigPile.Durability;

/// <summary>Free slots of pages that formats 1 to 6 laid out at generation 0: those that were never used are zero.</summary>
/// <remarks>
/// Slots of a page are used in their order. So one that is zero and has bytes in it, or used ones above, has lost its header; or a put had
/// not ended there when its process was killed, in any of the lives of the pile.
/// </remarks>
internal static unsafe class LegacySlots
{
    private const string LostPageFault = "none of its slots was ever used, and it was laid out: their headers may have been lost";
    private const string LostHeaderFault = "it was never used, and has bytes in it or used slots above: its header may have been lost";

    /// <summary>Whether a page has such slots.</summary>
    internal static bool AreIn(PageWord word) => word.GenerationBase == 0;

    /// <summary>States those that are odd in their headers, so that each is noticed once; in a closed pile they are faults.</summary>
    internal static void StateLost(PageMeta* meta, BlockInspector inspector, FaultLog faults)
    {
        ReportUnused(meta->Start, meta->FirstAddress, meta->SlotBytes, inspector, faults);
        // after a power cut the last free slot gets a header of its own, so each before it needs one
        int end = inspector.GenerationSkip != 0 ? SizeClasses.PageBytes : EndOfUsed(meta->Start, meta->SlotBytes);
        for (int slot = 0; slot < meta->SlotCount; slot++)
        {
            byte* block = meta->BlockAt(slot);
            if (!IsOdd(block, slot * meta->SlotBytes, meta->SlotBytes, end))
                continue;
            if (inspector.LeftAs == LeftAs.Closed)
                faults.Add(FaultOf(block, meta->FirstAddress, slot * meta->SlotBytes, inspector));
            *(ulong*)block = BlockHeader.Free(1).Word;
        }
    }

    /// <summary>Reports those of a closed pile that are odd.</summary>
    internal static void Report(PageMeta* meta, int slotBytes, BlockInspector inspector, FaultLog faults)
    {
        ReportUnused(meta->Start, meta->FirstAddress, slotBytes, inspector, faults);
        int end = EndOfUsed(meta->Start, slotBytes);
        for (int offset = 0; offset + slotBytes <= SizeClasses.PageBytes; offset += slotBytes)
        {
            if (IsOdd(meta->Start + offset, offset, slotBytes, end))
                faults.Add(FaultOf(meta->Start + offset, meta->FirstAddress, offset, inspector));
        }
    }

    // A page that is empty is given back, but the last one of its class, whose slots say how often they were freed.
    private static void ReportUnused(byte* page, ulong firstAddress, int slotBytes, BlockInspector inspector, FaultLog faults)
    {
        if (inspector.LeftAs == LeftAs.Closed && EndOfUsed(page, slotBytes) == 0)
            faults.Add(new PileFault(inspector.PlaceOf(page, firstAddress), LostPageFault, 0));
    }

    private static PileFault FaultOf(byte* block, ulong firstAddress, int offset, BlockInspector inspector) =>
        new(inspector.PlaceOf(block, firstAddress + (ulong)(offset / SizeClasses.GranuleBytes)), LostHeaderFault, 0);

    private static int EndOfUsed(byte* page, int slotBytes)
    {
        int offset = SizeClasses.PageBytes / slotBytes * slotBytes;
        while (offset > 0 && *(ulong*)(page + offset - slotBytes) == 0)
            offset -= slotBytes;
        return offset;
    }

    private static bool IsOdd(byte* block, int offset, int slotBytes, int endOfUsed) =>
        *(ulong*)block == 0 && (offset < endOfUsed || new ReadOnlySpan<byte>(block, slotBytes).ContainsAnyExcept((byte)0));
}
