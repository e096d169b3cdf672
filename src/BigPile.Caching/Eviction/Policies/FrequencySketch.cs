using System;
using System.Diagnostics;
using System.Runtime.InteropServices;
using System.Runtime.Intrinsics.X86;
using BigPile.Memory.Checking;

namespace BigPile.Caching.Eviction.Policies;

/// <summary>Estimates recent access counts: a count-min sketch of 4-bit counters, in 3 bytes an entry plus 2 KiB.</summary>
/// <remarks>
/// <code>
/// line of 64 bytes    128 counters, in four quarters of 32; a hash maps to one line, and to one counter in each quarter
/// estimate            the smallest of the four: never less than the additions since the last halving but one, up to 15
/// halving             after 10 additions for each entry of the capacity all counters are halved; 4 KiB with each addition, so that
///                     no put waits for a large sketch
/// </code>
/// Invariants: there are lines if and only if memory is allocated; additions are below ten for each entry, except during a halving; the
/// lines left to halve are the last ones. If the memory could not be allocated, all estimates are 0.
/// After Cormode and Muthukrishnan (2005), with the aging of TinyLFU (Einziger and others, 2017).
/// Thread safety: none; its owner has a lock.
/// </remarks>
internal sealed unsafe class FrequencySketch : IDisposable
{
    internal const int MaxEstimate = 15;

    private const int BytesPerEntry = 3;
    private const int LeastBytes = 2048; // on top: with a few lines only, a few hundred entries would collide too often
    private const int LineBytes = 64;
    private const int WordsPerLine = LineBytes / sizeof(ulong);
    private const int Quarters = 4;
    private const int CountersPerWord = 16;
    private const int AdditionsPerEntry = 10;
    private const uint LinesHalvedAtOnce = 64;
    private const ulong HalvedMask = 0x7777_7777_7777_7777;

    private void* _memory; // the allocation; null: none
    private ulong* _lines; // its first cache line; read by Prefetch without the lock
    private uint _lineCount;
    private uint _leftToHalve; // lines that the current halving has yet to halve, at the end
    private long _additions; // since the last halving, and half of those before

    /// <summary>The capacity that it is sized for, in entries.</summary>
    internal long Capacity { get; private set; }

    internal long SizeBytes => _lineCount * (long)LineBytes;

    /// <summary>The bytes of a sketch for a capacity in entries, by what it has.</summary>
    internal long NeededBytes(long entries) => LineGrowth.CountFor(_lineCount, entries, LineCountFor(entries)) * (long)LineBytes;

    /// <summary>Adapts the memory to a capacity in entries. Without memory, estimates are 0.</summary>
    /// <returns>Whether it is a new sketch, with no counts.</returns>
    internal bool Reserve(long entries)
    {
        Debug.Assert(entries >= 1, "The capacity is at least one entry.");
        uint lineCount = LineGrowth.CountFor(_lineCount, entries, LineCountFor(entries));
        if (lineCount == _lineCount)
            return false;
        uint before = lineCount > _lineCount ? _lineCount : 0; // else few are left
        void* old = _memory;
        ulong* oldLines = _lines;
        try
        {
            _memory = NativeMemory.AllocZeroed(((nuint)lineCount + 1) * LineBytes);
        }
        catch (OutOfMemoryException)
        {
            return false; // harmless: with a small sketch or none the hit ratio is lower
        }
        _lines = (ulong*)(((nuint)_memory + LineBytes - 1) & ~(nuint)(LineBytes - 1));
        LineGrowth.Copy(oldLines, before, _lines, lineCount, LineBytes);
        Capacity = Math.Max(entries, before == 0 ? 0 : Capacity);
        _leftToHalve = before == 0 ? 0 : _leftToHalve * (lineCount / before);
        _additions = before == 0 ? 0 : _additions;
        _lineCount = lineCount;
        NativeMemory.Free(old);
        return before == 0;
    }

    /// <summary>Prefetches the line of a fingerprint. May run without the owner's lock: it does not access the memory.</summary>
    internal void Prefetch(uint hash)
    {
        ulong* lines = _lines; // another thread may reallocate meanwhile: a prefetch of a wrong line is harmless
        if (Sse.IsSupported && lines != null)
            Sse.Prefetch0(LineOf(lines, hash, out _));
    }

    /// <summary>Estimates how often a fingerprint was added recently; at most <see cref="MaxEstimate"/>.</summary>
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

    /// <summary>Counts a fingerprint once.</summary>
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

    // The line comes from the upper half of a product, the counters from a second one: fingerprints of one line have different counters.
    private ulong* LineOf(ulong* lines, uint hash, out uint places)
    {
        Debug.Assert(lines != null, "The sketch has memory.");
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
