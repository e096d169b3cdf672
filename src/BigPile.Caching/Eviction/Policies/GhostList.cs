using System;
using System.Diagnostics;
using System.Numerics;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.X86;
using BigPile.Memory.Checking;

namespace BigPile.Caching.Eviction.Policies;

/// <summary>The ghosts: fingerprints of recently evicted entries, in 4 bytes each.</summary>
/// <remarks>
/// <code>
/// bit 31..12  fingerprint of the hash
/// bit 11      evicted from the main queue
/// bit 10..0   age mark: what was evicted from that queue, in capacities, scaled, modulo 2,048; the word 0 is an empty place
/// </code>
/// A set-associative table: a hash maps to one cache line of 16 words, and replaces the oldest word there. A ghost expires after a window
/// of evictions from its queue: of as much weight as fits, and a little. Those from the main queue count as several, so that its ghosts are
/// all recent ones. A window is less than a seventh of what the marks can tell, so an expired ghost is long not taken for a fresh one.
/// Thread safety: none; its owner has a lock.
/// </remarks>
internal sealed unsafe class GhostList : IDisposable
{
    private const int PlacesPerLine = 16;
    private const int PlaceBits = 4;
    private const int LineBytes = PlacesPerLine * sizeof(uint);
    private const double MarksPerCapacity = 256;
    private const uint MarkMask = (1 << 11) - 1;
    private const uint KindBit = 1 << 11;
    private const int FingerprintShift = 12;
    private const double Window = 1.1; // in capacities evicted from the small queue
    private const double PaceOfMain = 22; // its ghosts expire that much faster: after a twentieth of the capacity
    private const uint WindowMarks = (uint)(Window * MarksPerCapacity);
    private const uint RecentMarks = (uint)(Window / PaceOfMain * MarksPerCapacity);

    private readonly double[] _evicted = new double[2]; // in capacities times the pace, by GhostKind
    private void* _memory; // the allocation; null: none
    private uint* _lines; // its first cache line; read by Prefetch without the lock
    private uint _lineCount;

    internal long SizeBytes => _lineCount * (long)LineBytes;

    /// <summary>The bytes of a list for a number of entries, by what it has.</summary>
    internal long NeededBytes(long entries) => LineGrowth.CountFor(_lineCount, entries, LineCountFor(entries)) * (long)LineBytes;

    /// <summary>Prefetches the line of a hash. May run without the owner's lock: it does not access the memory.</summary>
    internal void Prefetch(uint hash)
    {
        uint* lines = _lines; // another thread may reallocate meanwhile: a prefetch of a wrong line is harmless
        if (Sse.IsSupported && lines != null)
            Sse.Prefetch0(LineOf(lines, hash, out _));
    }

    /// <summary>Adds a ghost. Does nothing if its memory cannot be allocated.</summary>
    /// <param name="hash">The hash of the evicted entry.</param>
    /// <param name="kind">The queue that it was evicted from.</param>
    /// <param name="share">Its weight, as a share of the capacity.</param>
    /// <param name="entries">The number of entries by which memory is sized.</param>
    internal void Add(uint hash, GhostKind kind, double share, long entries)
    {
        _evicted[(int)kind] += kind == GhostKind.Main ? PaceOfMain * share : share;
        if (!TryReserve(entries))
            return;
        uint* line = LineOf(_lines, hash, out uint fingerprint);
        uint word = (fingerprint << FingerprintShift) | (kind == GhostKind.Main ? KindBit : 0) | MarkNow(kind);
        *PlaceFor(line, fingerprint) = word == 0 ? KindBit : word;
    }

    /// <summary>Removes the ghost of a hash.</summary>
    /// <param name="hash">The hash.</param>
    /// <param name="isRecent">Whether only few entries were evicted from its queue since.</param>
    /// <returns>The queue that it was evicted from; none if there is no ghost, or it has expired.</returns>
    internal GhostKind Take(uint hash, out bool isRecent)
    {
        isRecent = false;
        if (_lines == null)
            return GhostKind.None;
        uint* line = LineOf(_lines, hash, out uint fingerprint);
        uint same = PlacesOf(line, fingerprint);
        if (same == 0)
            return GhostKind.None;
        uint* place = line + BitOperations.TrailingZeroCount(same);
        GhostKind kind = KindOf(*place);
        uint age = (MarkNow(kind) - *place) & MarkMask;
        kind = age <= WindowMarks ? kind : GhostKind.None;
        isRecent = kind == GhostKind.Main || age <= RecentMarks;
        *place = 0;
        return kind;
    }

    internal void CheckInvariants(string place)
    {
        Invariant.Require((_lines == null) == (_lineCount == 0), $"{place}: the ghosts have {_lineCount} lines, and memory or none.");
        Invariant.Require((nuint)_lines % LineBytes == 0, $"{place}: the ghosts' lines are not lines of the processor's cache.");
        Invariant.Require(_evicted[0] >= 0 && _evicted[1] >= 0, $"{place}: the count of evictions is negative.");
    }

    public void Dispose()
    {
        NativeMemory.Free(_memory);
        _memory = null;
        _lines = null;
        _lineCount = 0;
    }

    private bool TryReserve(long entries)
    {
        uint lineCount = LineGrowth.CountFor(_lineCount, entries, LineCountFor(entries));
        if (lineCount == _lineCount)
            return _lines != null;
        uint before = lineCount > _lineCount ? _lineCount : 0; // else few are left
        void* old = _memory;
        uint* oldLines = _lines;
        try
        {
            _memory = NativeMemory.AllocZeroed((nuint)lineCount * LineBytes + LineBytes); // untouched pages cost no memory
        }
        catch (OutOfMemoryException)
        {
            return _lines != null; // harmless: with few ghosts or none the hit ratio is lower
        }
        _lines = (uint*)(((nuint)_memory + LineBytes - 1) & ~(nuint)(LineBytes - 1));
        LineGrowth.Copy(oldLines, before, _lines, lineCount, LineBytes);
        _lineCount = lineCount;
        NativeMemory.Free(old);
        return true;
    }

    private static uint LineCountFor(long entries) => (uint)Math.Clamp(entries / PlacesPerLine + 1, 1, uint.MaxValue);

    private static GhostKind KindOf(uint word) => (word & KindBit) != 0 ? GhostKind.Main : GhostKind.Small;

    // The line comes from the upper half of the product, the fingerprint from other bits than those.
    private uint* LineOf(uint* lines, uint hash, out uint fingerprint)
    {
        Debug.Assert(lines != null, "The list has memory.");
        ulong mixed = hash * 0x9E3779B97F4A7C15UL;
        fingerprint = (uint)(mixed >> 8) >> FingerprintShift;
        return lines + (ulong)(uint)(mixed >> 32) * _lineCount / (1UL << 32) * PlacesPerLine;
    }

    private uint* PlaceFor(uint* line, uint fingerprint)
    {
        uint free = PlacesOf(line, fingerprint) | EmptyPlaces(line);
        return line + (free != 0 ? BitOperations.TrailingZeroCount(free) : OldestPlace(line));
    }

    // The places of a line that have a fingerprint, as a bit mask.
    private static uint PlacesOf(uint* line, uint fingerprint)
    {
        Vector256<uint> wanted = Vector256.Create(fingerprint);
        Vector256<uint> low = Vector256.Load(line);
        Vector256<uint> high = Vector256.Load(line + Vector256<uint>.Count);
        Vector256<uint> isLow = Vector256.Equals(low >>> FingerprintShift, wanted) & ~Vector256.Equals(low, Vector256<uint>.Zero);
        Vector256<uint> isHigh = Vector256.Equals(high >>> FingerprintShift, wanted) & ~Vector256.Equals(high, Vector256<uint>.Zero);
        return isLow.ExtractMostSignificantBits() | isHigh.ExtractMostSignificantBits() << Vector256<uint>.Count;
    }

    private static uint EmptyPlaces(uint* line)
    {
        Vector256<uint> low = Vector256.Equals(Vector256.Load(line), Vector256<uint>.Zero);
        Vector256<uint> high = Vector256.Equals(Vector256.Load(line + Vector256<uint>.Count), Vector256<uint>.Zero);
        return low.ExtractMostSignificantBits() | high.ExtractMostSignificantBits() << Vector256<uint>.Count;
    }

    // A window has as many marks in both queues, so ages in marks are comparable. The low bits carry the place,
    // counted from the end: of equally old words the first one wins.
    private int OldestPlace(uint* line)
    {
        uint* upper = line + Vector256<uint>.Count;
        Vector256<uint> low = (MarksOf(line) << PlaceBits) | Vector256.Create(15u, 14, 13, 12, 11, 10, 9, 8);
        Vector256<uint> high = (MarksOf(upper) << PlaceBits) | Vector256.Create(7u, 6, 5, 4, 3, 2, 1, 0);
        Vector256<uint> most = Vector256.Max(low, high);
        Vector128<uint> half = Vector128.Max(most.GetLower(), most.GetUpper());
        half = Vector128.Max(half, Vector128.Shuffle(half, Vector128.Create(2u, 3, 0, 1)));
        half = Vector128.Max(half, Vector128.Shuffle(half, Vector128.Create(1u, 0, 3, 2)));
        return PlacesPerLine - 1 - (int)(half.ToScalar() % PlacesPerLine);
    }

    private Vector256<uint> MarksOf(uint* words)
    {
        Vector256<uint> line = Vector256.Load(words);
        Vector256<uint> isMain = Vector256.Equals(line & Vector256.Create(KindBit), Vector256.Create(KindBit));
        Vector256<uint> now = Vector256.ConditionalSelect(
            isMain, Vector256.Create(MarkNow(GhostKind.Main)), Vector256.Create(MarkNow(GhostKind.Small)));
        return (now - line) & Vector256.Create(MarkMask);
    }

    private uint MarkNow(GhostKind kind) => (uint)(ulong)(_evicted[(int)kind] * MarksPerCapacity) & MarkMask;
}

/// <summary>The queue that a ghost was evicted from.</summary>
internal enum GhostKind
{
    /// <summary>There is no ghost.</summary>
    None = -1,
    Small = 0,
    Main = 1,
}
