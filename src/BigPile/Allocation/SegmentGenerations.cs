using System;
using System.Collections.Generic;

namespace BigPile.Allocation;

/// <summary>
/// The generation at which a new segment starts: above that of every pointer into earlier segments with its numbers.
/// </summary>
/// <remarks>
/// Each number has its own generation, so that a slot that was freed millions of times does not exhaust all segments to come. A number with
/// a high generation is used when no other is left. A segment with a high generation is never given back: its pages stay in use.
/// Thread safety: the pool's lock.
/// </remarks>
internal sealed class SegmentGenerations(uint floor, IReadOnlyDictionary<int, uint>? known)
{
    /// <summary>A segment with a higher generation is kept.</summary>
    internal const uint MostToGiveBack = PilePointer.MaxGeneration / 4 * 3;

    private const uint MostToPrefer = PilePointer.MaxGeneration / 2;

    private readonly Dictionary<int, uint> _generations = known == null ? [] : new(known);

    /// <summary>The generation at which a segment with some consecutive numbers starts.</summary>
    internal uint StartOf(int number, int spans)
    {
        uint start = floor;
        for (int i = 0; i < spans; i++)
            start = Math.Max(start, _generations.GetValueOrDefault(number + i));
        return start;
    }

    /// <summary>Whether the number's generation is low enough to use it before others.</summary>
    internal bool IsPreferred(int number) => _generations.GetValueOrDefault(number) <= MostToPrefer;

    /// <summary>Records that a segment was given back.</summary>
    internal void Record(int number, int spans, uint generation)
    {
        for (int i = 0; i < spans; i++)
            _generations[number + i] = generation;
    }
}
