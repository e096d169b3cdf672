using System.Collections.Generic;
using BigPile.Allocation;
using BigPile.Concurrency;

namespace BigPile;

/// <summary>Looking where in the segments things are.</summary>
public sealed unsafe partial class Pile
{
    /// <summary>The size of a segment that nothing larger had to fit into.</summary>
    internal long SegmentBytes => _map.SegmentBytes;

    /// <summary>
    /// What the pages of each segment are used for. Reads the allocator's records alone, about 140 bytes a page, and takes no lock while
    /// it walks: when others change the pile meanwhile, the parts are of different instants, and their sum is still the segment's length.
    /// </summary>
    /// <param name="cells">The most cells of all segments together; a segment has at least one.</param>
    /// <exception cref="System.ObjectDisposedException">The pile is closed.</exception>
    internal IReadOnlyList<SegmentUse> SurveySegments(int cells)
    {
        Segment[] segments = _allocator.Pool.Segments();
        var found = new List<SegmentUse>(segments.Length);
        int cellsPerSegment = System.Math.Max(1, cells / System.Math.Max(1, segments.Length));
        foreach (Segment segment in segments)
        {
            ThreadPresence presence = Enter();
            try
            {
                if (_allocator.Pool.IsInUse(segment)) // else given back to the system meanwhile
                    found.Add(SegmentUse.Of(segment, cellsPerSegment));
            }
            finally
            {
                Exit(presence);
            }
        }
        return found;
    }
}
