using System;
using System.Runtime.InteropServices;
using System.Threading;

namespace BigPile.Caching.Index;

/// <summary>The header of a table's index: in memory, or at the start of the table's head file.</summary>
/// <remarks>
/// <code>
/// bytes    0..7     "BIGPINDX"
/// bytes    8..11    format
/// bytes   12..15    the table's id
/// bytes   16..31    id of the pile
/// bytes   32..39    the version up to which entries of the id belong to a dropped table
/// bytes   40..43    number of counter cells that threads own
/// bytes   44..47    CRC-32C of bytes 0..43
/// bytes   48..51    bit 0 entries may expire, bit 1 entries have priorities, bit 2 the index has to be inspected, bit 3 keys
///                   were removed since the inspection began, bit 4 the index was damaged, so the counters may be wrong
/// bytes   52..55    state: 0 being made or filled by a walk, 1 complete
/// bytes   56..59    number of tag marks in their list
/// bytes   60..63    complement of bytes 48..51; stored before them when a bit is set, after them when one is cleared
/// bytes   64..71    number of buckets
/// bytes   72..79    complement of the number of buckets, stored after it
/// bytes   80..95    number of the use at whose end the index was closed; all ones before the first; zero if made by an older version
/// bytes  128..131   end of the overflow lines: all that were ever allocated, and line 0
/// bytes  156..159   complement of that end, stored after it
/// bytes  132..135   first free overflow line; the next-line field of each has the next free one; 0: none
/// bytes  136..139   number of overflow lines in use by buckets and the list of marks
/// bytes  140..143   the overflow line in transit between the free list and a bucket; 0: none
/// bytes  144..151   the line before it in its bucket: a bucket's number, or with bit 63 an overflow line's
/// bytes  152..155   lines in use if that one links to the line in transit; one less if it does not
/// bytes  192..255   first line of the list of marks: slots that point to the blocks of the table's tag marks
/// bytes  256..383   for each counter, what is added to the sum of its cells
/// bytes 4096..      counter cells, 128 bytes each: 8 that threads share, then those that threads own
/// </code>
/// Little-endian. Fields that readers load are not in a cache line that writers store to often.
/// </remarks>
[StructLayout(LayoutKind.Explicit, Size = SizeBytes)]
internal unsafe struct IndexHead
{
    internal const int SizeBytes = 384;
    internal const int IdentityBytes = 44;
    internal const ulong RightMagic = 0x58444E4950474942;
    internal const int CurrentFormat = 2;
    internal const int Filling = 0;
    internal const int Whole = 1;
    internal const int ExpirablesFlag = 1;
    internal const int PrioritiesFlag = 2;
    internal const int UninspectedFlag = 4;
    internal const int RemovedFlag = 8;
    internal const int DamagedFlag = 16;
    internal const ulong OverflowBit = 1UL << 63;

    /// <summary>The <see cref="ClosedUse"/> of an index that was never closed.</summary>
    internal static readonly Guid NoUse = new("ffffffff-ffff-ffff-ffff-ffffffffffff");

    /// <summary>The name of the list of marks, where a bucket has its number.</summary>
    internal const ulong MarksName = OverflowBit - 1;

    [FieldOffset(0)]
    internal ulong Magic;

    [FieldOffset(8)]
    internal int Format;

    [FieldOffset(12)]
    internal int TableId;

    [FieldOffset(16)]
    internal Guid PileId;

    // Entries of the id up to this version belong to a dropped table. Never changes.
    [FieldOffset(32)]
    internal ulong FormerUpTo;

    // Counter cells that threads own. Never changes.
    [FieldOffset(40)]
    internal int OwnCells;

    // CRC-32C of the identity, which never changes.
    [FieldOffset(44)]
    internal uint Checksum;

    // The flags. Any thread changes them, by SetFlag.
    [FieldOffset(48)]
    internal int Flags;

    // Filling or Whole. Set to Whole when a new table is made, or at the end of the walk that fills the index.
    [FieldOffset(52)]
    internal int State;

    // Tag marks in their list. Written under the marks' lock.
    [FieldOffset(56)]
    internal int MarkCount;

    // The complement of Flags.
    [FieldOffset(60)]
    internal int TurnedFlags;

    // Buckets; only grows. Written by the thread that splits.
    [FieldOffset(64)]
    internal ulong BucketCount;

    // The complement of BucketCount.
    [FieldOffset(72)]
    internal ulong TurnedBucketCount;

    // The use at whose end the index was closed. Written at the close.
    [FieldOffset(80)]
    internal Guid ClosedUse;

    // Overflow lines ever allocated, and line 0. All fields up to TurnedOverflowEnd are written under the lock of the overflow lines.
    [FieldOffset(128)]
    internal uint OverflowEnd;

    // The first line of the free list; 0: none.
    [FieldOffset(132)]
    internal uint FirstFree;

    // Overflow lines in use.
    [FieldOffset(136)]
    internal uint OverflowUsed;

    // The line in transit between the free list and a bucket; 0: none.
    [FieldOffset(140)]
    internal uint OnItsWay;

    // The name of the line before it in its bucket: a number, with OverflowBit that of an overflow line.
    [FieldOffset(144)]
    internal ulong BeforeOnItsWay;

    // OverflowUsed if that line links to the line in transit; one less if it does not.
    [FieldOffset(152)]
    internal uint UsedIfLedTo;

    // The complement of OverflowEnd.
    [FieldOffset(156)]
    internal uint TurnedOverflowEnd;

    // The first line of the list of marks. Written under the marks' lock.
    [FieldOffset(192)]
    internal Bucket Marks;

    // For each counter, what is added to the sum of its cells. Written while no thread counts.
    [FieldOffset(256)]
    internal fixed long Base[16];

    /// <summary>
    /// Whether the numbers of buckets and overflow lines match their complements; a kill between the two stores may leave them one apart.
    /// </summary>
    internal readonly bool HasRightSizes =>
        IsRight(BucketCount, ~TurnedBucketCount) && IsRight(OverflowEnd, ~TurnedOverflowEnd) && OverflowEnd != 0
        && BucketCount >= TableIndex.MinBuckets && BucketCount <= 1UL << IndexSlot.KnownHashBits;

    /// <summary>Records the use at whose end the index was closed.</summary>
    internal void Close(Guid use) => ClosedUse = use;

    /// <summary>Sets the number of tag marks.</summary>
    internal void CountMarks(int marks) => MarkCount = marks;

    internal void SetOverflowUsed(uint lines) => OverflowUsed = lines;

    /// <summary>Whether a flag is set. If flag and complement do not match, it counts as set.</summary>
    internal bool HasFlag(int flag) => ((Volatile.Read(ref Flags) | ~Volatile.Read(ref TurnedFlags)) & flag) != 0;

    internal void SetFlag(int flag, bool isSet)
    {
        if (isSet)
        {
            Interlocked.And(ref TurnedFlags, ~flag);
            Interlocked.Or(ref Flags, flag);
        }
        else
        {
            Interlocked.And(ref Flags, ~flag);
            Interlocked.Or(ref TurnedFlags, flag);
        }
    }

    /// <summary>Initializes the header of an index without buckets and entries.</summary>
    internal void Begin()
    {
        State = Filling;
        Flags = 0;
        TurnedFlags = ~0;
        BucketCount = 0;
        TurnedBucketCount = ulong.MaxValue;
        SetOverflowEnd(1);
        FirstFree = OverflowUsed = OnItsWay = 0;
        Marks = default;
        MarkCount = 0;
    }

    internal void SetBucketCount(ulong count)
    {
        Volatile.Write(ref BucketCount, count);
        Volatile.Write(ref TurnedBucketCount, ~count);
    }

    internal void SetOverflowEnd(uint end)
    {
        Volatile.Write(ref OverflowEnd, end);
        Volatile.Write(ref TurnedOverflowEnd, ~end);
    }

    /// <summary>Writes the identity, which never changes.</summary>
    internal void SetIdentity(Guid pileId, int tableId, ulong formerUpTo, int ownCells)
    {
        Format = CurrentFormat;
        TableId = tableId;
        PileId = pileId;
        FormerUpTo = formerUpTo;
        OwnCells = ownCells;
        ClosedUse = NoUse;
        Magic = RightMagic;
        Checksum = IdentityChecksum;
    }

    /// <summary>Whether it is the head of a table's index, in a format that this version can read.</summary>
    internal readonly bool HasIdentity(Guid pileId, int tableId, ulong formerUpTo) =>
        Magic == RightMagic && Format == CurrentFormat && TableId == tableId && PileId == pileId && FormerUpTo == formerUpTo
        && Checksum == IdentityChecksum;

    private readonly uint IdentityChecksum
    {
        get
        {
            fixed (ulong* start = &Magic)
                return Layout.Checksum.Of(new ReadOnlySpan<byte>(start, IdentityBytes));
        }
    }

    private static bool IsRight(ulong stored, ulong second) => stored == second || stored == second + 1;

    private static bool IsRight(uint stored, uint second) => stored == second || stored == second + 1;
}
