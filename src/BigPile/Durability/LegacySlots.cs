using System;
using BigPile.Allocation;
using BigPile.Layout;

namespace BigPile.Durability;

/// <summary>Free slots of pages that formats 1 to 6 laid out at generation 0: never used slots are all zero.</summary>
/// <remarks>
/// A page's slots are used in order. So a zero slot that has bytes in it, or used slots above, has lost its header; or a process was killed
/// there during a put, at any time in the pile's past.
/// </remarks>
internal static unsafe class LegacySlots
{
    private const string LostPageFault = "none of its slots was ever used, and it was laid out: their headers may have been lost";
    private const string LostHeaderFault = "it was never used, and has bytes in it or used slots above: its header may have been lost";

    /// <summary>Whether a page was laid out so.</summary>
    internal static bool AreIn(PageWord word) => word.GenerationBase == 0;

    /// <summary>Reports inconsistent slots of a closed pile.</summary>
    /// <param name="meta">The page.</param>
    /// <param name="slotBytes">The size of its slots.</param>
    /// <param name="inspector">Knows how the last owner left the pile.</param>
    /// <param name="faults">Receives the faults.</param>
    /// <param name="marksFree">Whether to write free headers to them, so that each is reported once.</param>
    internal static void Inspect(PageMeta* meta, int slotBytes, BlockInspector inspector, FaultLog faults, bool marksFree)
    {
        ReportUnused(meta->Start, meta->FirstAddress, slotBytes, inspector, faults);
        // After a power cut the last free slot gets a real header, so each slot before it needs one.
        bool needsAll = marksFree && inspector.GenerationSkip != 0;
        int end = needsAll ? SizeClasses.PageBytes : EndOfUsed(meta->Start, slotBytes);
        for (int offset = 0; offset + slotBytes <= SizeClasses.PageBytes; offset += slotBytes)
        {
            byte* block = meta->Start + offset;
            if (!IsOdd(block, offset, slotBytes, end))
                continue;
            if (inspector.Shutdown == ShutdownKind.Closed)
                faults.Add(FaultOf(block, meta->FirstAddress, offset, inspector));
            if (marksFree)
                *(ulong*)block = BlockHeader.Free(1).Word;
        }
    }

    /// <summary>Whether a run in a closed pile has lost its block's header.</summary>
    internal static bool IsLostRun(PageWord word, byte* start, BlockInspector inspector) =>
        AreIn(word) && inspector.Shutdown == ShutdownKind.Closed && *(ulong*)start == 0;

    // Empty pages are freed, except the last one of each class, whose slots hold their generations.
    private static void ReportUnused(byte* page, ulong firstAddress, int slotBytes, BlockInspector inspector, FaultLog faults)
    {
        if (inspector.Shutdown == ShutdownKind.Closed && EndOfUsed(page, slotBytes) == 0)
            faults.Add(new PileFault(inspector.DescribeLocation(page, firstAddress), LostPageFault, 0));
    }

    private static PileFault FaultOf(byte* block, ulong firstAddress, int offset, BlockInspector inspector) =>
        new(inspector.DescribeLocation(block, firstAddress + (ulong)(offset / SizeClasses.GranuleBytes)), LostHeaderFault, 0);

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
