using System;
using System.Runtime.InteropServices;
using System.Threading;
using BigPile.Layout;
using BigPile.Memory.Concurrency;

namespace BigPile.Caching.Feed;

/// <summary>The head of a feed window: whose it is, and what it has lost.</summary>
/// <remarks>
/// <code>
/// bytes  0..7    "BIGPFEED"
/// bytes  8..9    format
/// bytes 10..11   1: what the table has when it is closed is there when it is opened; 0: it has a spill file, which is not
/// bytes 12..15   id of the table
/// bytes 16..31   id of the pile
/// bytes 32..39   length of the window, with this head
/// bytes 40..47   epoch, random: cursors of another epoch lead nowhere
/// bytes 48..55   the epoch before; 0: not known
/// bytes 56..63   the version up to which nothing was lost between that one and this
/// bytes 64..67   CRC-32C of bytes 0..63
/// bytes 72..87   number of the use at whose end the window was closed; zero while it is in use
/// bytes 88..91   CRC-32C of all from the floor on, at the close
/// bytes 4088..   floor: the last version of a change that the window has lost
/// bytes 4096..   the lanes, then the heads of the chunks, then the chunks
/// </code>
/// Little-endian.
/// </remarks>
[StructLayout(LayoutKind.Explicit, Size = ReservedBytes)]
internal unsafe struct FeedHead
{
    internal const int ReservedBytes = 4096;
    internal const int FloorOffset = ReservedBytes - sizeof(ulong);

    private const ulong RightMagic = 0x4445454650474942;
    private const short CurrentFormat = 1;
    private const int IdentityBytes = 64;

    [FieldOffset(0)]
    private ulong _magic;

    [FieldOffset(8)]
    private short _format;

    [FieldOffset(10)]
    private short _isKept;

    [FieldOffset(12)]
    private int _tableId;

    [FieldOffset(16)]
    private Guid _pileId;

    // The identity, which never changes.
    [FieldOffset(32)]
    internal long LengthBytes;

    [FieldOffset(40)]
    internal ulong Epoch;

    [FieldOffset(48)]
    internal ulong FormerEpoch;

    [FieldOffset(56)]
    internal ulong FlushedUpTo;

    [FieldOffset(64)]
    private uint _identityChecksum;

    [FieldOffset(72)]
    internal Guid ClosedUse;

    [FieldOffset(88)]
    internal uint ClosedChecksum;

    // Only rises. Stored before a chunk is used anew.
    [FieldOffset(FloorOffset)]
    internal ulong Floor;

    /// <summary>Whether what the table has when it is closed is there when it is opened.</summary>
    internal readonly bool IsKept => _isKept != 0;

    /// <summary>Begins an epoch. All else is zero.</summary>
    internal void Begin(Guid pileId, int tableId, long lengthBytes, bool isKept, ulong floor, FormerFeed former)
    {
        _format = CurrentFormat;
        _isKept = (short)(isKept ? 1 : 0);
        _tableId = tableId;
        _pileId = pileId;
        LengthBytes = lengthBytes;
        Epoch = BitConverter.ToUInt64(Guid.NewGuid().ToByteArray()) | 1; // 0 stands for none
        (FormerEpoch, FlushedUpTo) = (former.Epoch, former.FlushedUpTo);
        Floor = floor;
        _magic = RightMagic;
        Volatile.Write(ref _identityChecksum, IdentityChecksum());
    }

    /// <summary>Whether it is an intact head of a table's window.</summary>
    internal readonly bool IsOf(Guid pileId, int tableId, long fileBytes) =>
        _magic == RightMagic && _format == CurrentFormat && _pileId == pileId && _tableId == tableId
        && LengthBytes == fileBytes && _identityChecksum == IdentityChecksum();

    private readonly uint IdentityChecksum()
    {
        fixed (ulong* start = &_magic)
            return Checksum.Of(new ReadOnlySpan<byte>(start, IdentityBytes));
    }
}

/// <summary>The epoch that a window's takes the place of, and what was lost with it.</summary>
/// <param name="Epoch">The epoch; 0: not known.</param>
/// <param name="FlushedUpTo">The version up to which nothing was lost.</param>
internal readonly record struct FormerFeed(ulong Epoch, ulong FlushedUpTo);

/// <summary>A lane of the feed: the records of one thread, or of those that have none of their own.</summary>
[StructLayout(LayoutKind.Explicit, Size = SizeBytes)]
internal struct FeedLane
{
    internal const int SizeBytes = 64;

    // Of the last lane only, which threads share: held from FeedWindow.Enter to Leave. The opening clears what a killed process left.
    [FieldOffset(0)]
    internal TinySpinLock Lock;

    // One more than the number of the chunk that records are appended to; 0: none yet. Under the lock; read without it.
    [FieldOffset(4)]
    internal int OpenChunk;

    // No change of the lane below this version is under way; 0: none is.
    [FieldOffset(8)]
    internal ulong InFlight;

    // The end of the chunk before the record of this change; -1: it has none yet. Under the lock.
    [FieldOffset(16)]
    internal int EndBefore;
}

/// <summary>What a chunk of the window holds.</summary>
[StructLayout(LayoutKind.Explicit, Size = SizeBytes)]
internal struct FeedChunk
{
    internal const int SizeBytes = 64;
    internal const int Free = 0;
    internal const int Open = 1;
    internal const int Closed = 2;

    [FieldOffset(0)]
    internal int State;

    [FieldOffset(4)]
    internal int Lane;

    // How often it was taken: a reader knows a chunk by its number and this.
    [FieldOffset(8)]
    internal ulong Use;

    // The version of its first record, which the others count from.
    [FieldOffset(16)]
    internal ulong Base;

    // The highest version of a record in it.
    [FieldOffset(24)]
    internal ulong Last;

    // The bytes of its records. A store with release: who loads it sees the records.
    [FieldOffset(32)]
    internal int End;
}
