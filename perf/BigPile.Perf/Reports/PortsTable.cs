using System;
using System.Globalization;
using System.Linq;
using Spectre.Console;

namespace BigPile.Perf.Reports;

/// <summary>The ports report as a table for people.</summary>
internal static class PortsTable
{
    private const int Width = 100; // so that each heading fits on a line

    private const string Ways =
        "Each message is copied in and out on both sides, and checked. Ports spin for very long, as by default, or not at all. "
        + "UDP takes more than 65,507 bytes in several datagrams.";

    internal static void Write(IAnsiConsole console, PortsReport report)
    {
        console.Profile.Width = Math.Max(console.Profile.Width, Width);
        Table table = new Table().Border(TableBorder.Rounded).AddColumn("Way");
        string[] columns = ["Bytes", "Receivers", .. ColumnsOf(report.Options.Mode)];
        foreach (string column in columns)
            table.AddColumn(new TableColumn(column).RightAligned());
        table.Title = new TableTitle(TitleOf(report.Options));
        string pinned = report.Options.IsPinned ? "The sender has a core of its own, for all ways.\n" : "";
        table.Caption = new TableTitle(Markup.Escape($"{Ways}\n{CaptionOf(report.Options.Mode)}{pinned}{Machine.Describe()}"));
        foreach (PortsRow row in report.Rows)
            table.AddRow([row.Way, Number(row.SizeBytes), Number(row.Receivers), .. CellsOf(report, row)]);
        console.Write(table);
    }

    private static string[] ColumnsOf(PortsMode mode) => mode switch
    {
        PortsMode.RoundTrip => ["p50, us", "p99, us", "TCP's p50", "UDP's p50", "A second"],
        PortsMode.Stream => ["A second", "MB a second", "Sender, ns"],
        _ => ["A second", "Sender, ns", "Payload, ns"],
    };

    private static string[] CellsOf(PortsReport report, PortsRow row) => report.Options.Mode switch
    {
        PortsMode.RoundTrip =>
        [
            Invariant($"{row.RoundTripUsP50:N2}"), Invariant($"{row.RoundTripUsP99:N2}"),
            Times(report, row, "tcp"), Times(report, row, "udp"), Number(row.MessagesPerSecond),
        ],
        PortsMode.Stream =>
            [Number(row.MessagesPerSecond), Number(row.MessagesPerSecond * row.SizeBytes / 1e6), Number(row.SenderNsPerMessage!.Value)],
        _ => [Number(row.MessagesPerSecond), Number(row.SenderNsPerMessage!.Value), Number(row.PayloadNsPerMessage!.Value)],
    };

    // How many times as long another way takes.
    private static string Times(PortsReport report, PortsRow row, string way)
    {
        PortsRow? other = report.Rows.FirstOrDefault(
            one => one.Way == way && one.SizeBytes == row.SizeBytes && one.Receivers == row.Receivers);
        return other == null ? "" : Invariant($"{other.RoundTripUsP50 / row.RoundTripUsP50:N1} x");
    }

    private static string TitleOf(PortsOptions options) => options.Mode switch
    {
        PortsMode.RoundTrip => $"ports: {Counted.Of(options.Count, "message")} there and back",
        PortsMode.Stream => $"ports: {Counted.Of(options.Count, "message")} one after the other",
        _ => $"ports: {Counted.Of(options.Count, "message")} to all receivers",
    };

    private static string CaptionOf(PortsMode mode) => mode switch
    {
        PortsMode.RoundTrip => "",
        PortsMode.Stream => "The sender's figure is its processor time for a message, the payload's copy included.\n",
        _ => "The sender's figure is its processor time for a message beyond writing the payload once. By sockets it sends to one receiver "
            + "after the other.\n",
    };

    private static string Number(double number) => Invariant($"{number:N0}");

    private static string Invariant(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
