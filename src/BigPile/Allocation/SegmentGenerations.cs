using System;
using System.Collections.Generic;

namespace BigPile.Allocation;

/// <summary>
/// At which generation a new segment starts: above all that pointers into earlier segments of its numbers were given with.
/// </summary>
/// <remarks>
/// Each number has its own, so that a slot which was freed some million times does not wear out the slots of all segments to come. A
/// number that is worn is used when no other one is left, and a segment that is worn is not given back at all: its pages serve for ever.
/// Calls are made under the pool's lock.
/// </remarks>
internal sealed class SegmentGenerations(uint floor, IReadOnlyDictionary<int, uint>? known)
{
    /// <summary>A segment with a slot that was freed more often is kept.</summary>
    internal const uint MostToGiveBack = PilePointer.MaxGeneration / 4 * 3;

    private const uint MostToPrefer = PilePointer.MaxGeneration / 2;

    private readonly Dictionary<int, uint> _generations = known == null ? [] : new(known);

    /// <summary>The generation at which a segment that takes some numbers in a row starts.</summary>
    internal uint StartOf(int number, int spans)
    {
        uint start = floor;
        for (int i = 0; i < spans; i++)
            start = Math.Max(start, _generations.GetValueOrDefault(number + i));
        return start;
    }

    /// <summary>Whether a number is to be used as long as there are others.</summary>
    internal bool IsPreferred(int number) => _generations.GetValueOrDefault(number) <= MostToPrefer;

    /// <summary>Takes note that a segment was given back.</summary>
    internal void Record(int number, int spans, uint generation)
    {
        for (int i = 0; i < spans; i++)
            _generations[number + i] = generation;
    }
}
