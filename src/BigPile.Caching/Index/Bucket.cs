using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using System.Threading;

namespace BigPile.Caching.Index;

/// <summary>A cache line of the index: a word of control and seven slots. A full bucket may go on in further lines.</summary>
/// <remarks>
/// <code>
/// bytes 0..1   frequencies: two bits a slot, counted by readers with plain stores; a lost count is harmless
/// byte  2      state of the first line: bit 0 zero, bit 1 entries are being moved, bits 7..2 level; of a free overflow line 252
/// byte  3      bit 6..0: the slot's entry is in the main queue of an eviction policy; bit 7: some entry may expire
/// bytes 4..7   number of the next line, in the store of overflow lines; 0: none
/// bytes 8..63  seven slots
/// </code>
/// Everything but the frequencies is written under the bucket's lock. The level tells how many low bits of the hash the entries of a
/// bucket have in common with its number: who computed the number from an older size of the table sees it here. An entry changes its
/// place only while the moving bit is set, and the level is higher afterwards; so a reader that found nothing was right if the state
/// is the same before and behind. The locks are elsewhere: <see cref="BucketLocks"/>.
/// </remarks>
[StructLayout(LayoutKind.Explicit, Size = SizeBytes)]
internal unsafe struct Bucket
{
    internal const int SizeBytes = 64;
    internal const int SlotCount = 7;
    internal const byte MovingBit = 2;
    internal const byte ExpiryBit = 0x80;

    private const int LevelShift = 2;
    private const int FreeLevel = 63; // there are fewer bits of a hash than that
    private const int MaxFrequency = 3;

    [FieldOffset(0)]
    private ushort _frequencies;

    [FieldOffset(2)]
    private byte _state;

    [FieldOffset(3)]
    private byte _marks;

    [FieldOffset(4)]
    private uint _next;

#pragma warning disable IDE0044 // written through its address
    [FieldOffset(8)]
    private ulong _firstSlot;
#pragma warning restore IDE0044

    internal byte State => Volatile.Read(ref _state);

    /// <summary>The number of the next line; 0: none.</summary>
    internal uint Next
    {
        get => Volatile.Read(ref _next);
        set => Volatile.Write(ref _next, value);
    }

    /// <summary>The level, as the holder of the lock sees it.</summary>
    internal int Level => _state >> LevelShift;

    /// <summary>Whether an entry of this line may expire.</summary>
    internal bool MayExpire => (Volatile.Read(ref _marks) & ExpiryBit) != 0;

    internal static bool IsMoving(byte state) => (state & MovingBit) != 0;

    internal static int LevelOf(byte state) => state >> LevelShift;

    /// <summary>The state of a bucket of a level of which nothing is being moved.</summary>
    internal static byte StateOf(int level) => (byte)(level << LevelShift);

    /// <summary>Makes a line that nobody looks at the first one of a bucket, without entries.</summary>
    internal void Initialize(int level)
    {
        fixed (Bucket* line = &this)
            new Span<byte>(line, SizeBytes).Clear(); // a split that a killed process had begun may have left something
        Volatile.Write(ref _state, StateOf(level));
    }

    /// <summary>Sets a bucket's level, with nothing being moved. Its lock is held, or nobody uses the index yet.</summary>
    internal void SetLevelLocked(int level) => Volatile.Write(ref _state, StateOf(level));

    /// <summary>Whether it is an overflow line that was given back.</summary>
    internal bool IsFree => _state == StateOf(FreeLevel);

    /// <summary>States that it is an overflow line of nobody.</summary>
    internal void SetFree() => SetLevelLocked(FreeLevel);

    /// <summary>Announces that entries leave for the bucket that shares one bit less of the hash. The lock is held.</summary>
    internal void BeginMoveLocked()
    {
        Debug.Assert(!IsMoving(_state), "Nobody moves the bucket's entries yet.");
        Volatile.Write(ref _state, (byte)((((_state >> LevelShift) + 1) << LevelShift) | MovingBit));
        // the raised level is out before the first slot is cleared; pairs with the reader's barrier before its second look
        Volatile.WriteBarrier();
    }

    /// <summary>Announces once more what <see cref="BeginMoveLocked"/> had announced when a kill came.</summary>
    internal void GoOnMovingLocked() => Volatile.Write(ref _state, (byte)(_state | MovingBit));

    /// <summary>Ends what <see cref="BeginMoveLocked"/> began.</summary>
    internal void EndMoveLocked()
    {
        Debug.Assert(IsMoving(_state), "What ends has begun.");
        Volatile.Write(ref _state, (byte)(_state & ~MovingBit));
    }

    /// <summary>The slots whose tag is that of a hash, as bits.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static uint Match(Bucket* line, ulong tag) => Match(line, tag, IndexSlot.TagMask);

    /// <summary>The slots whose tag is that of a hash, in those of its bits that a mask has.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static uint Match(Bucket* line, ulong tag, ulong tagMask)
    {
        Debug.Assert((tag & ~tagMask) == 0, "What is looked for is within what is looked at.");
        Vector256<ulong> mask = Vector256.Create(tagMask);
        Vector256<ulong> wanted = Vector256.Create(tag);
        Vector256<ulong> low = Vector256.Load((ulong*)line) & mask;
        Vector256<ulong> high = Vector256.Load((ulong*)line + 4) & mask;
        uint matches = Vector256.Equals(low, wanted).ExtractMostSignificantBits()
            | (Vector256.Equals(high, wanted).ExtractMostSignificantBits() << 4);
        return matches >> 1; // the first lane is the control word
    }

    /// <summary>The slots of one line that are taken.</summary>
    internal static BucketSlots SlotsOf(Bucket* line) => new(null, line);

    /// <summary>Where a slot is.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ulong* SlotAt(Bucket* line, int slot) => &line->_firstSlot + slot;

    /// <summary>Counts a use of the slot that is at a place; lines begin at multiples of their size.</summary>
    internal static void CountUseOf(ulong* slotAt)
    {
        var line = (Bucket*)((nuint)slotAt & ~(nuint)(SizeBytes - 1));
        line->CountUse((int)(slotAt - &line->_firstSlot));
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static IndexSlot Load(Bucket* line, int slot) => new(Volatile.Read(ref (&line->_firstSlot)[slot]));

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static void Store(Bucket* line, int slot, IndexSlot value) => Volatile.Write(ref (&line->_firstSlot)[slot], value.Word);

    /// <summary>The first empty slot of a line, or -1. The lock is held.</summary>
    internal static int FindEmptyLocked(Bucket* line)
    {
        for (int slot = 0; slot < SlotCount; slot++)
        {
            if ((&line->_firstSlot)[slot] == 0)
                return slot;
        }
        return -1;
    }

    /// <summary>Whether no slot of a line is taken. The lock is held.</summary>
    internal static bool IsEmptyLocked(Bucket* line)
    {
        ulong any = 0;
        for (int slot = 0; slot < SlotCount; slot++)
            any |= (&line->_firstSlot)[slot];
        return any == 0;
    }

    internal int Frequency(int slot) => (_frequencies >> (slot * 2)) & MaxFrequency;

    /// <summary>Counts a use; up to three.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void CountUse(int slot)
    {
        ushort frequencies = _frequencies;
        if (((frequencies >> (slot * 2)) & MaxFrequency) != MaxFrequency)
            _frequencies = (ushort)(frequencies + (1 << (slot * 2)));
    }

    internal void SetFrequency(int slot, int frequency)
    {
        Debug.Assert(frequency is >= 0 and <= MaxFrequency, "A frequency has two bits, and more would change that of the next slot.");
        _frequencies = (ushort)((_frequencies & ~(MaxFrequency << (slot * 2))) | (frequency << (slot * 2)));
    }

    internal bool IsInMain(int slot) => (_marks >> slot & 1) != 0;

    internal void SetInMain(int slot, bool isInMain) =>
        _marks = (byte)((_marks & ~(1 << slot)) | (isInMain ? 1 << slot : 0));

    internal void MarkExpiry() => Volatile.Write(ref _marks, (byte)(_marks | ExpiryBit));

    internal void ClearExpiry() => Volatile.Write(ref _marks, (byte)(_marks & ~ExpiryBit));
}
