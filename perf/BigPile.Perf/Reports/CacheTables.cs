using System.Globalization;
using Spectre.Console;

namespace BigPile.Perf.Reports;

/// <summary>The reports on tables, as tables for people.</summary>
internal static class CacheTables
{
    internal static void Write(IAnsiConsole console, CacheReport report)
    {
        Table table = NewTable(
            Invariant($"cache: {Counted.Of(report.Count, "entry", "entries")} of {report.Keys} and ")
            + Invariant($"{Counted.Of(report.ValueBytes, "byte")}, {report.Mode}, {report.Store} store, {report.Entries}, ")
            + Invariant($"threads: {report.Threads}"));
        AddRate(table, "Put while growing from empty, each timed", report.GrowPerSecond);
        AddRate(table, "Put", report.InsertPerSecond);
        AddRate(table, "Get in order", report.GetPerSecond);
        AddRate(table, "Get at random", report.RandomGetPerSecond);
        AddRate(table, Invariant($"Get at random, {report.Batch} in a call"), report.BatchGetPerSecond);
        AddRate(table, "Replace at random", report.ReplacePerSecond);
        AddRate(table, Invariant($"Mixed, {report.ReadRatio:P0} reads, skew {report.Zipf:N2}"), report.MixedPerSecond);
        AddRate(table, "Remove", report.RemovePerSecond);
        table.AddEmptyRow();
        Add(table, "Put while growing, half", Invariant($"{report.LatencyUs.P50:N2}"), "µs");
        Add(table, "  99 %", Invariant($"{report.LatencyUs.P99:N2}"), "µs");
        Add(table, "  99.9 %", Invariant($"{report.LatencyUs.P999:N2}"), "µs");
        Add(table, "  99.99 %", Invariant($"{report.LatencyUs.P9999:N2}"), "µs");
        Add(table, "  longest, by the clock", Invariant($"{report.MaxPutMs:N3}"), "ms");
        if (report.MaxPutCpuMs is { } cpuMs)
            Add(table, "  longest, of the thread's own time", Invariant($"{cpuMs:N3}"), "ms");
        table.AddEmptyRow();
        Add(table, "Beside key and value", Invariant($"{report.OverheadBytesPerEntry:N1}"), "bytes an entry");
        Add(table, "Entries that made room for others", Invariant($"{report.LostEntries:N0}"), "");
        Add(table, "Longest full collection with the table full", Invariant($"{report.FullCollectionMs:N1}"), "ms");
        console.Write(table);
    }

    internal static void Write(IAnsiConsole console, LimitReport report)
    {
        Table table = NewTable(Invariant($"limit: {Counted.Of(report.LimitBytes, "byte")}, values of {report.ValueBytes:N0}"));
        Add(table, "Put, keys and values", Invariant($"{report.PutBytes:N0}"), "bytes");
        AddRate(table, "Put", report.PutPerSecond);
        AddRate(table, "Get at random, all keys", report.GetPerSecond);
        Add(table, "Found", Invariant($"{report.Found:N0}"), "keys");
        Add(table, "Missed", Invariant($"{report.Missed:N0}"), "keys");
        Add(table, "Entries in memory at the end", Invariant($"{report.EntryCount:N0}"), "");
        Add(table, "Made room for others", Invariant($"{report.Evictions:N0}"), "entries");
        if (report.SpilledEntries != 0)
        {
            Add(table, "Spilled at the end", Invariant($"{report.SpilledEntries:N0}"), "entries");
            Add(table, "Their file", Invariant($"{report.SpilledBytes:N0}"), "bytes");
        }
        table.AddEmptyRow();
        Add(table, "Most bytes by the table's own figure", Invariant($"{report.MostTableBytes:N0}"), "bytes");
        Add(table, "Process before", Invariant($"{report.BaselineProcessBytes:N0}"), "bytes");
        Add(table, "Process at its most", Invariant($"{report.MostProcessBytes:N0}"), "bytes");
        Add(table, "Process beyond what it had before", Invariant($"{report.ProcessPercentOfLimit:N1}"), "percent of the limit");
        console.Write(table);
    }

    internal static void Write(IAnsiConsole console, CompareReport report)
    {
        Table table = new Table().Border(TableBorder.Rounded).AddColumn("What");
        table.Title = new TableTitle(
            Invariant($"compare: {Counted.Of(report.Count, "entry", "entries")} of 8 and {Counted.Of(report.ValueBytes, "byte")}, ")
            + Invariant($"threads: {report.Threads}"));
        table.Caption = new TableTitle(Markup.Escape(Machine.Describe()));
        foreach (CompareSideReport side in report.Sides)
            table.AddColumn(new TableColumn(Markup.Escape(side.Name)).RightAligned());
        AddSides(table, report, "Put, per second", static side => Invariant($"{side.InsertPerSecond:N0}"));
        AddSides(table, report, "Get at random, per second", static side => Invariant($"{side.RandomGetPerSecond:N0}"));
        AddSides(table, report, "Collections", static side => Invariant($"{side.Collections:N0}"));
        AddSides(table, report, "Pauses in all, ms", static side => Invariant($"{side.TotalPauseMs:N1}"));
        AddSides(table, report, "Longest full collection, ms", static side => Invariant($"{side.LongestFullCollectionMs:N1}"));
        AddSides(table, report, "Managed memory, MiB", static side => Invariant($"{side.ManagedBytes / 1048576.0:N1}"));
        console.Write(table);
    }

    private static Table NewTable(string title)
    {
        Table table = new Table().Border(TableBorder.Rounded)
            .AddColumn("What").AddColumn(new TableColumn("Figure").RightAligned()).AddColumn("Unit");
        table.Title = new TableTitle(Markup.Escape(title));
        table.Caption = new TableTitle(Markup.Escape(Machine.Describe()));
        return table;
    }

    private static void AddSides(Table table, CompareReport report, string what, System.Func<CompareSideReport, string> figure)
    {
        var cells = new Text[report.Sides.Count + 1];
        cells[0] = new Text(what);
        for (int i = 0; i < report.Sides.Count; i++)
            cells[i + 1] = new Text(figure(report.Sides[i]));
        table.AddRow(cells);
    }

    private static void AddRate(Table table, string what, double perSecond) => Add(table, what, Invariant($"{perSecond:N0}"), "per second");

    private static void Add(Table table, string what, string figure, string unit) =>
        table.AddRow(new Text(what), new Text(figure), new Text(unit));

    private static string Invariant(System.FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
