using System.Diagnostics;
using System.Threading;
using BigPile.Allocation;
using BigPile.Concurrency;
using BigPile.Layout;

namespace BigPile.Durability;

/// <summary>Checks every block of the segments. Changes nothing.</summary>
/// <remarks>
/// While others write, a block that seems wrong is checked again, by the rules of reading, until it did not change during a check, or for
/// about a second: a replacement in progress may have lost its processor. A page that is laid out anew meanwhile is skipped.
/// </remarks>
/// <param name="inspector">Checks single blocks.</param>
/// <param name="stripes">The writers' sequences; null if nobody can write.</param>
/// <param name="wasClean">Whether the pile was closed: then traces of a kill are faults too.</param>
/// <param name="faults">Receives the faults.</param>
internal sealed unsafe class PileVerifier(BlockInspector inspector, SeqLockStripes? stripes, bool wasClean, FaultLog faults)
{
    private const int MaxAttempts = 1_000; // with pauses about a second

    private readonly int _attempts = stripes == null ? 1 : MaxAttempts; // 1 where nobody can write: a fault is one at once

    internal long PageCount { get; private set; }

    internal long BlockCount { get; private set; }

    internal long PayloadBytes { get; private set; }

    internal long TraceCount { get; private set; }

    /// <summary>Blocks that still have the checksum of formats 1 to 6.</summary>
    internal long LegacyChecksumCount { get; private set; }

    /// <summary>Checks a page.</summary>
    /// <returns>The number of pages of the run that begins here, or 1.</returns>
    internal int Check(Segment segment, int page)
    {
        Debug.Assert(page >= segment.HeadPages && page < segment.PageCount, "The page has no word of its own.");
        PageWord word = segment.WordOf(page);
        if (!segment.IsWritten(word))
            return Report(segment, page, SegmentScanner.LostLayoutFault);
        if (!word.IsIntact)
            return Report(segment, page, "its layout is damaged");
        if (word.HasSlots)
            return CheckSlots(segment, page, word);
        if (word.IsRunHead)
            return CheckRun(segment, page, word);
        if (wasClean && word.Word == 0 && segment.HasBytesIn(page))
            return Report(segment, page, "it was never used, and has bytes in it: its layout may have been lost");
        return word.IsUnused || word.IsRunTail ? 1 : Report(segment, page, "its layout is unknown");
    }

    private int CheckSlots(Segment segment, int page, PageWord word)
    {
        PageCount++;
        PageMeta* meta = segment.Metas + page;
        int slotBytes = SizeClasses.SlotBytes(word.SizeClass);
        for (int offset = 0; offset + slotBytes <= SizeClasses.PageBytes; offset += slotBytes)
            CheckBlock(
                segment, page, word, meta->Start + offset, meta->FirstAddress + (ulong)(offset / SizeClasses.GranuleBytes), slotBytes);
        if (wasClean && LegacySlots.AreIn(word))
            LegacySlots.Inspect(meta, slotBytes, inspector, faults, marksFree: false);
        return 1;
    }

    private int CheckRun(Segment segment, int page, PageWord word)
    {
        if (word.RunPages < 1 || word.RunPages > segment.PageCount - page)
            return Report(segment, page, $"it states a run of {word.RunPages:N0} pages");
        for (int tail = page + 1; tail < page + word.RunPages; tail++)
        {
            PageWord tailWord = segment.WordOf(tail);
            if (!tailWord.IsIntact || !tailWord.IsRunTail)
                return segment.WordOf(page).Word == word.Word ? Report(segment, tail, "it should belong to a run") : 1;
        }
        PageCount += word.RunPages;
        if (LegacySlots.IsLostRun(word, segment.Metas[page].Start, inspector))
            _ = Report(segment, page, BlockInspector.StaleFaultOf(default));
        CheckBlock(
            segment, page, word, segment.Metas[page].Start, segment.Metas[page].FirstAddress, (long)word.RunPages * SizeClasses.PageBytes);
        return word.RunPages;
    }

    private void CheckBlock(Segment segment, int page, PageWord layout, byte* block, ulong address, long blockBytes)
    {
        var spinner = default(SpinWait);
        string? fault = null;
        for (int attempt = 0; attempt < _attempts; attempt++)
        {
            var header = new BlockHeader(Volatile.Read(ref *(ulong*)block));
            BlockHeader current = inspector.CurrentHeader(block, address, blockBytes - BlockHeader.SizeBytes);
            // Behind the headers and before the bytes: a replacement that overlaps the check changes one of them.
            ReadSnapshot before = SnapshotOf(block, address, current, blockBytes);
            fault = header.Generation < layout.GenerationBase
                ? BlockInspector.StaleFaultOf(header)
                : inspector.FaultOf(block, address, current, blockBytes - BlockHeader.SizeBytes);
            Volatile.ReadBarrier(); // the bytes are checked before header and sequence are loaded again
            if (segment.WordOf(page).Word != layout.Word)
                return; // laid out anew meanwhile: the block is gone
            if (fault == null)
            {
                Count(block, address, header, current, blockBytes - BlockHeader.SizeBytes);
                return;
            }
            bool isSame = inspector.CurrentHeader(block, address, blockBytes - BlockHeader.SizeBytes).Word == current.Word
                && *(ulong*)block == header.Word;
            if (stripes != null && isSame && !before.IsChanging && before.Equals(SnapshotOf(block, address, current, blockBytes)))
                break;
            spinner.SpinOnce(); // changed, or changing: the fault may be the check's own
        }
        faults.Add(new PileFault(inspector.DescribeLocation(block, address), fault!, new BlockHeader(*(ulong*)block).PayloadBytes));
    }

    // What, beside its header and page word, must not change while a block is checked; otherwise the fault may be the check's own. For a
    // link this includes the target's header, as the target may be freed and reused meanwhile.
    private ReadSnapshot SnapshotOf(byte* block, ulong address, BlockHeader header, long blockBytes)
    {
        if (stripes == null)
            return default;
        ulong targetWord = 0;
        if (header.Kind == BlockKind.Link && inspector.TryFindRaw(header.TargetAddress, out byte* target, out _))
            targetWord = Volatile.Read(ref *(ulong*)target);
        bool isTarget = header.Kind == BlockKind.LinkTarget && blockBytes >= BlockHeader.SizeBytes + OwnerWord.SizeBytes;
        ulong origin = isTarget ? new OwnerWord(*(ulong*)(block + BlockHeader.SizeBytes)).LinkAddress : address;
        return new ReadSnapshot(stripes.Of(origin)->Lock.Sequence, targetWord);
    }

    private readonly record struct ReadSnapshot(ulong Sequence, ulong TargetWord)
    {
        internal bool IsChanging => (Sequence & 1) != 0;
    }

    private void Count(byte* block, ulong address, BlockHeader own, BlockHeader header, long capacityBytes)
    {
        if (header.IsFree)
            return;
        BlockCount++;
        PayloadBytes += header.PayloadBytes;
        if (inspector.HasLegacyChecksum(block, header, capacityBytes))
            LegacyChecksumCount++;
        bool isOrphan = header.Kind == BlockKind.LinkTarget && inspector.IsOrphan(block, address);
        if (!isOrphan && (!own.IsBusy || inspector.IsShadowed(own, address, out _)))
            return;
        TraceCount++;
        if (wasClean)
            faults.Add(new PileFault(
                inspector.DescribeLocation(block, address), isOrphan ? BlockInspector.OrphanFault : "a replacement had not ended", 0));
    }

    private int Report(Segment segment, int page, string what)
    {
        faults.Add(new PileFault($"segment {segment.Number}, page {page}", what, 0));
        return 1;
    }
}
