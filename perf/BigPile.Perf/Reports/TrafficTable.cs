using System.Globalization;
using Spectre.Console;

namespace BigPile.Perf.Reports;

/// <summary>The traffic report as tables for people.</summary>
internal static class TrafficTable
{
    internal static void Write(IAnsiConsole console, TrafficReport report)
    {
        Table table = new Table().Border(TableBorder.Rounded).AddColumn("What").AddColumn(new TableColumn("Figure").RightAligned());
        table.Title = new TableTitle(
            Invariant($"traffic: {Counted.Of(report.Requests, "request")} of {Counted.Of(report.Clients, "client")}, ")
            + Invariant($"{report.Depth} at a time, {Counted.Of(report.Keys, "key")} each, seed {report.Seed}"));
        table.Caption = new TableTitle(Markup.Escape(Machine.Describe()));
        Add(table, "Wrong answers", Invariant($"{report.WrongAnswers:N0}"));
        Add(table, "Requests a second, restarts included", Invariant($"{report.PerSecond:N0}"));
        foreach ((string name, long count) in report.Operations)
            Add(table, "  " + name, Invariant($"{count:N0}"));
        Add(table, "Reads that came too late for their entry", Invariant($"{report.ExpiredReads:N0}"));
        Add(table, "Changes under way when the server ended", Invariant($"{report.UncertainChanges:N0}"));
        Add(table, "Keys read once more at the end", Invariant($"{report.FinalReads:N0}"));
        foreach (TrafficRestart restart in report.Restarts)
            Add(table, $"Restart, {restart.How}", Invariant($"{restart.StopSeconds:N2} s to end, {restart.StartSeconds:N2} s to be ready"));
        console.Write(table);
        console.Write(MemoryTable(report));
        foreach (string example in report.WrongExamples)
            console.WriteLine(example);
    }

    private static Table MemoryTable(TrafficReport report)
    {
        Table table = new Table().Border(TableBorder.Rounded);
        foreach (string column in new[] { "Done", "Process", "Memory, MiB", "Managed heap, MiB", "Entries", "Segments, MiB" })
            table.AddColumn(new TableColumn(column).RightAligned());
        table.Title = new TableTitle("memory of the server, mapped files left out");
        foreach (TrafficMemory memory in report.Memory)
        {
            table.AddRow(
                Invariant($"{memory.Percent} %"), Invariant($"{memory.ProcessId}"),
                memory.ProcessBytes is { } bytes ? Mebibytes(bytes) : "?",
                Mebibytes(memory.ManagedBytes), Invariant($"{memory.Entries:N0}"), Mebibytes(memory.ReservedBytes));
        }
        return table;
    }

    private static void Add(Table table, string what, string figure) => table.AddRow(new Text(what), new Text(figure));

    private static string Mebibytes(long bytes) => Invariant($"{bytes / 1048576.0:N1}");

    private static string Invariant(System.FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
