using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace BigPile.Layout;

/// <summary>The header of a free slot from which the block can be restored.</summary>
/// <remarks>
/// <code>
/// bit 63..40  the block's generation and one
/// bit 39..37  free
/// bit 36      one
/// bit 35..34  the epoch of the log in which it was freed, modulo 4
/// bit 33..31  kind of the block
/// of a run:
///   bit 30..0   length of the payload
/// of a slot whose block has its checksum behind the payload, or none:
///   bit 30      zero
///   bit 14..0   length of the payload
/// of a slot whose block has its checksum in the header:
///   bit 30      one
///   bit 21..2   the checksum's bits
///   bit 1..0    the bytes of slack behind the payload
/// </code>
/// A power cut undoes a deletion that no flush has made durable. So the block's bytes stay until the next flush, and its header's fields
/// move within the header word. That is all that the deletion stores, and lies in one sector: the device has all of it, or nothing. To
/// readers it is a free slot of the next generation. A link has no such form: there are no bits for its target's address.
/// </remarks>
internal readonly partial struct BlockHeader
{
    private const int EpochShift = 34;
    private const uint EpochMask = 3;

    /// <summary>How far the epoch of a deletion is above the log's while pages are recovered after a power cut.</summary>
    internal const uint AfterCut = 2;

    private const int UndoKindShift = 31;
    private const ulong UndoLengthMask = (1UL << UndoKindShift) - 1;
    private const ulong UndoInlineChecksumBit = 1UL << 30;
    private const int UndoCheckShift = 2;
    private const ulong UndoSlackMask = (1UL << UndoCheckShift) - 1;

    /// <summary>Whether the slot is free, and its header describes the deleted block.</summary>
    internal bool IsUndoableFree => IsFree && IsBusy;

    /// <summary>In an undoable header: the epoch in which the block was freed, modulo 4.</summary>
    internal uint EpochMark => (uint)(_word >> EpochShift) & EpochMask;

    /// <summary>Whether this header has an undoable free form: that of any live block but a link.</summary>
    internal bool CanBeUndone => !IsFree && Kind != BlockKind.Link;

    /// <summary>The undoable free header of this block's slot.</summary>
    /// <param name="capacityBytes">The most bytes of a payload in this block; used only if the checksum is inline.</param>
    /// <param name="epoch">The epoch of the log.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal BlockHeader UndoableFree(long capacityBytes, long epoch)
    {
        Debug.Assert(CanBeUndone, "A link, or free.");
        ulong mark = BusyBit | (((ulong)epoch & EpochMask) << EpochShift) | ((ulong)Kind << UndoKindShift);
        return HasInlineChecksum
            ? UndoableInline(mark, capacityBytes)
            : new BlockHeader(BlockKind.Free, Generation + 1, mark | (ulong)OwnPayloadBytes);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private BlockHeader UndoableInline(ulong mark, long capacityBytes)
    {
        ulong slackBytes = (ulong)(capacityBytes - OwnPayloadBytes);
        Debug.Assert(slackBytes <= UndoSlackMask, "An inline checksum is for blocks without space for one behind the payload.");
        return new BlockHeader(
            BlockKind.Free, Generation + 1,
            mark | UndoInlineChecksumBit | (((_word >> CheckShift) & CheckMask) << UndoCheckShift) | slackBytes);
    }

    /// <summary>In an undoable header: the header that the block had. It may be wrong if the file is damaged.</summary>
    internal BlockHeader Undone(long capacityBytes)
    {
        Debug.Assert(IsUndoableFree, "Nothing in the header says what was there.");
        var kind = (BlockKind)((_word >> UndoKindShift) & KindMask);
        bool isRun = capacityBytes + SizeBytes > SizeClasses.MaxSlotBytes;
        if (isRun || (_word & UndoInlineChecksumBit) == 0)
            return new BlockHeader(kind, Generation - 1, _word & UndoLengthMask);
        long payloadBytes = capacityBytes - (long)(_word & UndoSlackMask);
        return WithInlineChecksum(kind, Generation - 1, payloadBytes, (uint)((_word >> UndoCheckShift) & CheckMask));
    }

    /// <summary>In an undoable header: the same header with another epoch.</summary>
    internal BlockHeader WithEpoch(long epoch)
    {
        Debug.Assert(IsUndoableFree, "These bits have another meaning in any other header.");
        return new BlockHeader((_word & ~((ulong)EpochMask << EpochShift)) | (((ulong)epoch & EpochMask) << EpochShift));
    }

    /// <summary>
    /// In an undoable header: whether no checkpoint has made the deletion final. While the superblock has an epoch, blocks are freed in it,
    /// in the next one, or after a power cut in the one after that. What was freed in the previous epoch is final in the segments.
    /// </summary>
    internal bool IsPendingIn(long epoch) => ((EpochMark - (uint)(ulong)epoch) & EpochMask) <= AfterCut;

    /// <summary>
    /// In an undoable header that is pending: whether it was stored before the power cut from which pages are being recovered.
    /// </summary>
    internal bool IsFromBeforeCut(long epoch) => ((EpochMark - (uint)(ulong)epoch) & EpochMask) < AfterCut;
}
