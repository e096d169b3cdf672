using System.Diagnostics;
using System.Numerics;
using System.Runtime.CompilerServices;

namespace BigPile.Layout;

/// <summary>The word in front of every payload.</summary>
/// <remarks>
/// <code>
/// bit 63..40  generation: how often the slot was freed before; the pointer must hold the same
/// bit 39..37  kind: see BlockKind
/// bit 36      busy: the payload is being replaced or leased, or the block has a shadow header; in a free slot: undoable
/// of a link:
///   bit 35..0   the target's address in units of 8 bytes
/// of any other live block:
///   bit 35..31  zero
///   bit 30..0   payload length in bytes
/// of a block with an inline checksum, in a pile with checksums: there are no four bytes behind its payload
///   bit 35      one
///   bit 34..15  the low 20 bits of the block's CRC-32C
///   bit 14..0   payload length in bytes
/// of a free slot:
///   bit 36..35  zero
///   bit 34..15  the low 20 bits of the CRC-32C of the generation
///   bit 14..0   zero
/// of a free slot whose block was flushed, and whose deletion is not durable: see <see cref="UndoableFree"/>
///   bit 36      one
/// </code>
/// A release store publishes a block whose payload was written before, so a slot is either free, or complete and live.
/// A deletion changes the word by a compare-and-swap from live to free; a replacement makes it busy by another one. Only the thread that
/// made a block busy may change it, or a flush that installs its shadow header. The all-zero word is a free slot that was never used.
/// <see cref="BlockChecksum"/> says what a checksum covers.
/// </remarks>
internal readonly partial struct BlockHeader
{
    internal const int SizeBytes = 8;

    private const int KindShift = 37;
    private const int GenerationShift = 40;
    private const ulong FieldMask = (1UL << 36) - 1;
    private const ulong KindMask = 7;
    private const int BusyShift = 36;
    private const ulong BusyBit = 1UL << BusyShift;
    private const ulong BusyAndKindMask = (KindMask << 1) | 1;
    private const uint PlainForms =
        (1 << (2 * (int)BlockKind.String)) | (1 << (2 * (int)BlockKind.Bytes))
        | (1 << (2 * (int)BlockKind.Object)) | (1 << (2 * (int)BlockKind.Utf16String));
    private const ulong LengthMask = (1UL << 31) - 1;
    private const ulong InlineChecksumBit = 1UL << 35;
    private const ulong InlineLengthMask = (1UL << CheckShift) - 1;
    private const int CheckShift = 15;
    private const ulong CheckMask = (1UL << CheckBits) - 1;
    private const int CheckBits = 20;

    private readonly ulong _word;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal BlockHeader(ulong word) => _word = word;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal BlockHeader(BlockKind kind, uint generation, ulong field)
    {
        Debug.Assert(field >> KindShift == 0, "The field runs into the kind.");
        _word = ((ulong)generation << GenerationShift) | ((ulong)kind << KindShift) | field;
    }

    internal ulong Word => _word;

    internal BlockKind Kind => (BlockKind)((_word >> KindShift) & KindMask);

    internal uint Generation => (uint)(_word >> GenerationShift);

    /// <summary>
    /// In a live block: whether the payload is being replaced, or a shadow header is valid. Other threads must not change it, and read it
    /// by its shadow header only. In a free slot: whether the deletion can be undone.
    /// </summary>
    internal bool IsBusy => (_word & BusyBit) != 0;

    internal bool IsFree => Kind == BlockKind.Free;

    /// <summary>
    /// Whether the block is an application's object, with its own payload, and not busy: neither a link nor a table's entry.
    /// </summary>
    internal bool IsPlain
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => (PlainForms >> (int)((_word >> BusyShift) & BusyAndKindMask) & 1) != 0;
    }

    /// <summary>Whether an application's pointer may name the block: live, and not a link's target.</summary>
    internal bool IsAddressable => Kind is not (BlockKind.Free or BlockKind.LinkTarget);

    /// <summary>The bytes of the payload; 0 in a link or a free slot.</summary>
    internal long PayloadBytes => Kind is BlockKind.Link or BlockKind.Free ? 0 : OwnPayloadBytes;

    /// <summary>The bytes of the payload. The block must have one: neither a link nor a free slot.</summary>
    internal long OwnPayloadBytes
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => (long)(_word & (HasInlineChecksum ? InlineLengthMask : LengthMask));
    }

    /// <summary>Whether the header holds the checksum. The block must not be a link.</summary>
    internal bool HasInlineChecksum
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => (_word & InlineChecksumBit) != 0;
    }

    /// <summary>The header as a checksum covers it: not busy, and without an inline checksum.</summary>
    internal BlockHeader Plain => new(Kind, Generation, (ulong)PayloadBytes);

    /// <summary>In a link: the address of the target.</summary>
    internal ulong TargetAddress => _word & FieldMask;

    /// <summary>The header of this block's slot once it is freed: the next generation, so that no old pointer matches.</summary>
    internal BlockHeader Freed => Free(Generation + 1);

    internal BlockHeader Busy => new(_word | BusyBit);

    internal BlockHeader NotBusy => new(_word & ~BusyBit);

    /// <summary>
    /// The header of a free slot. A checksum covers the generation: a lower one would let old pointers match again.
    /// </summary>
    internal static BlockHeader Free(uint generation) =>
        new(BlockKind.Free, generation, (BitOperations.Crc32C(0, generation) & CheckMask) << CheckShift);

    /// <summary>A header with an inline checksum: the low 20 bits of the block's.</summary>
    internal static BlockHeader WithInlineChecksum(BlockKind kind, uint generation, long payloadBytes, uint checksum)
    {
        Debug.Assert((ulong)payloadBytes <= InlineLengthMask, "The length runs into the checksum.");
        return new BlockHeader(kind, generation, InlineChecksumBit | ((checksum & CheckMask) << CheckShift) | (ulong)payloadBytes);
    }
}

/// <summary>The kinds of block, stored in three bits of the header. Free is zero, so that untouched memory is free slots.</summary>
internal enum BlockKind
{
    Free = 0,
    String = 1,
    Bytes = 2,
    Object = 3,
    Link = 4,
    LinkTarget = 5,
    TableEntry = 6,

    /// <summary>Text with lone surrogates, which UTF-8 can't represent.</summary>
    Utf16String = 7,
}
