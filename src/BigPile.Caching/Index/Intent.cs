using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace BigPile.Caching.Index;

/// <summary>
/// What a thread is about to change in an index that outlives the process, so that the next one finishes or undoes it.
/// </summary>
/// <remarks>
/// <code>
/// word 0   bit 63: the note counts; bits 15..0 the table's id; 31..16 the cell that the thread counts in; 33..32 entries that it adds,
///          plus one; bit 34: the new entry's object was made for it, and goes with it; bit 35: the block is a mark, which is not counted;
///          bits 62..36 follow from all the others of the note, so that a changed bit shows
/// word 1   address of the block that the index is to lead to; 0: none
/// word 2   address of the block that the index leads to now; 0: none
/// word 3   version of that one
/// word 4   what the cell has of entries, word 5 of bytes of blocks, word 6 of bytes of payloads
/// word 7   bits 31..0 bytes of blocks that it adds, 63..32 bytes of payloads, both with a sign
/// </code>
/// Word 0 is stored last, and is 0 while there is nothing to do.
/// </remarks>
[StructLayout(LayoutKind.Explicit, Size = SizeBytes)]
internal struct Intent
{
    internal const int SizeBytes = 64;

    private const ulong ValidBit = 1UL << 63;
    private const int CellShift = 16;
    private const int EntriesShift = 32;
    private const ulong OwnsBit = 1UL << 34;
    private const ulong MarkBit = 1UL << 35;
    private const int CheckShift = 36;
    private const int CheckBits = 27;
    private const ulong CheckMask = (1UL << CheckBits) - 1;

    [FieldOffset(0)]
    internal ulong Word;

    [FieldOffset(8)]
    internal ulong NewAddress;

    [FieldOffset(16)]
    internal ulong OldAddress;

    [FieldOffset(24)]
    internal ulong OldVersion;

    [FieldOffset(32)]
    internal long Entries;

    [FieldOffset(40)]
    internal long FootprintBytes;

    [FieldOffset(48)]
    internal long PayloadBytes;

    [FieldOffset(56)]
    internal int FootprintBytesAdded;

    [FieldOffset(60)]
    internal int PayloadBytesAdded;

    /// <summary>Whether there is something to do.</summary>
    internal readonly bool IsValid => (Word & ValidBit) != 0;

    internal readonly int TableId => (ushort)Word;

    /// <summary>The cell that the thread counts in.</summary>
    internal readonly int Cell => (ushort)(Word >> CellShift);

    internal readonly int EntriesAdded => (int)(Word >> EntriesShift & 3) - 1;

    /// <summary>Whether the object that the new entry leads to was made for it.</summary>
    internal readonly bool OwnsNew => (Word & OwnsBit) != 0;

    /// <summary>Whether the change is one of the list of marks.</summary>
    internal readonly bool IsOfTagMark => (Word & MarkBit) != 0;

    /// <summary>Word 0 of a note that counts.</summary>
    internal static ulong WordOf(int tableId, int cell, int entriesAdded, bool ownsNew) =>
        ValidBit | (uint)tableId | (ulong)(ushort)cell << CellShift | (ulong)(entriesAdded + 1) << EntriesShift | (ownsNew ? OwnsBit : 0);

    /// <summary>Word 0 of a note that counts, of a mark.</summary>
    internal static ulong WordOfMark(int tableId) => WordOf(tableId, cell: 0, entriesAdded: 0, ownsNew: false) | MarkBit;

    /// <summary>Whether a note that counts is as it was made.</summary>
    internal readonly bool HasValidCheck => Checked(Word & ~(CheckMask << CheckShift)) == Word;

    /// <summary>Word 0 with the bits that follow from the rest of the note.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal readonly ulong Checked(ulong word)
    {
        ulong all = word ^ BitOperations.RotateLeft(NewAddress, 7) ^ BitOperations.RotateLeft(OldAddress, 31)
            ^ BitOperations.RotateLeft(OldVersion, 13) ^ BitOperations.RotateLeft((ulong)Entries, 41)
            ^ BitOperations.RotateLeft((ulong)FootprintBytes, 23) ^ BitOperations.RotateLeft((ulong)PayloadBytes, 53)
            ^ BitOperations.RotateLeft((uint)FootprintBytesAdded | (ulong)(uint)PayloadBytesAdded << 32, 3);
        return word | ((all ^ (all >> CheckBits) ^ (all >> (2 * CheckBits))) & CheckMask) << CheckShift;
    }
}
