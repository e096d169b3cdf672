using System;
using System.Diagnostics;
using BigPile.Layout;

namespace BigPile.Allocation;

/// <summary>Has the pages of a new segment touched, and a further segment made ready, before somebody needs them.</summary>
/// <remarks>Calls are made under the pool's lock.</remarks>
internal sealed class TouchAhead(SegmentStore store, SegmentTable segments, long segmentBytes, long limitBytes)
{
    private const int LeastPages = 32;
    private const int MostPages = 256;

    /// <summary>Touches pages of a segment in the background, from the first up to the end; where that is of use.</summary>
    internal Action<Segment, int, int>? Touch { get; set; }

    /// <summary>States how far a new segment is touched by whoever uses it first.</summary>
    internal static void Begin(Segment segment) => segment.TouchedEnd = segment.HeadPages + LeastPages;

    /// <summary>Goes ahead of a page that was taken.</summary>
    /// <remarks>
    /// Half as far again as the segment is in use, so that a small pile takes no memory that it never needs, and not further than is
    /// written in some milliseconds.
    /// </remarks>
    internal void OnPageTaken(Segment segment, int page)
    {
        Debug.Assert(page >= segment.HeadPages && page < segment.PageCount, "The page is not one to take.");
        int lengthPages = Math.Clamp(page - segment.HeadPages, LeastPages, MostPages);
        if (Touch == null || page < segment.TouchedEnd - lengthPages / 2)
            return;
        int first = Math.Max(page + 1, segment.TouchedEnd);
        segment.TouchedEnd = Math.Min(first + lengthPages, segment.PageCount);
        if (first < segment.TouchedEnd)
            Touch(segment, first, segment.TouchedEnd);
        if (segment.TouchedEnd == segment.PageCount && segments.ReservedBytes <= limitBytes - segmentBytes)
            store.Prepare(segmentBytes, (segment.HeadPages + LeastPages) * (long)SizeClasses.PageBytes);
    }
}
