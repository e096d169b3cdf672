using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace BigPile.Caching.Index;

/// <summary>
/// A write intent: the change that a thread is about to make in an index that outlives the process. After a kill the next process
/// completes or undoes it.
/// </summary>
/// <remarks>
/// <code>
/// word 0   bit 63: valid; bits 15..0 the table's id; 31..16 the counter cell of the thread; 33..32 entries added, plus one;
///          bit 34: the new entry's object was made for it, and goes with it; bit 35: the block is a tag mark, which is not counted;
///          bits 62..36: a check of all other bits of the intent, which detects damage
/// word 1   address of the block that the index will point to; 0: none
/// word 2   address of the block that the index points to now; 0: none
/// word 3   version of the block in word 2
/// words 4..6  the cell's values before the change: entries, bytes of blocks, bytes of payloads
/// word 7   bits 31..0 bytes of blocks added, 63..32 bytes of payloads added, both signed
/// </code>
/// The owning thread stores word 0 last, and sets it to 0 when the change is complete.
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

    /// <summary>Whether a change is under way.</summary>
    internal readonly bool IsValid => (Word & ValidBit) != 0;

    internal readonly int TableId => (ushort)Word;

    /// <summary>The counter cell of the thread.</summary>
    internal readonly int Cell => (ushort)(Word >> CellShift);

    internal readonly int EntriesAdded => (int)(Word >> EntriesShift & 3) - 1;

    /// <summary>
    /// Whether the new entry's object was made for it: undone, the change frees it, too. A renewed entry, or a put pointer, has another's.
    /// </summary>
    internal readonly bool OwnsNew => (Word & OwnsBit) != 0;

    /// <summary>Whether the change is one of the list of tag marks.</summary>
    internal readonly bool IsOfTagMark => (Word & MarkBit) != 0;

    /// <summary>Word 0 of a valid intent, without its check.</summary>
    internal static ulong WordOf(int tableId, int cell, int entriesAdded, bool ownsNew) =>
        ValidBit | (uint)tableId | (ulong)(ushort)cell << CellShift | (ulong)(entriesAdded + 1) << EntriesShift | (ownsNew ? OwnsBit : 0);

    /// <summary>Word 0 of a valid intent of a tag mark, without its check.</summary>
    internal static ulong WordOfMark(int tableId) => WordOf(tableId, cell: 0, entriesAdded: 0, ownsNew: false) | MarkBit;

    /// <summary>Whether the check of a valid intent is right.</summary>
    internal readonly bool HasValidCheck => Checked(Word & ~(CheckMask << CheckShift)) == Word;

    /// <summary>Word 0 with the check of all other bits.</summary>
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
