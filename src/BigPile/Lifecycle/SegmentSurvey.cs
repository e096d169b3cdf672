using System;
using System.Collections.Generic;
using BigPile.Access;
using BigPile.Allocation;
using BigPile.Concurrency;

namespace BigPile.Lifecycle;

/// <summary>Looks where in the segments things are.</summary>
internal static class SegmentSurvey
{
    /// <summary>
    /// What the pages of each segment are used for. Reads the allocator's records alone, about 140 bytes a page, and takes no lock while
    /// it walks: when others change the pile meanwhile, the parts are of different instants, and their sum is still the segment's length.
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
            CriticalRegion critical = blocks.Barrier.EnterReader();
            try
            {
                if (blocks.Allocator.Pool.IsInUse(segment)) // else given back to the system meanwhile
                    found.Add(SegmentUse.Of(segment, cellsPerSegment));
            }
            finally
            {
                blocks.Exit(critical);
            }
        }
        return found;
    }
}
