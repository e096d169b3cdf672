using System;
using System.Globalization;
using Spectre.Console;

namespace BigPile.Perf.Reports;

/// <summary>The pause report as a table for people.</summary>
internal static class PauseTable
{
    internal static void Write(IAnsiConsole console, PauseReport report)
    {
        Table table = new Table().Border(TableBorder.Rounded)
            .AddColumn("What").AddColumn(new TableColumn("Figure").RightAligned()).AddColumn("Unit");
        table.Title = new TableTitle(
            $"pause: {Counted.Of(report.Count, "person", "persons")} in the {report.Holder}, {Counted.Of(report.Threads, "thread")}");
        table.Caption = new TableTitle(Markup.Escape(Machine.Describe()));
        Add(table, "Longest pause while objects are replaced", Invariant($"{report.LongestPauseMs:N1}"), "ms");
        Add(table, "Longest forced full collection", Invariant($"{report.FullCollectionMs:N1}"), "ms");
        Add(table, "Memory", Invariant($"{report.BytesPerObject:N1}"), "bytes an object");
        table.AddEmptyRow();
        Add(table, "Replaced, and three got for each", Invariant($"{report.ReplacesPerSecond:N0}"), "per second");
        Add(table, "Collections", Invariant($"{report.Collections:N0}"), Invariant($"in {report.Seconds:N1} s"));
        Add(table, "Fill", Invariant($"{report.FillSeconds:N1}"), "s");
        console.Write(table);
    }

    private static void Add(Table table, string what, string figure, string unit) =>
        table.AddRow(new Text(what), new Text(figure), new Text(unit));

    private static string Invariant(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
