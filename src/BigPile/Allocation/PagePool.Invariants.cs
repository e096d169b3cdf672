using System.Collections.Generic;
using BigPile.Memory.Checking;

namespace BigPile.Allocation;

internal sealed unsafe partial class PagePool
{
    /// <summary>Checks that the segments, the free pages, the runs and all counters agree.</summary>
    /// <remarks>
    /// This process owns the pile, no other thread uses it, and each segment that is held was scanned.
    /// <see cref="Allocator.CheckInvariants"/> checks the pages of heaps too.
    /// </remarks>
    /// <exception cref="System.InvalidOperationException">They disagree.</exception>
    internal void CheckInvariants()
    {
        lock (_lock)
        {
            _segments.CheckInvariants();
            List<Segment> all = _segments.All();
            foreach (Segment segment in all)
                segment.CheckInvariants();
            _free.CheckInvariants();
            _withheld.CheckInvariants();
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
