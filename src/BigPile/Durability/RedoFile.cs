using System;
using System.Diagnostics;
using System.IO;
using System.Numerics;
using System.Runtime.InteropServices;
using System.Threading;
using BigPile.Checking;
using BigPile.Memory;
using BigPile.Memory.Checking;
using BigPile.Memory.Concurrency;

namespace BigPile.Durability;

/// <summary>
/// The redo log of a mapped pile: what is about to overwrite a payload, so that a kill in the middle leaves the old or the new one.
/// </summary>
/// <remarks>
/// Records of 64 KiB; each running replacement owns one:
/// <code>
/// word 0   0: idle; otherwise bit 63 and the block's address
/// word 1   the header that the block will have, without an inline checksum
/// word 2   bits 31..0: offset of the bytes in the payload; bits 63..32: their number
/// byte 64  the bytes
/// </code>
/// A kill stops a thread between two instructions, so a record whose word 0 is set is whole. After a power cut the order of stores is
/// unknown, and records are ignored. Thread safety: <see cref="Begin"/> and <see cref="End"/> may be called concurrently.
/// </remarks>
internal sealed unsafe class RedoFile : Redo
{
    /// <summary>The most payload bytes of one record.</summary>
    internal const int MaxPartBytes = RecordBytes - HeadBytes;

    private const int RecordBytes = 64 * 1024;
    private const int HeadBytes = 64;
    private const int MaxRecords = 64; // 4 MiB
    private const ulong ValidBit = 1UL << 63; // an address has 36 bits

    private readonly MappedRegion _region; // the file; a record is written by who holds its latch
    private readonly Latch* _latches; // one per record, held by the replacement that uses it; in process memory: a kill frees all
    private readonly int _count; // records in the file

    private RedoFile(MappedRegion region)
    {
        _region = region;
        _count = (int)(region.LengthBytes / RecordBytes);
        _latches = (Latch*)NativeMemory.AlignedAlloc((nuint)(_count * sizeof(Latch)), (nuint)sizeof(Latch));
        NativeMemory.Clear(_latches, (nuint)(_count * sizeof(Latch)));
    }

    internal override long MaxPayloadBytes => MaxPartBytes;

    internal override bool OutlivesProcess => true;

    /// <summary>A record that was found after a kill.</summary>
    internal readonly record struct Found(ulong Address, ulong HeaderWord, int OffsetBytes, nint Bytes, int LengthBytes);

    internal static RedoFile Open(HeldDirectory directory, string name)
    {
        long lengthBytes =
            (long)BitOperations.RoundUpToPowerOf2((uint)Math.Clamp(2 * Environment.ProcessorCount, 4, MaxRecords)) * RecordBytes;
        long foundBytes = 0;
        using (HeldFile? found = directory.TryOpen(name, FileAccess.Read))
            foundBytes = found?.LengthBytes ?? 0;
        bool isUsable = foundBytes >= RecordBytes && foundBytes % RecordBytes == 0;
        return new RedoFile(
            isUsable ? MappedRegion.Open(directory, name, foundBytes, readOnly: false) : MappedRegion.Create(directory, name, lengthBytes));
    }

    /// <summary>The record with an index; null if it is idle or invalid.</summary>
    internal Found? Read(int index)
    {
        ulong* record = RecordAt(index);
        int offsetBytes = (int)(uint)record[2];
        int lengthBytes = (int)(record[2] >> 32);
        // The file may be damaged: nothing is taken from it before its bounds are checked. The caller checks address and header.
        if ((record[0] & ValidBit) == 0 || offsetBytes < 0 || lengthBytes < 0 || lengthBytes > MaxPartBytes)
            return null;
        return new Found(record[0] & ~ValidBit, record[1], offsetBytes, (nint)((byte*)record + HeadBytes), lengthBytes);
    }

    internal int Count => _count;

    /// <summary>Makes all records idle.</summary>
    internal void Clear()
    {
        for (int i = 0; i < _count; i++)
        {
            Debug.Assert(!_latches[i].Lock.IsTaken, "The record is in use.");
            Volatile.Write(ref *RecordAt(i), 0); // what they stood for is in the blocks, or was not flushed
        }
    }

    /// <inheritdoc/>
    internal override int Begin(
        int hint, ulong address, ulong headerWord, int offsetBytes, ReadOnlySpan<byte> first, ReadOnlySpan<byte> second)
    {
        int index = hint & (_count - 1); // usually the thread's own record
        while (!_latches[index].Lock.TryEnter()) // there may be more threads than records
            index = (index + 1) & (_count - 1);
        ulong* record = RecordAt(index);
        Debug.Assert(*record == 0, "The record is still in use by another replacement.");
        Debug.Assert(address is > 0 and <= PilePointer.AddressMask, "The address overlaps the valid bit.");
        Debug.Assert(offsetBytes >= 0, "The record would be invalid.");
        record[1] = headerWord; // word 0 is zero: until it is set, a kill leaves no record
        record[2] = (uint)offsetBytes | ((ulong)(first.Length + second.Length) << 32);
        if (Mutation.RedoValidFirst)
            Volatile.Write(ref *record, address | ValidBit);
        CrashPoints.Pass(CrashPoint.RedoBeforeFilled);
        var bytes = new Span<byte>((byte*)record + HeadBytes, MaxPartBytes);
        first.CopyTo(bytes);
        second.CopyTo(bytes[first.Length..]);
        CrashPoints.Pass(CrashPoint.RedoBeforeValid);
        // Release: the record is whole. From here on recovery writes it over the block, which the caller may now change.
        Volatile.Write(ref *record, address | ValidBit);
        return index;
    }

    /// <inheritdoc/>
    internal override void End(int index)
    {
        CrashPoints.Pass(CrashPoint.RedoBeforeIdle);
        Debug.Assert(
            _latches[index].Lock.IsTaken && *RecordAt(index) != 0, "The record was freed before, and may belong to another thread.");
        // Behind the block's new header, and before the latch: the next owner finds the record idle.
        Volatile.Write(ref *RecordAt(index), 0);
        _latches[index].Lock.Exit();
    }

    /// <summary>Checks that exactly the latched records are in use, each of them valid. For tests.</summary>
    /// <remarks>No record is taken or freed meanwhile.</remarks>
    /// <exception cref="InvalidOperationException">They are not.</exception>
    internal void CheckInvariants()
    {
        const string Structure = "RedoFile";
        Invariant.True(Structure, 0, "count of records a power of two", BitOperations.IsPow2(_count));
        Invariant.Equal(Structure, 0, "bytes of the file", _region.LengthBytes, (long)_count * RecordBytes);
        for (int index = 0; index < _count; index++)
        {
            ulong word = *RecordAt(index);
            Invariant.Equal(Structure, index, "record in use latched", _latches[index].Lock.IsTaken, word != 0);
            if (word == 0)
                continue;
            Invariant.True(Structure, index, "record in use marked so", (word & ValidBit) != 0);
            Invariant.Between(Structure, index, "address", (long)(word & ~ValidBit), 1, (1L << PilePointer.AddressBits) - 1);
            Invariant.True(Structure, index, "record in use found", Read(index) != null);
        }
    }

    public override void Dispose()
    {
        _region.Dispose();
        NativeMemory.AlignedFree(_latches);
    }

    private ulong* RecordAt(int index) => (ulong*)(_region.Start + (long)index * RecordBytes);

    /// <summary>A lock with a pair of cache lines to itself.</summary>
    [StructLayout(LayoutKind.Sequential, Size = 128)]
    private struct Latch
    {
        internal TinySpinLock Lock;
    }
}
