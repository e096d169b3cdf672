using System;
using System.Collections.Generic;
using System.Linq;
using BigPile.Allocation;
using BigPile.Lifecycle;

namespace BigPile.Http.Api;

/// <summary>Where a pile's memory goes, and where in the segments.</summary>
/// <param name="Store">Where its segments are: managed, native or mapped.</param>
/// <param name="SegmentBytes">The usual size of a segment.</param>
/// <param name="MemoryBytes">Where the memory goes.</param>
/// <param name="Equations">What holds between these figures.</param>
/// <param name="Explained">What they are.</param>
/// <param name="Segments">The segments in the order of their numbers; neighbours share a row when there are very many.</param>
internal sealed record MemoryMapReport(
    string Store, long SegmentBytes, MemoryReport MemoryBytes, IReadOnlyList<string> Equations,
    IReadOnlyDictionary<string, string> Explained, IReadOnlyList<SegmentReport> Segments)
{
    /// <summary>The most cells of all rows together.</summary>
    internal const int MaxCells = 1024;

    /// <summary>The most rows.</summary>
    internal const int MaxRows = 256;

    internal static MemoryMapReport Of(Pile pile) => new(
        pile.Store.ToString().ToLowerInvariant(), pile.Blocks.Map.SegmentBytes, MemoryReport.Of(pile.Statistics), MemoryReport.Equations,
        MemoryReport.Explained, Rows(SegmentSurvey.Of(pile.Blocks, MaxCells)));

    internal static SegmentReport[] Rows(IReadOnlyList<SegmentUse> segments)
    {
        int perRow = Math.Max(1, (segments.Count + MaxRows - 1) / MaxRows);
        return [.. segments.Chunk(perRow).Select(SegmentReport.Of)];
    }
}

/// <summary>A segment, or neighbouring ones: reserved = head + taken + free + unexamined + unused.</summary>
/// <param name="First">The number of the first.</param>
/// <param name="Count">How many they are.</param>
/// <param name="Reserved">Their bytes.</param>
/// <param name="Head">Bytes of the segments' own description.</param>
/// <param name="Taken">Bytes of live blocks with their headers and slack.</param>
/// <param name="Free">Bytes of free slots in pages in use.</param>
/// <param name="Unexamined">Bytes of pages that nobody has examined yet.</param>
/// <param name="Unused">Bytes of pages not in use.</param>
/// <param name="Cells">
/// The same in order of addresses, in parts of equal length: how full each one is, from 0 to 100 %; -1: none of it is in use; -2: most of
/// it is not examined yet.
/// </param>
internal sealed record SegmentReport(
    int First, int Count, long Reserved, long Head, long Taken, long Free, long Unexamined, long Unused, IReadOnlyList<int> Cells)
{
    private const int NotInUse = -1;
    private const int NotRecovered = -2;

    internal static SegmentReport Of(SegmentUse[] segments)
    {
        PageUse all = segments.SelectMany(static segment => segment.Cells).Aggregate(static (left, right) => left + right);
        int perCell = Math.Max(1, segments.Length * MemoryMapReport.MaxRows / MemoryMapReport.MaxCells);
        IEnumerable<PageUse> cells = segments.Length == 1
            ? segments[0].Cells
            : segments.SelectMany(
                static segment => segment.Cells).Chunk(perCell).Select(static part => part.Aggregate(static (left, right) => left + right));
        return new SegmentReport(
            segments[0].Number, segments.Length, all.TotalBytes, all.HeadBytes, all.TakenBytes, all.FreeBytes, all.UnrecoveredBytes,
            all.UnusedBytes, [.. cells.Select(LevelOf)]);
    }

    private static int LevelOf(PageUse use)
    {
        if (use.UnusedBytes == use.TotalBytes)
            return NotInUse;
        if (use.UnrecoveredBytes * 2 > use.TotalBytes)
            return NotRecovered;
        return (int)Math.Round(100.0 * (use.HeadBytes + use.TakenBytes) / use.TotalBytes);
    }
}
