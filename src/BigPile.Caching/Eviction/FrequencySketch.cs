using System;
using System.Diagnostics;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics.X86;
using BigPile.Checking;

namespace BigPile.Caching.Eviction;

/// <summary>Estimates how often hashes came of late: a count-min sketch of 4-bit counters, in 3 bytes an entry and 2 KiB.</summary>
/// <remarks>
/// <code>
/// line of 64 bytes    128 counters, in four quarters of 32; a hash has its line, and one counter in each quarter
/// estimate            the smallest of the four: never less than the additions since the last halving but one, up to 15
/// halving             after 10 additions an entry all counters lose half of what they have; a large sketch by parts of 4 KiB, one with
///                     each addition that follows, so that no put waits for all of it
/// </code>
/// Invariants: there are lines as long as there is memory; the additions are fewer than ten an entry, but for those that come while all
/// is being halved; what is left to be halved is the end of the lines. Where there is no memory for it, all estimates are 0.
/// After Cormode and Muthukrishnan (2005), and the aging of TinyLFU (Einziger and others, 2017).
/// Thread safety: none; its owner has a lock.
/// </remarks>
internal sealed unsafe class FrequencySketch : IDisposable
{
    internal const int MaxEstimate = 15;

    private const int BytesPerEntry = 3;
    private const int LeastBytes = 2048; // beside those: with a few lines only, those of a few hundred entries get full of others' counts
    private const int LineBytes = 64;
    private const int WordsPerLine = LineBytes / sizeof(ulong);
    private const int Quarters = 4;
    private const int CountersPerWord = 16;
    private const int AdditionsPerEntry = 10;
    private const uint LinesHalvedAtOnce = 64;
    private const ulong HalvedMask = 0x7777_7777_7777_7777;

    private void* _memory;
    private ulong* _lines;
    private uint _lineCount;
    private uint _leftToHalve;
    private long _additions;

    /// <summary>The entries that it is made for.</summary>
    internal long Capacity { get; private set; }

    internal long SizeBytes => _lineCount * (long)LineBytes;

    /// <summary>The bytes that a sketch for a number of entries has.</summary>
    internal static long SizeBytesFor(long entries) => LineCountFor(entries) * (long)LineBytes;

    /// <summary>Forgets everything, and takes memory for a number of entries; if there is none, it remembers nothing.</summary>
    internal void Resize(long entries)
    {
        Debug.Assert(entries >= 1, "A sketch is of some entries.");
        Dispose();
        Capacity = entries;
        uint lineCount = LineCountFor(entries);
        try
        {
            _memory = NativeMemory.AllocZeroed(((nuint)lineCount + 1) * LineBytes);
        }
        catch (OutOfMemoryException)
        {
            return; // what is not counted costs hits, and nothing else
        }
        _lines = (ulong*)(((nuint)_memory + LineBytes - 1) & ~(nuint)(LineBytes - 1));
        _lineCount = lineCount;
    }

    /// <summary>Brings the line of a hash towards the processor. May run without the owner's lock: it looks at nothing there.</summary>
    internal void Prefetch(uint hash)
    {
        ulong* lines = _lines; // another thread may take other memory just now: a line that is wrong is a line read in vain
        if (Sse.IsSupported && lines != null)
            Sse.Prefetch0(LineOf(lines, hash, out _));
    }

    /// <summary>About how often a hash was added; at most <see cref="MaxEstimate"/>.</summary>
    internal int Estimate(uint hash)
    {
        if (_lines == null)
            return 0;
        ulong* line = LineOf(_lines, hash, out uint places);
        int least = MaxEstimate;
        for (int quarter = 0; quarter < Quarters; quarter++)
            least = Math.Min(least, (int)(*WordOf(line, quarter, places, out int shift) >> shift) & MaxEstimate);
        return least;
    }

    /// <summary>Counts a hash once more.</summary>
    internal void Add(uint hash)
    {
        if (_lines == null)
            return;
        ulong* line = LineOf(_lines, hash, out uint places);
        bool isCounted = false;
        for (int quarter = 0; quarter < Quarters; quarter++)
        {
            ulong* word = WordOf(line, quarter, places, out int shift);
            if (((*word >> shift) & MaxEstimate) == MaxEstimate)
                continue;
            *word += 1UL << shift;
            isCounted = true;
        }
        if (isCounted && ++_additions >= AdditionsPerEntry * Capacity && _leftToHalve == 0)
            _leftToHalve = _lineCount;
        if (_leftToHalve != 0)
            HalveSome();
    }

    /// <summary>Looks whether lines and what is left to be halved are where they should be.</summary>
    internal void CheckInvariants(string place)
    {
        Invariant.Require((_lines == null) == (_lineCount == 0), $"{place}: the sketch has {_lineCount} lines, and memory or none.");
        Invariant.Require((nuint)_lines % LineBytes == 0, $"{place}: the sketch's lines are not lines of the processor's cache.");
        Invariant.Require(_leftToHalve <= _lineCount, $"{place}: {_leftToHalve} lines of {_lineCount} are to be halved.");
        long most = AdditionsPerEntry * Capacity + _lineCount / LinesHalvedAtOnce;
        Invariant.Require(_additions >= 0 && _additions <= most, $"{place}: the sketch has {_additions} additions, and at most {most}.");
    }

    public void Dispose()
    {
        NativeMemory.Free(_memory);
        _memory = null;
        _lines = null;
        _lineCount = 0;
        _leftToHalve = 0;
        _additions = 0;
    }

    private static uint LineCountFor(long entries) =>
        (uint)Math.Clamp((entries * BytesPerEntry + LeastBytes) / LineBytes, 1, uint.MaxValue);

    private static ulong* WordOf(ulong* line, int quarter, uint places, out int shift)
    {
        uint place = places >> (quarter * 8);
        shift = (int)(place % CountersPerWord) * 4;
        return line + quarter * (WordsPerLine / Quarters) + (place / CountersPerWord & 1);
    }

    // The line comes from the upper half of the product, and the places from a second one: hashes of one line have other places.
    private ulong* LineOf(ulong* lines, uint hash, out uint places)
    {
        Debug.Assert(lines != null, "There is memory to count in.");
        ulong mixed = (hash ^ 0x7F4A7C15UL) * 0xD6E8FEB86659FD93UL;
        places = (uint)((mixed ^ (mixed >> 29)) * 0xC2B2AE3D27D4EB4FUL >> 32);
        return lines + (ulong)(uint)(mixed >> 32) * _lineCount / (1UL << 32) * WordsPerLine;
    }

    private void HalveSome()
    {
        uint count = Math.Min(_leftToHalve, LinesHalvedAtOnce);
        var words = new Span<ulong>(_lines + (_lineCount - _leftToHalve) * (ulong)WordsPerLine, (int)count * WordsPerLine);
        foreach (ref ulong word in words)
            word = (word >> 1) & HalvedMask;
        _leftToHalve -= count;
        if (_leftToHalve == 0)
            _additions /= 2;
    }
}
