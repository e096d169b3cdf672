using System;
using System.Globalization;
using System.Linq;
using Spectre.Console;

namespace BigPile.Perf.Reports;

/// <summary>The copy report as a table for people.</summary>
internal static class CopyTable
{
    private const int Width = 140; // it is wider than a usual terminal

    internal static void Write(IAnsiConsole console, CopyReport report)
    {
        console.Profile.Width = Math.Max(console.Profile.Width, Width);
        Table table = new Table().Border(TableBorder.Rounded).AddColumn(new TableColumn("Way").NoWrap());
        foreach (string column in new[] { "8 KB in cache", "8 KB in memory", "Image", "Image in memory", "Make", "First write", "Free" })
            table.AddColumn(new TableColumn(column).RightAligned().NoWrap());
        table.Title = new TableTitle($"copy: GB a second, median and range of {report.Repetitions}; microseconds to make an image");
        table.Caption = new TableTitle(Markup.Escape(
            Invariant($"8 KB in cache: the pointer's way has {report.PointerOfLimit:N2} of C's memcpy, ")
            + Invariant($"and is {report.PointerTimesAccessor:N0} times as fast as the accessor.\n")
            + "BigPile.Memory has the pointer of each view and copies through it, or a span over it, everywhere. "
            + $"To free an array is a full collection.\n{Machine.Describe()}"));
        IGrouping<string, CopyRow>[] ways = [.. report.Copies.GroupBy(static row => row.Way)];
        foreach (IGrouping<string, CopyRow> way in ways[..^1])
            Add(table, way);
        table.AddEmptyRow();
        foreach (ImageMemoryRow memory in report.Memories)
        {
            table.AddRow(
                memory.Memory, "", "", "", "", Invariant($"{memory.AllocateUs.Median:N1}"),
                Invariant($"{memory.FirstWriteUs.Median:N1}"), Invariant($"{memory.FreeUs.Median:N1}"));
        }
        table.AddEmptyRow();
        Add(table, ways[^1]);
        console.Write(table);
    }

    private static void Add(Table table, IGrouping<string, CopyRow> way) =>
        table.AddRow([way.Key, .. way.Select(CellOf), "", "", ""]);

    private static string CellOf(CopyRow row)
    {
        double lowest = row.SizeBytes / row.NsPerCopy.Highest;
        double highest = row.SizeBytes / row.NsPerCopy.Lowest;
        return Invariant($"{row.GigabytesPerSecond:N1} ({lowest:N1}-{highest:N1})");
    }

    private static string Invariant(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
