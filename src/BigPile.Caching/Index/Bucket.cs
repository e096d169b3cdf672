using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using System.Threading;

namespace BigPile.Caching.Index;

/// <summary>A cache line of the index: a control word and seven slots. A full bucket continues in overflow lines.</summary>
/// <remarks>
/// <code>
/// bytes 0..1   frequencies: two bits a slot, counted by readers with plain stores; a lost count is harmless
/// byte  2      state of the first line: bit 0 zero, bit 1 a split is moving entries, bits 7..2 level; of a free overflow line 252
/// byte  3      bits 6..0: the slot's entry is in the eviction policy's main queue; bit 7: some entry may expire
/// bytes 4..7   number of the next overflow line; 0: none
/// bytes 8..63  seven slots
/// </code>
/// All but the frequencies is written under the bucket's lock (<see cref="BucketLocks"/>). The level is the number of low hash bits that
/// all entries of the bucket share with the bucket's number. A thread that computed the number from an older size of the table detects
/// that by the level. An entry goes to another bucket only while the moving bit is set, and the level is higher afterwards. So a reader's
/// miss is valid if the state was the same before and after its search. In a bucket that has overflow lines an entry may also move to an
/// earlier line, which <see cref="BucketLocks"/> count: there a miss is valid if that count was the same as well.
/// </remarks>
[StructLayout(LayoutKind.Explicit, Size = SizeBytes)]
internal unsafe struct Bucket
{
    internal const int SizeBytes = 64;
    internal const int SlotCount = 7;
    internal const byte MovingBit = 2;
    internal const byte ExpiryBit = 0x80;

    private const int LevelShift = 2;
    private const int FreeLevel = 63; // more than any level: a hash has fewer known bits
    private const int MaxFrequency = 3;

    // Two bits a slot: uses, up to three. Any thread writes it, without a lock.
    [FieldOffset(0)]
    private ushort _frequencies;

    // Level and moving bit. Written under the bucket's lock; readers validate by it.
    [FieldOffset(2)]
    private byte _state;

    // A bit a slot (its entry is in the main queue), and the expiry bit. Written under the bucket's lock.
    [FieldOffset(3)]
    private byte _marks;

    // The next overflow line; in a free overflow line the next free one. Written under the bucket's lock, or that of the overflow lines.
    [FieldOffset(4)]
    private uint _next;

    // The first of seven IndexSlot words. Written under the bucket's lock.
#pragma warning disable IDE0044 // written through its address
    [FieldOffset(8)]
    private ulong _firstSlot;
#pragma warning restore IDE0044

    internal byte State => Volatile.Read(ref _state);

    /// <summary>The number of the next overflow line; 0: none.</summary>
    internal uint Next
    {
        get => Volatile.Read(ref _next);
        set => Volatile.Write(ref _next, value);
    }

    /// <summary>The level. The caller holds the lock.</summary>
    internal int Level => _state >> LevelShift;

    /// <summary>Whether some entry of this line may expire.</summary>
    internal bool MayExpire => (Volatile.Read(ref _marks) & ExpiryBit) != 0;

    internal static bool IsMoving(byte state) => (state & MovingBit) != 0;

    internal static int LevelOf(byte state) => state >> LevelShift;

    /// <summary>The state of a bucket of a level, with the moving bit clear.</summary>
    internal static byte StateOf(int level) => (byte)(level << LevelShift);

    /// <summary>Makes an unreachable line the first one of an empty bucket.</summary>
    internal void Initialize(int level)
    {
        fixed (Bucket* line = &this)
            new Span<byte>(line, SizeBytes).Clear(); // a killed process may have left slots of an unfinished split
        Volatile.Write(ref _state, StateOf(level));
    }

    /// <summary>Sets a bucket's level, and clears the moving bit. The lock is held, or nobody uses the index yet.</summary>
    internal void SetLevelLocked(int level) => Volatile.Write(ref _state, StateOf(level));

    /// <summary>Whether it is a free overflow line.</summary>
    internal bool IsFree => _state == StateOf(FreeLevel);

    /// <summary>Marks it as a free overflow line.</summary>
    internal void SetFree() => SetLevelLocked(FreeLevel);

    /// <summary>Raises the level and sets the moving bit: a split will clear the slots that it has copied. The lock is held.</summary>
    internal void BeginMoveLocked()
    {
        Debug.Assert(!IsMoving(_state), "No split of the bucket is under way.");
        Volatile.Write(ref _state, (byte)((((_state >> LevelShift) + 1) << LevelShift) | MovingBit));
        // The raised level is visible before the first slot is cleared. Pairs with the reader's barrier before it loads the state again.
        Volatile.WriteBarrier();
    }

    /// <summary>Sets the moving bit again, after a kill behind <see cref="BeginMoveLocked"/>.</summary>
    internal void GoOnMovingLocked() => Volatile.Write(ref _state, (byte)(_state | MovingBit));

    /// <summary>Ends what <see cref="BeginMoveLocked"/> began.</summary>
    internal void EndMoveLocked()
    {
        Debug.Assert(IsMoving(_state), "A split of the bucket is under way.");
        Volatile.Write(ref _state, (byte)(_state & ~MovingBit));
    }

    /// <summary>A bit mask of the slots that have a tag. The tag 0 also matches empty slots.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static uint Match(Bucket* line, ulong tag) => Match(line, tag, IndexSlot.TagMask);

    /// <summary>A bit mask of the slots whose tag equals a tag in the bits of a mask.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static uint Match(Bucket* line, ulong tag, ulong tagMask)
    {
        Debug.Assert((tag & ~tagMask) == 0, "The tag has no bits outside the mask.");
        Vector256<ulong> mask = Vector256.Create(tagMask);
        Vector256<ulong> wanted = Vector256.Create(tag);
        Vector256<ulong> low = Vector256.Load((ulong*)line) & mask;
        Vector256<ulong> high = Vector256.Load((ulong*)line + 4) & mask;
        uint matches = Vector256.Equals(low, wanted).ExtractMostSignificantBits()
            | (Vector256.Equals(high, wanted).ExtractMostSignificantBits() << 4);
        return matches >> 1; // the first lane is the control word
    }

    internal static BucketSlots SlotsOf(Bucket* line) => new(null, line);

    /// <summary>The address of a slot.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static ulong* SlotAt(Bucket* line, int slot) => &line->_firstSlot + slot;

    /// <summary>The number of the slot at an address.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static int NumberOf(Bucket* line, ulong* slotAt) => (int)(slotAt - &line->_firstSlot);

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

    /// <summary>Whether all slots of a line are empty. The lock is held.</summary>
    internal static bool IsEmptyLocked(Bucket* line)
    {
        ulong any = 0;
        for (int slot = 0; slot < SlotCount; slot++)
            any |= (&line->_firstSlot)[slot];
        return any == 0;
    }

    internal int Frequency(int slot) => (_frequencies >> (slot * 2)) & MaxFrequency;

    /// <summary>Counts a use, up to three.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void CountUse(int slot)
    {
        ushort frequencies = _frequencies;
        if (((frequencies >> (slot * 2)) & MaxFrequency) != MaxFrequency)
            _frequencies = (ushort)(frequencies + (1 << (slot * 2)));
    }

    internal void SetFrequency(int slot, int frequency)
    {
        Debug.Assert(frequency is >= 0 and <= MaxFrequency, "A frequency has two bits; more would change the next slot's.");
        _frequencies = (ushort)((_frequencies & ~(MaxFrequency << (slot * 2))) | (frequency << (slot * 2)));
    }

    internal bool IsInMain(int slot) => (_marks >> slot & 1) != 0;

    internal void SetInMain(int slot, bool isInMain) =>
        _marks = (byte)((_marks & ~(1 << slot)) | (isInMain ? 1 << slot : 0));

    internal void MarkExpiry() => Volatile.Write(ref _marks, (byte)(_marks | ExpiryBit));

    internal void ClearExpiry() => Volatile.Write(ref _marks, (byte)(_marks & ~ExpiryBit));
}
