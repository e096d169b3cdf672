using System;
using System.Globalization;
using Spectre.Console;

namespace BigPile.Perf.Reports;

/// <summary>The scale report as a table for people.</summary>
internal static class ScaleTable
{
    internal static void Write(IAnsiConsole console, ScaleReport report)
    {
        Table table = new Table().Border(TableBorder.Rounded).AddColumn("What");
        foreach (string column in new[] { "A second", "p50, us", "p99, us", "p99.9, us", "Longest, us" })
            table.AddColumn(new TableColumn(column).RightAligned());
        string objects = Counted.Of(report.Count, "object");
        string mebibytes = Invariant($"{report.CommittedBytes / 1048576.0:N0} MiB");
        table.Title = new TableTitle(
            $"scale: {objects} of 100 bytes, {mebibytes}, {report.Store} store, {Counted.Of(report.Threads, "thread")}");
        table.Caption = new TableTitle(Markup.Escape(
            Invariant($"Reading the clock takes {report.ClockUs:N3} us, which is in each time.\n{Machine.Describe()}")));
        Add(table, "Get at random", report.GetPerSecond, report.GetUs);
        Add(table, "Put, and delete another", report.PutPerSecond, report.PutUs);
        console.Write(table);
    }

    private static void Add(Table table, string what, double perSecond, LatencyReport times) => table.AddRow(
        what, Invariant($"{perSecond:N0}"), Invariant($"{times.P50:N3}"), Invariant($"{times.P99:N3}"), Invariant($"{times.P999:N3}"),
        Invariant($"{times.Max:N1}"));

    private static string Invariant(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
