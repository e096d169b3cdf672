using System;
using System.Diagnostics;

namespace BigPile.Allocation;

/// <summary>Has the pages of a new segment touched in the background, before they are needed.</summary>
/// <remarks>Thread safety: the pool's lock.</remarks>
internal sealed class TouchAhead
{
    internal const int LeastPages = 32;
    private const int MostPages = 256;

    /// <summary>Touches pages of a segment in the background, from the first to before the end; null where that is of no use.</summary>
    internal Action<Segment, int, int>? Touch { get; set; }

    /// <summary>Marks the first pages of a new segment as touched: the first allocations touch them themselves.</summary>
    internal static void Begin(Segment segment) => segment.TouchedEnd = segment.HeadPages + LeastPages;

    /// <summary>Touches pages ahead of a page that was taken.</summary>
    /// <remarks>
    /// The distance grows with the pages in use, so that a small pile takes no memory that it never needs, up to what is written in some
    /// milliseconds.
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
    }
}
