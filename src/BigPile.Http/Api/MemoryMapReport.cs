using System;
using System.Collections.Generic;
using System.Linq;

namespace BigPile.Http.Api;

/// <summary>The use of a pile's memory, in total and by segment.</summary>
/// <param name="Store">Where its segments are: managed, native or mapped.</param>
/// <param name="SegmentBytes">The usual size of a segment.</param>
/// <param name="MemoryBytes">The use of the memory.</param>
/// <param name="Equations">The equations that hold between these figures.</param>
/// <param name="Explained">Descriptions of the figures.</param>
/// <param name="Segments">The segments, ordered by number; if there are very many, neighbours share a row.</param>
internal sealed record MemoryMapReport(
    string Store, long SegmentBytes, MemoryReport MemoryBytes, IReadOnlyList<string> Equations,
    IReadOnlyDictionary<string, string> Explained, IReadOnlyList<SegmentReport> Segments)
{
    /// <summary>The maximum number of cells in all rows.</summary>
    internal const int MaxCells = 1024;

    /// <summary>The maximum number of rows.</summary>
    internal const int MaxRows = 256;

    internal static MemoryMapReport Of(Pile pile)
    {
        PileStatistics statistics = pile.Statistics;
        return new MemoryMapReport(
            pile.Store.ToString().ToLowerInvariant(), statistics.SegmentBytes, MemoryReport.Of(statistics), MemoryReport.Equations,
            MemoryReport.Explained, Rows(PileSegments.Survey(pile, MaxCells)));
    }

    internal static SegmentReport[] Rows(IReadOnlyList<PileSegmentUse> segments)
    {
        int perRow = Math.Max(1, (segments.Count + MaxRows - 1) / MaxRows);
        return [.. segments.Chunk(perRow).Select(SegmentReport.Of)];
    }
}

/// <summary>A segment, or neighbouring ones: reserved = head + taken + free + unexamined + unused.</summary>
/// <param name="First">The number of the first.</param>
/// <param name="Count">The number of segments.</param>
/// <param name="Reserved">Bytes of the segments.</param>
/// <param name="Head">Bytes of the segments' metadata.</param>
/// <param name="Taken">Bytes of live blocks with their headers and slack.</param>
/// <param name="Free">Bytes of free slots in pages in use.</param>
/// <param name="Unexamined">Bytes of pages that are not recovered yet.</param>
/// <param name="Unused">Bytes of pages not in use.</param>
/// <param name="Cells">The fill of equal parts in address order, 0 to 100 %; -1: not in use; -2: mostly not recovered yet.</param>
internal sealed record SegmentReport(
    int First, int Count, long Reserved, long Head, long Taken, long Free, long Unexamined, long Unused, IReadOnlyList<int> Cells)
{
    private const int NotInUse = -1;
    private const int NotRecovered = -2;

    internal static SegmentReport Of(PileSegmentUse[] segments)
    {
        PilePageUse all = segments.SelectMany(static segment => segment.Parts).Aggregate(static (left, right) => left + right);
        int perCell = Math.Max(1, segments.Length * MemoryMapReport.MaxRows / MemoryMapReport.MaxCells);
        IEnumerable<PilePageUse> cells = segments.Length == 1
            ? segments[0].Parts
            : segments.SelectMany(
                static segment => segment.Parts).Chunk(perCell).Select(static part => part.Aggregate(static (left, right) => left + right));
        return new SegmentReport(
            segments[0].Number, segments.Length, all.TotalBytes, all.HeadBytes, all.TakenBytes, all.FreeBytes, all.UnrecoveredBytes,
            all.UnusedBytes, [.. cells.Select(LevelOf)]);
    }

    private static int LevelOf(PilePageUse use)
    {
        if (use.UnusedBytes == use.TotalBytes)
            return NotInUse;
        if (use.UnrecoveredBytes * 2 > use.TotalBytes)
            return NotRecovered;
        return (int)Math.Round(100.0 * (use.HeadBytes + use.TakenBytes) / use.TotalBytes);
    }
}
