using System.Linq;
using BigPile.Allocation;
using BigPile.Layout;

namespace BigPile.Reporting;

/// <summary>Reports how many pages a walk in address order has passed.</summary>
/// <remarks>
/// Counts the pages of the segments that existed when the walk began. Thread safety: the walking thread only.
/// </remarks>
internal sealed class PageGauge
{
    private const ulong UnitsPerPage = SizeClasses.PageBytes / SizeClasses.GranuleBytes;

    private readonly ProgressGauge _gauge;
    private readonly Segment[] _segments;
    private readonly SegmentMap _map;
    private int _segment;
    private long _pagesBefore;

    internal PageGauge(ProgressGauge gauge, Segment[] segments, SegmentMap map)
    {
        (_gauge, _segments, _map) = (gauge, segments, map);
        gauge.Begin(CountPages(segments));
    }

    /// <summary>The pages of some segments, without their heads.</summary>
    internal static long CountPages(Segment[] segments) => segments.Sum(static segment => (long)PagesOf(segment));

    /// <summary>Reports that everything below an address is done.</summary>
    internal void PassTo(ulong address)
    {
        while (_segment < _segments.Length && address >= StartOf(_segments[_segment]) + (ulong)_segments[_segment].PageCount * UnitsPerPage)
            _pagesBefore += PagesOf(_segments[_segment++]);
        _gauge.AdvanceTo(_pagesBefore + PagesInside(address));
    }

    private static int PagesOf(Segment segment) => segment.PageCount - segment.HeadPages;

    private long PagesInside(ulong address)
    {
        if (_segment == _segments.Length || address < StartOf(_segments[_segment]))
            return 0; // in a segment that was added during the walk
        Segment segment = _segments[_segment];
        return (long)((address - StartOf(segment)) / UnitsPerPage) - segment.HeadPages;
    }

    private ulong StartOf(Segment segment) => _map.AddressOf(segment.Number);
}
