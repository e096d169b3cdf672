using System;
using System.Collections.Generic;
using BigPile.Access;
using BigPile.Allocation;

namespace BigPile.Lifecycle;

/// <summary>Surveys what the segments are used for.</summary>
internal static class SegmentSurvey
{
    /// <summary>
    /// What the pages of each segment are used for. Reads only the allocator's metadata, about 140 bytes per page, and takes no lock: under
    /// concurrent changes the parts are of different instants, but their sum is still the segment's length.
    /// </summary>
    /// <param name="blocks">The blocks.</param>
    /// <param name="cells">The most cells of all segments together; a segment has at least one.</param>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    internal static IReadOnlyList<SegmentUse> Of(BlockStore blocks, int cells)
    {
        Segment[] segments = blocks.Allocator.Pool.Segments();
        var found = new List<SegmentUse>(segments.Length);
        int cellsPerSegment = Math.Max(1, cells / Math.Max(1, segments.Length));
        foreach (Segment segment in segments)
        {
            using ReadScope scope = blocks.EnterReader();
            if (blocks.Allocator.Pool.IsInUse(segment)) // otherwise trimmed meanwhile
                found.Add(SegmentUse.Of(segment, cellsPerSegment));
        }
        return found;
    }
}
