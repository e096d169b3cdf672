using System;
using System.Globalization;
using BigPile.Perf.Restarts;
using Spectre.Console;

namespace BigPile.Perf.Reports;

/// <summary>The restart report of tables as a table for people: openings in a new process, and once more in the same one.</summary>
internal static class TableRestartTable
{
    internal static void Write(IAnsiConsole console, TableRestartReport report)
    {
        Table table = new Table().Border(TableBorder.Rounded).AddColumn("What").AddColumn(new TableColumn("New process").RightAligned())
            .AddColumn(new TableColumn("Same again").RightAligned()).AddColumn("Unit");
        string entries = Counted.Of(report.Entries, "entry", "entries");
        string mapped = Invariant($"{report.ReservedBytes / 1048576:N0} MiB mapped");
        table.Title = new TableTitle($"restart: {entries} of {report.ValueBytes} bytes, {mapped}, medians of {report.Rounds}");
        table.Caption = new TableTitle(Markup.Escape(Machine.Describe()));
        Add(table, "Fill, all processors", Invariant($"{report.FillSeconds:N2}"), "", "s");
        Add(table, "Close", Invariant($"{report.CloseSeconds:N2}"), "", "s");
        Add(table, "Files of the index", Invariant($"{report.IndexBytes / 1048576.0:N1}"), "", "MiB");
        AddOpen(table, "after it was closed", report.AfterClose);
        AddOpen(table, "after its owner was killed", report.AfterKill);
        AddBoth(table, "  index compared with the pile", report.AfterKill, static one => one.InspectionSeconds, "N2", "s");
        AddBoth(table, "  that is, entries", report.AfterKill, static one => one.InspectedPerSecond, "N0", "per second");
        AddOpen(table, "without its index, once", report.WithoutIndex);
        AddBoth(table, "  index made anew", report.WithoutIndex, static one => one.WalkSeconds, "N2", "s");
        AddBoth(table, "  that is, entries", report.WithoutIndex, static one => one.WalkedPerSecond, "N0", "per second");
        console.Write(table);
    }

    private static void AddOpen(Table table, string how, TableOpenPair pair)
    {
        table.AddEmptyRow();
        AddBoth(table, $"Open {how}", pair, static one => one.SumMs, "N1", "ms");
        if (pair.NewProcess.SumCpuMs is not null)
            AddBoth(table, "  of that on a processor", pair, static one => one.SumCpuMs, "N1", "ms");
        AddBoth(table, "  the pile", pair, static one => one.OpenMs, "N2", "ms");
        AddBoth(table, "  the cache", pair, static one => one.CacheMs, "N2", "ms");
        AddBoth(table, "  the table", pair, static one => one.TableMs, "N2", "ms");
        AddBoth(table, "  first get", pair, static one => one.FirstGetMs, "N2", "ms");
        AddBoth(table, "  first put (not in the sum)", pair, static one => one.FirstPutMs, "N2", "ms");
    }

    private static void AddBoth(
        Table table, string what, TableOpenPair pair, Func<TableOpenFigures, double?> figure, string form, string unit) =>
        Add(table, what, Text(figure(pair.NewProcess), form), Text(figure(pair.SameProcess), form), unit);

    private static void Add(Table table, string what, string inNewProcess, string inSameProcess, string unit) =>
        table.AddRow(new Text(what), new Text(inNewProcess), new Text(inSameProcess), new Text(unit));

    private static string Text(double? figure, string form) => figure!.Value.ToString(form, CultureInfo.InvariantCulture);

    private static string Invariant(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
