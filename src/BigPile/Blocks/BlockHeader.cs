using System.Runtime.CompilerServices;

namespace BigPile.Blocks;

/// <summary>The word in front of every payload.</summary>
/// <remarks>
/// <code>
/// bit 63..40  generation: how often the slot was freed before; the pointer must hold the same
/// bit 39..37  kind
/// bit 36      busy: the payload is being replaced
/// of a link:
///   bit 35..0   the target's address in units of 8 bytes
/// of any other live block:
///   bit 35..31  zero, kept for flags
///   bit 30..0   payload length in bytes
/// of a free slot:
///   bit 36..0   zero
/// </code>
/// One store with release semantics publishes a block whose payload was written before; so a slot is whole and live, or free.
/// Whoever deletes takes the word by a compare-and-swap from live to free; whoever replaces makes it busy by another one, and a busy
/// block is nobody else's to change. The all-zero word is a free slot that was never used.
/// </remarks>
internal readonly struct BlockHeader
{
    /// <summary>The bytes of the word.</summary>
    internal const int SizeBytes = 8;

    private const int KindShift = 37;
    private const int GenerationShift = 40;
    private const ulong FieldMask = (1UL << 36) - 1;
    private const ulong KindMask = 7;
    private const ulong BusyBit = 1UL << 36;
    private const ulong LengthMask = (1UL << 31) - 1;

    private readonly ulong _word;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal BlockHeader(ulong word) => _word = word;

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal BlockHeader(BlockKind kind, uint generation, ulong field) =>
        _word = ((ulong)generation << GenerationShift) | ((ulong)kind << KindShift) | field;

    internal ulong Word => _word;

    internal BlockKind Kind => (BlockKind)((_word >> KindShift) & KindMask);

    internal uint Generation => (uint)(_word >> GenerationShift);

    /// <summary>Whether the payload is being replaced: not to be read, and not to be changed by anybody else.</summary>
    internal bool IsBusy => (_word & BusyBit) != 0;

    /// <summary>Whether the slot holds nothing.</summary>
    internal bool IsFree => Kind == BlockKind.Free;

    /// <summary>Whether a pointer of an application may lead here: live, and not the far end of a link.</summary>
    internal bool IsAddressable => Kind is not (BlockKind.Free or BlockKind.LinkTarget);

    /// <summary>The bytes of the payload; of a link or a free slot, none.</summary>
    internal long PayloadBytes => Kind is BlockKind.Link or BlockKind.Free ? 0 : (long)(_word & LengthMask);

    /// <summary>Of a link: where the payload is.</summary>
    internal ulong TargetAddress => _word & FieldMask;

    /// <summary>The header of a slot that was freed: the next generation, so that no old pointer fits any more.</summary>
    internal BlockHeader Freed => new(BlockKind.Free, Generation + 1, 0);

    internal BlockHeader Busy => new(_word | BusyBit);

    internal BlockHeader NotBusy => new(_word & ~BusyBit);

    internal static BlockHeader Free(uint generation) => new(BlockKind.Free, generation, 0);
}
