using System;
using System.Diagnostics;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;
using BigPile.Concurrency;
using BigPile.Layout;
using BigPile.Memory.Checking;

namespace BigPile.Allocation;

/// <summary>Finds the memory behind an address: one shift, one mask, two loads.</summary>
/// <remarks>
/// An entry is filled before any address of its segment is given out, and cleared before the memory is unmapped, which waits for quiescence
/// of <see cref="PileRegions"/>: a reader that has loaded an entry may use it. Any address may be looked up: a cleared entry
/// has no units, and that of a short segment fewer than others.
/// </remarks>
internal sealed unsafe class SegmentMap : IDisposable
{
    internal const int PageShift = 13; // 64 KiB in units of 8 bytes

    private readonly int _segmentShift;
    private readonly ulong _unitMask;
    private Entry* _entries;

    internal SegmentMap(long segmentBytes)
    {
        SegmentBytes = segmentBytes;
        _segmentShift = BitOperations.Log2((ulong)segmentBytes) - 3;
        _unitMask = (1UL << _segmentShift) - 1;
        Capacity = 1 << (PilePointer.AddressBits - _segmentShift);
        _entries = (Entry*)NativeMemory.AllocZeroed((nuint)Capacity, (nuint)sizeof(Entry));
    }

    /// <summary>The bytes of address space per segment number; a power of two.</summary>
    internal long SegmentBytes { get; }

    /// <summary>How many segment numbers there are.</summary>
    internal int Capacity { get; }

    internal ulong AddressOf(int segmentNumber) => (ulong)segmentNumber << _segmentShift;

    /// <summary>The memory at an address, and its page's info; null where no segment is.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal byte* Find(ulong address, out PageInfo* info)
    {
        Entry* entry = _entries + (address >> _segmentShift);
        ulong unit = address & _unitMask;
        if (unit >= Volatile.Read(ref entry->Units))
        {
            info = null;
            return null;
        }
        info = entry->Infos + (unit >> PageShift);
        return entry->Start + unit * SizeClasses.GranuleBytes;
    }

    /// <summary>The metadata of the page that an address lies in. The address must be of a live block.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal PageMeta* MetaOf(ulong address) =>
        _entries[address >> _segmentShift].Metas + ((address & _unitMask) >> PageShift);

    /// <summary>Loads a page's info with acquire semantics: later loads can't move before it.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static PageInfo Load(PageInfo* info) => new(Volatile.Read(ref *(ulong*)info));

    internal void Set(int number, byte* start, PageInfo* infos, PageMeta* metas, long lengthBytes)
    {
        Debug.Assert((uint)number < (uint)Capacity && lengthBytes > 0 && lengthBytes <= SegmentBytes, "No such segment.");
        Debug.Assert((nuint)start % SizeClasses.GranuleBytes == 0, "Blocks lie at words.");
        Entry* entry = _entries + number;
        Debug.Assert(entry->Units == 0, "Another segment is there.");
        entry->Start = start;
        entry->Infos = infos;
        entry->Metas = metas;
        Volatile.Write(ref entry->Units, (ulong)(lengthBytes / SizeClasses.GranuleBytes));
    }

    internal void Clear(int number) => Volatile.Write(ref _entries[number].Units, 0);

    /// <summary>Checks that a number leads to its segment; to nothing if the length is 0.</summary>
    /// <exception cref="System.InvalidOperationException">It does not.</exception>
    internal void CheckInvariants(int number, byte* start, PageInfo* infos, PageMeta* metas, long lengthBytes)
    {
        const string Structure = "SegmentMap";
        Entry entry = _entries[number];
        Invariant.Equal(Structure, number, "units", (long)entry.Units, lengthBytes / SizeClasses.GranuleBytes);
        if (lengthBytes == 0)
            return;
        Invariant.True(Structure, number, "memory that of its segment", entry.Start == start);
        Invariant.True(Structure, number, "what readers know that of its segment", entry.Infos == infos);
        Invariant.True(Structure, number, "records that of its segment", entry.Metas == metas);
        Invariant.True(Structure, number, "first address found at its beginning", Find(AddressOf(number), out _) == start);
        Invariant.True(Structure, number, "address behind the last not found", entry.Units > _unitMask
            || Find(AddressOf(number) + entry.Units, out _) == null);
    }

    public void Dispose()
    {
        NativeMemory.Free(_entries);
        _entries = null;
    }

    [StructLayout(LayoutKind.Sequential, Size = 32)]
    private struct Entry
    {
        internal byte* Start;
        internal PageInfo* Infos;
        internal PageMeta* Metas;

        /// <summary>The units of 8 bytes that are mapped; 0 in a cleared entry. Stored last, and cleared first.</summary>
        internal ulong Units;
    }
}
