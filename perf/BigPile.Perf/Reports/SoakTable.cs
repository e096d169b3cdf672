using System;
using System.Globalization;
using Spectre.Console;

namespace BigPile.Perf.Reports;

/// <summary>The soak's report as tables for people.</summary>
internal static class SoakTable
{
    internal static void Write(IAnsiConsole console, SoakReport report)
    {
        console.Write(MainTable(report));
        console.Write(MemoryTable(report));
        foreach (string example in report.ErrorExamples)
            console.WriteLine(example);
    }

    private static Table MainTable(SoakReport report)
    {
        Table table = new Table().Border(TableBorder.Rounded).AddColumn("What").AddColumn(new TableColumn("Figure").RightAligned());
        table.Title = new TableTitle(
            Invariant($"soak: {report.Megabytes:N0} MB live, {report.Store} store, {Counted.Of(report.Threads, "thread")}"));
        Add(table, "Seed", Invariant($"{report.Seed}"));
        Add(table, "Errors", Invariant($"{report.Errors:N0}"));
        Add(table, "Seconds", Invariant($"{report.Seconds:N1}"));
        Add(table, "Operations", Invariant($"{report.Operations:N0}"));
        Add(table, "Operations a second", Invariant($"{report.PerSecond:N0}"));
        foreach ((string name, long count) in report.OperationsByKind)
            Add(table, "  " + name, Invariant($"{count:N0}"));
        Add(table, "Longest pause of the collector, ms", Invariant($"{report.LongestPauseMs:N1}"));
        return table;
    }

    private static Table MemoryTable(SoakReport report)
    {
        Table table = new Table().Border(TableBorder.Rounded).AddColumn("Memory");
        string[] heads = [Invariant($"At {TimeOf(report.Mark)}"), Invariant($"At {TimeOf(report.End)}"), "Growth"];
        foreach (string column in heads)
            table.AddColumn(new TableColumn(column).RightAligned());
        table.Caption = new TableTitle(Markup.Escape(Machine.Describe()));
        AddCounts(table, report, "Live objects", static memory => memory.LiveObjects);
        AddMegabytes(table, report, "Live, MB", static memory => memory.LiveBytes, report.LiveGrowthPercent);
        AddMegabytes(table, report, "Reserved by the pile, MB", static memory => memory.ReservedBytes, null);
        AddMegabytes(
            table, report, "Process, mapped files included, MB", static memory => memory.ProcessBytes, report.ProcessGrowthPercent);
        AddMegabytes(table, report, "Process, files left out, MB", static memory => memory.PrivateBytes, report.PrivateGrowthPercent);
        AddMegabytes(table, report, "Managed heap, MB", static memory => memory.ManagedBytes, null);
        AddRatios(table, report, "Process over live", static memory => memory.ProcessBytesPerLiveByte);
        AddRatios(table, report, "Files left out, over live", static memory => memory.PrivateBytesPerLiveByte);
        return table;
    }

    private static void AddCounts(Table table, SoakReport report, string what, Func<SoakMemory, long> of) =>
        table.AddRow(what, Invariant($"{of(report.Mark):N0}"), Invariant($"{of(report.End):N0}"), "");

    private static void AddMegabytes(Table table, SoakReport report, string what, Func<SoakMemory, long?> of, double? growthPercent) =>
        table.AddRow(what, Megabytes(of(report.Mark)), Megabytes(of(report.End)), growthPercent is { } percent
            ? Invariant($"{percent:N1} %")
            : "");

    private static void AddRatios(Table table, SoakReport report, string what, Func<SoakMemory, double?> of) =>
        table.AddRow(what, Ratio(of(report.Mark)), Ratio(of(report.End)), "");

    private static void Add(Table table, string what, string figure) => table.AddRow(new Text(what), new Text(figure));

    private static string TimeOf(SoakMemory memory) =>
        string.Create(CultureInfo.InvariantCulture, $@"{TimeSpan.FromSeconds(memory.Seconds):hh\:mm\:ss}");

    private static string Megabytes(long? bytes) => bytes is { } known ? Invariant($"{known / 1e6:N1}") : "?";

    private static string Ratio(double? ratio) => ratio is { } known ? Invariant($"{known:N2}") : "?";

    private static string Invariant(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
