using System;
using System.Collections.Generic;
using BigPile.Lifecycle;

namespace BigPile;

/// <summary>The segments of a pile.</summary>
public static class PileSegments
{
    /// <summary>What the pages of each segment are used for, as a map of the memory shows it.</summary>
    /// <remarks>
    /// Reads only the allocator's metadata, about 140 bytes per page, and takes no lock: under concurrent changes the parts are of
    /// different instants, but their sum is still the segment's length.
    /// </remarks>
    /// <param name="pile">The pile.</param>
    /// <param name="maxParts">The most parts of all segments together; a segment has at least one.</param>
    /// <returns>The segments in no order.</returns>
    /// <exception cref="ArgumentOutOfRangeException">There is not one part.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public static IReadOnlyList<PileSegmentUse> Survey(Pile pile, int maxParts)
    {
        ArgumentNullException.ThrowIfNull(pile);
        ArgumentOutOfRangeException.ThrowIfLessThan(maxParts, 1);
        return SegmentSurvey.Of(pile.Blocks, maxParts);
    }
}
