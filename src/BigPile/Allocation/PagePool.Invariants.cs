using System.Collections.Generic;
using BigPile.Checking;

namespace BigPile.Allocation;

internal sealed unsafe partial class PagePool
{
    /// <summary>Looks whether the segments, the free pages, the runs and all counters fit together.</summary>
    /// <remarks>
    /// Of a pile that this process owns, while nobody else uses it, and none of its segments is between being held and being scanned. Where
    /// heaps have pages, <see cref="Allocator.CheckInvariants"/> looks at those too.
    /// </remarks>
    /// <exception cref="System.InvalidOperationException">They don't.</exception>
    internal void CheckInvariants()
    {
        lock (_lock)
        {
            _segments.CheckInvariants();
            List<Segment> all = _segments.All();
            foreach (Segment segment in all)
                segment.CheckInvariants();
            _free.CheckInvariants();
            _suspects.CheckInvariants(all);
            _slots.CheckInvariants(all);
            _runs.CheckInvariants(all);
            _trim.CheckInvariants(all);
            long unrecovered = 0;
            foreach (Segment segment in all)
                unrecovered += segment.CountUnrecovered();
            Invariant.Equal("PagePool", 0, "unexamined pages", UnrecoveredPages, unrecovered);
        }
    }
}
