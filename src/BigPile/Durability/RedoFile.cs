using System;
using System.Diagnostics;
using System.IO;
using System.Numerics;
using System.Runtime.InteropServices;
using System.Threading;
using BigPile.Checking;
using BigPile.Concurrency;
using BigPile.Memory;

namespace BigPile.Durability;

/// <summary>
/// What is about to be written over a payload of a mapped pile, so that a kill in the middle leaves the old one or the new one.
/// </summary>
/// <remarks>
/// Records of 64 KiB, of which a replacement has one to itself while it runs:
/// <code>
/// word 0   0: idle; else bit 63 and the block's address
/// word 1   the header that the block will have, in its plain form
/// word 2   bits 31..0 where the bytes go, from the payload's start; bits 63..32 how many there are
/// byte 64  the bytes
/// </code>
/// Order: words 1 and 2 and the bytes; word 0 (release); then the block itself; word 0 back to zero. A kill stops a thread between two
/// instructions, so a record whose word 0 is set is whole. After a power cut nothing is known of the order, and records are not looked at.
/// </remarks>
internal sealed unsafe class RedoFile : Redo
{
    /// <summary>The most bytes that one record takes.</summary>
    internal const int MaxPartBytes = RecordBytes - HeadBytes;

    private const int RecordBytes = 64 * 1024;
    private const int HeadBytes = 64;
    private const int MaxRecords = 64;
    private const ulong ValidBit = 1UL << 63;

    private readonly MappedRegion _region;
    private readonly Latch* _latches;
    private readonly int _count;

    private RedoFile(MappedRegion region)
    {
        _region = region;
        _count = (int)(region.LengthBytes / RecordBytes);
        _latches = (Latch*)NativeMemory.AlignedAlloc((nuint)(_count * sizeof(Latch)), (nuint)sizeof(Latch));
        NativeMemory.Clear(_latches, (nuint)(_count * sizeof(Latch)));
    }

    internal override long MaxPayloadBytes => MaxPartBytes;

    internal override bool OutlivesProcess => true;

    /// <summary>What a record says, once it was found after a kill.</summary>
    internal readonly record struct Found(ulong Address, ulong HeaderWord, int OffsetBytes, nint Bytes, int LengthBytes);

    /// <summary>Opens the records, or makes them.</summary>
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

    /// <summary>The record with an index, or none when it is idle or makes no sense.</summary>
    internal Found? Read(int index)
    {
        ulong* record = RecordAt(index);
        int offsetBytes = (int)(uint)record[2];
        int lengthBytes = (int)(record[2] >> 32);
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
            Debug.Assert(!_latches[i].Lock.IsTaken, "Somebody relies on the record: it is not to be cleared.");
            Volatile.Write(ref *RecordAt(i), 0);
        }
    }

    /// <inheritdoc/>
    internal override int Begin(
        int hint, ulong address, ulong headerWord, int offsetBytes, ReadOnlySpan<byte> first, ReadOnlySpan<byte> second)
    {
        int index = hint & (_count - 1);
        while (!_latches[index].Lock.TryEnter())
            index = (index + 1) & (_count - 1);
        ulong* record = RecordAt(index);
        Debug.Assert(*record == 0, "A kill would take the bytes of one replacement for those of another.");
        Debug.Assert(address is > 0 and <= PilePointer.AddressMask, "The address runs into the bit that says that the record counts.");
        Debug.Assert(offsetBytes >= 0, "A record that is found would make no sense.");
        record[1] = headerWord;
        record[2] = (uint)offsetBytes | ((ulong)(first.Length + second.Length) << 32);
        if (Mutation.RedoValidFirst)
            Volatile.Write(ref *record, address | ValidBit);
        CrashPoints.Pass(CrashPoint.RedoBeforeFilled);
        var bytes = new Span<byte>((byte*)record + HeadBytes, MaxPartBytes);
        first.CopyTo(bytes);
        second.CopyTo(bytes[first.Length..]);
        CrashPoints.Pass(CrashPoint.RedoBeforeValid);
        Volatile.Write(ref *record, address | ValidBit);
        return index;
    }

    /// <inheritdoc/>
    internal override void End(int index)
    {
        CrashPoints.Pass(CrashPoint.RedoBeforeIdle);
        Debug.Assert(
            _latches[index].Lock.IsTaken && *RecordAt(index) != 0, "The record was given back before, and may be somebody else's.");
        Volatile.Write(ref *RecordAt(index), 0);
        _latches[index].Lock.Exit();
    }

    /// <summary>Looks whether the records in use are those that somebody holds, each such that it could be found. For tests.</summary>
    /// <remarks>Nobody takes or ends one meanwhile.</remarks>
    /// <exception cref="InvalidOperationException">They are not.</exception>
    internal void CheckInvariants()
    {
        const string Structure = "RedoFile";
        Invariant.True(Structure, 0, "count of records a power of two", BitOperations.IsPow2(_count));
        Invariant.Equal(Structure, 0, "bytes of the file", _region.LengthBytes, (long)_count * RecordBytes);
        for (int index = 0; index < _count; index++)
        {
            ulong word = *RecordAt(index);
            Invariant.Equal(Structure, index, "record in use held by somebody", _latches[index].Lock.IsTaken, word != 0);
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
