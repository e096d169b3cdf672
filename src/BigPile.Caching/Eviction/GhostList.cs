using System;
using System.Diagnostics;
using System.Numerics;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics;
using System.Runtime.Intrinsics.X86;
using BigPile.Checking;

namespace BigPile.Caching.Eviction;

/// <summary>Remembers the hashes of entries that were evicted lately, in 4 bytes each.</summary>
/// <remarks>
/// <code>
/// bit 31..12  fingerprint
/// bit 11      evicted from the main queue
/// bit 10..0   age mark: the count of evictions from that queue, coarsely, modulo 2,048; the word 0 is an empty place
/// </code>
/// A hash has its place in one cache line of 16, where the oldest makes room. A window of evictions is 256 marks or fewer, so that a word
/// that nothing overwrote for three windows is not taken for a fresh one. Thread safety: none; its owner has a lock.
/// </remarks>
internal sealed unsafe class GhostList : IDisposable
{
    private const int PlacesPerLine = 16;
    private const int PlaceBits = 4;
    private const int LineBytes = PlacesPerLine * sizeof(uint);
    private const int MarksPerWindow = 256;
    private const int LeastWindows = 3; // that an age mark can tell, at the least favourable capacity
    private const uint MarkMask = (1 << 11) - 1;
    private const uint KindBit = 1 << 11;
    private const int FingerprintShift = 12;
    private const double Window = 0.85; // of the capacity, in evictions from a queue
    private const double PlacesPerEntry = 2.0;
    private const double MostGrowth = 2; // of the capacity, before there is need for more memory
    private const int MostShrinkage = 4;
    private const long LeastEntries = 1024;

    private readonly long[] _evicted = new long[2];
    private double _windowsPerMark;
    private int _markShift;
    private long _madeFor;
    private void* _memory;
    private uint* _lines;
    private uint _lineCount;
    private long _enoughFor;

    /// <summary>The capacity that the list is made for.</summary>
    internal long Capacity { get; private set; }

    internal long SizeBytes => _lineCount * (long)LineBytes;

    /// <summary>The bytes that a list has which is first added to with so many entries.</summary>
    internal static long SizeBytesFor(long capacity, long liveEntries) =>
        LineCountFor(RememberedOf(capacity, liveEntries)) * (long)LineBytes;

    /// <summary>Forgets everything, and makes ready for a capacity. Memory is taken when there is something to remember.</summary>
    internal void Resize(long capacity)
    {
        Dispose();
        Capacity = capacity;
        _madeFor = capacity;
        long evictions = WindowOf(capacity);
        int shift = BitOperations.Log2(BitOperations.RoundUpToPowerOf2((ulong)Math.Max(1, evictions / MarksPerWindow)));
        _markShift = shift;
        _windowsPerMark = (double)(1L << shift) / evictions;
    }

    /// <summary>Makes ready for another capacity, and keeps what is remembered unless it is a very different one.</summary>
    internal void Adapt(long capacity)
    {
        if (capacity > MostGrowth * _madeFor || capacity < _madeFor / MostShrinkage)
        {
            Resize(capacity);
            return;
        }
        Capacity = capacity;
        _windowsPerMark = (double)(1L << _markShift) / WindowOf(capacity);
    }

    /// <summary>Brings the place of a hash towards the processor. May run without the owner's lock: it looks at nothing there.</summary>
    internal void Prefetch(uint hash)
    {
        uint* lines = _lines; // another thread may take other memory just now: a line that is wrong is a line read in vain
        if (Sse.IsSupported && lines != null)
            Sse.Prefetch0(LineOf(lines, hash, out _));
    }

    /// <summary>Remembers an eviction; nothing where there is no memory for it.</summary>
    /// <param name="hash">The hash.</param>
    /// <param name="kind">From which queue.</param>
    /// <param name="liveEntries">How many entries there are: a limit may have room for far more than there ever are.</param>
    internal void Add(uint hash, GhostKind kind, long liveEntries)
    {
        _evicted[(int)kind]++;
        if ((_lines == null || liveEntries > _enoughFor) && !TryTakeMemory(liveEntries))
            return;
        uint* line = LineOf(_lines, hash, out uint fingerprint);
        uint word = (fingerprint << FingerprintShift) | (kind == GhostKind.Main ? KindBit : 0) | MarkNow(kind);
        *PlaceFor(line, fingerprint) = word == 0 ? KindBit : word;
    }

    /// <summary>Forgets an eviction, and tells from which queue it was.</summary>
    internal GhostKind Take(uint hash)
    {
        if (_lines == null)
            return GhostKind.None;
        uint* line = LineOf(_lines, hash, out uint fingerprint);
        uint same = PlacesOf(line, fingerprint);
        if (same == 0)
            return GhostKind.None;
        uint* place = line + BitOperations.TrailingZeroCount(same);
        GhostKind kind = AgeOf(*place) <= 1 ? KindOf(*place) : GhostKind.None;
        *place = 0;
        return kind;
    }

    /// <summary>Looks whether what is remembered has its places, and its ages can be told.</summary>
    internal void CheckInvariants(string place)
    {
        Invariant.Require((_lines == null) == (_lineCount == 0), $"{place}: the ghosts have {_lineCount} lines, and memory or none.");
        Invariant.Require((nuint)_lines % LineBytes == 0, $"{place}: the ghosts' lines are not lines of the processor's cache.");
        Invariant.Require(_lineCount == 0 || Capacity > 0, $"{place}: there are ghosts, and no capacity.");
        double windows = _windowsPerMark * (MarkMask + 1);
        Invariant.Require(windows >= LeastWindows || Capacity == 0, $"{place}: an age mark comes round after {windows} windows.");
        Invariant.Require(_evicted[0] >= 0 && _evicted[1] >= 0, $"{place}: fewer than no entries were evicted.");
    }

    public void Dispose()
    {
        NativeMemory.Free(_memory);
        _memory = null;
        _lines = null;
        _lineCount = 0;
    }

    // Where there are many more entries than when something was first remembered, that is forgotten, for twice the room.
    private bool TryTakeMemory(long liveEntries)
    {
        Dispose();
        long remembered = RememberedOf(Capacity, liveEntries);
        uint lineCount = LineCountFor(remembered);
        try
        {
            _memory = NativeMemory.AllocZeroed((nuint)lineCount * LineBytes + LineBytes); // pages that nobody writes cost nothing
        }
        catch (OutOfMemoryException)
        {
            return false; // what is forgotten costs hits, and nothing else
        }
        _lines = (uint*)(((nuint)_memory + LineBytes - 1) & ~(nuint)(LineBytes - 1));
        _lineCount = lineCount;
        _enoughFor = remembered == Capacity ? long.MaxValue : remembered;
        return true;
    }

    private static long RememberedOf(long capacity, long liveEntries) => Math.Min(capacity, Math.Max(LeastEntries, 2 * liveEntries));

    private static uint LineCountFor(long entries) =>
        (uint)Math.Clamp((long)(entries * PlacesPerEntry / PlacesPerLine) + 1, 1, uint.MaxValue);

    private static long WindowOf(long capacity) => Math.Max(1, (long)(capacity * Window));

    private static GhostKind KindOf(uint word) => (word & KindBit) != 0 ? GhostKind.Main : GhostKind.Small;

    // The line comes from the upper half of the product, the fingerprint from other bits than those.
    private uint* LineOf(uint* lines, uint hash, out uint fingerprint)
    {
        Debug.Assert(lines != null, "There is memory to remember in.");
        ulong mixed = hash * 0x9E3779B97F4A7C15UL;
        fingerprint = (uint)(mixed >> 8) >> FingerprintShift;
        return lines + (ulong)(uint)(mixed >> 32) * _lineCount / (1UL << 32) * PlacesPerLine;
    }

    private uint* PlaceFor(uint* line, uint fingerprint)
    {
        uint free = PlacesOf(line, fingerprint) | EmptyPlaces(line);
        return line + (free != 0 ? BitOperations.TrailingZeroCount(free) : OldestPlace(line));
    }

    // Bit by bit, which places of a line have a fingerprint.
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

    // A mark is as many evictions of either queue, so marks are compared. Beside them goes the place, counted from the end: of those that
    // are equally old the first one.
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

    /// <summary>The age in windows of its queue.</summary>
    private double AgeOf(uint word)
    {
        GhostKind kind = KindOf(word);
        uint marks = (MarkNow(kind) - word) & MarkMask;
        return marks * _windowsPerMark;
    }

    private uint MarkNow(GhostKind kind) => (uint)(_evicted[(int)kind] >> _markShift) & MarkMask;
}
