using System;
using System.Globalization;
using Spectre.Console;

namespace BigPile.Perf.Reports;

/// <summary>The HTTP report as a table for people.</summary>
internal static class HttpTable
{
    internal static void Write(IAnsiConsole console, HttpReport report)
    {
        Table table = new Table().Border(TableBorder.Rounded);
        foreach (string column in new[] { "Bytes", "Connections", "GETs a second", "MB a second", "p50, us", "p99, us" })
            table.AddColumn(new TableColumn(column).RightAligned());
        table.Title = new TableTitle($"http: each row over {Counted.Of(report.Seconds, "second")}");
        table.Caption = new TableTitle(Markup.Escape(
            $"The load runs beside the service, on the same processors, and reads each answer.\n{Machine.Describe()}"));
        foreach (HttpRow row in report.Rows)
        {
            table.AddRow(
                Invariant($"{row.ValueBytes:N0}"), Invariant($"{row.Connections:N0}"), Invariant($"{row.RequestsPerSecond:N0}"),
                Invariant($"{row.RequestsPerSecond * row.ValueBytes / 1e6:N0}"), Invariant($"{row.LatencyUs.P50:N0}"),
                Invariant($"{row.LatencyUs.P99:N0}"));
        }
        console.Write(table);
    }

    private static string Invariant(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
