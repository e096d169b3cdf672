using System.Globalization;
using BigPile.Perf.Restarts;
using Spectre.Console;

namespace BigPile.Perf.Reports;

/// <summary>The restart report as a table for people.</summary>
internal static class RestartTable
{
    internal static void Write(IAnsiConsole console, RestartReport report)
    {
        Table table =
            new Table().Border(TableBorder.Rounded).AddColumn("What").AddColumn(new TableColumn("Figure").RightAligned()).AddColumn("Unit");
        table.Title = new TableTitle(Invariant(
            $"restart: {Counted.Of(report.Count, "object")} of 100 bytes, {report.ReservedBytes / 1048576:N0} MiB mapped"));
        table.Caption = new TableTitle(Markup.Escape(Machine.Describe()));
        Add(table, "Fill, one thread", Invariant($"{report.FillSeconds:N2}"), "s");
        Add(table, "First flush", Invariant($"{report.FlushSeconds:N2}"), "s");
        string replacements = Counted.Of(report.ScatteredReplaces, "scattered replacement");
        Add(table, $"Flush after {replacements}", Invariant($"{report.ScatteredFlushMs:N1}"), "ms");
        if (report.ScatteredFlushBytes is { } bytes)
            Add(table, "  written by the machine's disks meanwhile", Invariant($"{bytes / 1e6:N1}"), "MB");
        Add(table, "Close", Invariant($"{report.CloseSeconds:N2}"), "s");
        AddOpen(table, "after it was closed", report.AfterClose);
        if (report.AfterCloseCold is { } cold)
            AddOpen(table, "with the system's cache empty", cold);
        AddOpen(table, "after its owner was killed", report.AfterKill);
        console.Write(table);
    }

    private static void AddOpen(Table table, string how, OpenFigures figures)
    {
        table.AddEmptyRow();
        Add(table, $"Open {how}", Invariant($"{figures.OpenMs:N1}"), "ms");
        Add(table, "  first get", Invariant($"{figures.FirstGetMs:N1}"), "ms");
        Add(table, "  first put", Invariant($"{figures.FirstPutMs:N1}"), "ms");
        Add(table, "  everything examined", Invariant($"{figures.RecoverySeconds:N2}"), "s");
        Add(table, "  that is", Invariant($"{figures.RecoveryGigabytesPerSecond:N2}"), "GB/s");
        Add(table, "  everything read back", Invariant($"{figures.ReadBackSeconds:N2}"), "s");
    }

    private static void Add(Table table, string what, string figure, string unit) =>
        table.AddRow(new Text(what), new Text(figure), new Text(unit));

    private static string Invariant(System.FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
