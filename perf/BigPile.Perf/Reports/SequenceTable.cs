using System;
using System.Globalization;
using Spectre.Console;

namespace BigPile.Perf.Reports;

/// <summary>The sequence report as a table for people.</summary>
internal static class SequenceTable
{
    private const string Timing = "per second; opening and closing are not in it, and code was warmed by small runs before";
    private const string NoRemoval = "files have nothing to remove";

    internal static void Write(IAnsiConsole console, SequenceReport report)
    {
        Table table = new Table().Border(TableBorder.Rounded).AddColumn("File");
        foreach (string column in new[] { "Set", "Get", "Remove", "File, bytes", "Memory, MiB" })
            table.AddColumn(new TableColumn(column).RightAligned());
        table.Title = new TableTitle(TitleOf(report.Options));
        bool hasRemoval = report.Options.Layer == SequenceLayer.Hash;
        table.Caption = new TableTitle(
            Markup.Escape($"{(hasRemoval ? Timing : $"{Timing}; {NoRemoval}")}\n{Machine.Describe()}"));
        foreach (SequenceRow row in report.Rows)
        {
            table.AddRow(
                row.File, Number(row.SetPerSecond), Number(row.GetPerSecond), row.RemovePerSecond is { } rate ? Number(rate) : "",
                Number(row.FileBytes), Invariant($"{row.MemoryBytes / 1048576.0:N1}"));
        }
        console.Write(table);
    }

    private static string TitleOf(SequenceOptions options)
    {
        string records = options.Layer == SequenceLayer.File
            ? Invariant($"{Counted.Of(options.Count, "record")} of {Counted.Of(options.SizeBytes, "byte")} in a file")
            : Invariant($"{Counted.Of(options.Count, "record")} of {options.KeyBytes} and {Counted.Of(options.ValueBytes, "byte")} ")
                + "in a hash database";
        return $"sequence: {records}{(options.IsRandom ? ", at random" : "")}, {Counted.Of(options.Threads, "thread")}";
    }

    private static string Number(double number) => Invariant($"{number:N0}");

    private static string Invariant(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
