using System;
using System.Runtime.InteropServices;
using System.Threading;

namespace BigPile.Caching.Index;

/// <summary>What a table's index states of itself, where its lines are: in memory, or at the start of the table's file.</summary>
/// <remarks>
/// <code>
/// bytes    0..7     "BIGPINDX"
/// bytes    8..11    format
/// bytes   12..15    the table's id
/// bytes   16..31    id of the pile
/// bytes   32..39    the version up to which entries of the id are of a table that was dropped
/// bytes   40..43    cells of counters that threads have of their own
/// bytes   44..47    CRC-32C of bytes 0..43
/// bytes   48..51    bit 0 entries may expire, bit 1 have priorities; bit 2 the index is to be compared with the pile, bit 3 keys were
///                   removed since that began, bit 4 it was damaged, so that the counters may be wrong
/// bytes   52..55    state: 0 is being made or filled by a walk, 1 has all entries
/// bytes   56..59    number of marks in their list
/// bytes   60..63    the bits of bytes 48..51 turned, stored before those when one is set, and behind when one goes
/// bytes   64..71    number of buckets
/// bytes   72..79    the same with all bits turned, stored behind it
/// bytes   80..95    the number of the use at whose end it was closed; before the first end a number that no use has; zero by versions
///                   that do not state it
/// bytes  128..131   overflow lines that were ever given out, and line 0
/// bytes  156..159   the same with all bits turned, stored behind it
/// bytes  132..135   first free overflow line; each has the number of the next one in the place of the next line; 0: none
/// bytes  136..139   overflow lines that buckets and the list of marks use
/// bytes  140..143   an overflow line that is on its way between the free ones and a bucket; 0: none
/// bytes  144..151   the line before it in its bucket: its number; with bit 63 that of an overflow line
/// bytes  152..155   lines that are used if that one leads to the one on its way; one less if it does not
/// bytes  192..255   first line of the list of marks: slots that lead to the blocks of the table's marks of removed tags
/// bytes  256..383   what is added to the sum of the cells, for each counter
/// bytes 4096..      cells of counters, 128 bytes each: 8 that threads share, then those that threads have of their own
/// </code>
/// Little-endian. What readers look at has a cache line without what writers change.
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
    internal const int UncomparedFlag = 4;
    internal const int RemovedFlag = 8;
    internal const int DamagedFlag = 16;
    internal const ulong OverflowBit = 1UL << 63;

    /// <summary>The number of the use by which an index was closed that never was.</summary>
    internal static readonly Guid NoUse = new("ffffffff-ffff-ffff-ffff-ffffffffffff");

    /// <summary>What stands for the list of marks where a bucket has its number.</summary>
    internal const ulong MarksName = OverflowBit - 1;

    [FieldOffset(0)]
    internal ulong Magic;

    [FieldOffset(8)]
    internal int Format;

    [FieldOffset(12)]
    internal int TableId;

    [FieldOffset(16)]
    internal Guid PileId;

    [FieldOffset(32)]
    internal ulong FormerUpTo;

    [FieldOffset(40)]
    internal int OwnCells;

    [FieldOffset(44)]
    internal uint Checksum;

    [FieldOffset(48)]
    internal int Flags;

    [FieldOffset(52)]
    internal int State;

    [FieldOffset(56)]
    internal int MarkCount;

    [FieldOffset(60)]
    internal int TurnedFlags;

    [FieldOffset(64)]
    internal ulong BucketCount;

    [FieldOffset(72)]
    internal ulong TurnedBucketCount;

    [FieldOffset(80)]
    internal Guid ClosedUse;

    [FieldOffset(128)]
    internal uint OverflowEnd;

    [FieldOffset(132)]
    internal uint FirstFree;

    [FieldOffset(136)]
    internal uint OverflowUsed;

    [FieldOffset(140)]
    internal uint OnItsWay;

    [FieldOffset(144)]
    internal ulong BeforeOnItsWay;

    [FieldOffset(152)]
    internal uint UsedIfLedTo;

    [FieldOffset(156)]
    internal uint TurnedOverflowEnd;

    [FieldOffset(192)]
    internal Bucket Marks;

    [FieldOffset(256)]
    internal fixed long Base[16];

    /// <summary>
    /// Whether the numbers of buckets and of overflow lines are as they were stored, a kill between the two stores of one allowed.
    /// </summary>
    internal readonly bool HasRightSizes =>
        IsRight(BucketCount, ~TurnedBucketCount) && IsRight(OverflowEnd, ~TurnedOverflowEnd) && OverflowEnd != 0
        && BucketCount >= TableIndex.MinBuckets && BucketCount <= 1UL << IndexSlot.KnownHashBits;

    /// <summary>Whether a flag is set; all are if they are not as they were stored.</summary>
    internal bool HasFlag(int flag) => ((Volatile.Read(ref Flags) | ~Volatile.Read(ref TurnedFlags)) & flag) != 0;

    /// <summary>Sets a flag, or takes it back.</summary>
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

    /// <summary>States an index without entries, whose buckets are to be made.</summary>
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

    /// <summary>States all that never changes.</summary>
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

    /// <summary>Whether it is the head of a table's index that this version can read.</summary>
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
