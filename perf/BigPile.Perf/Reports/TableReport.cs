using System.Globalization;
using Spectre.Console;

namespace BigPile.Perf.Reports;

/// <summary>The report as a table for people.</summary>
internal static class TableReport
{
    internal static void Write(IAnsiConsole console, InsertReport report)
    {
        Table table = new Table().Border(TableBorder.Rounded)
            .AddColumn("What").AddColumn(new TableColumn("Figure").RightAligned()).AddColumn("Unit");
        string threads = Counted.Of(report.Threads, "thread");
        table.Title = new TableTitle(
            $"insert: {Counted.Of(report.Count, "object")} of {report.Payload}, {report.Store} store, {threads}");
        table.Caption = new TableTitle(Markup.Escape(Machine.Describe()));
        AddRate(table, "First put, on memory new to the process", report.FirstTouchPutPerSecond);
        AddRate(table, "Put", report.PutPerSecond);
        AddRate(table, "Enumerate, one thread", report.EnumeratePerSecond);
        AddRate(table, "Get in sequence", report.GetPerSecond);
        AddRate(table, "Get at random", report.RandomGetPerSecond);
        AddRate(table, "Get at random, 64 in a call", report.RandomBatchGetPerSecond);
        AddRate(table, "Delete", report.DeletePerSecond);
        table.AddEmptyRow();
        Add(table, "Pile pages in use, headers and slack included", Invariant($"{report.BytesPerObject:N1}"), "bytes an object");
        Add(table, "Pile segments", Mebibytes(report.ReservedBytes), "MiB");
        Add(table, "Managed memory, the pointers included", Mebibytes(report.ManagedBytes), "MiB");
        Add(table, "Longest full collection with the pile full", Invariant($"{report.FullCollectionMs:N1}"), "ms");
        if (report.Directory != null)
            AddMapped(table, report);
        console.Write(table);
    }

    private static void AddMapped(Table table, InsertReport report)
    {
        table.AddEmptyRow();
        Add(table, "Flush until durable", Invariant($"{report.FlushSeconds:N3}"), "s");
        Add(table, "Open until the first get", Invariant($"{report.OpenSeconds:N3}"), "s");
        Add(table, "Read everything back", Invariant($"{report.ReadBackSeconds:N3}"), "s");
    }

    private static void AddRate(Table table, string what, double perSecond) => Add(table, what, Invariant($"{perSecond:N0}"), "per second");

    private static void Add(Table table, string what, string figure, string unit) =>
        table.AddRow(new Text(what), new Text(figure), new Text(unit));

    private static string Mebibytes(long bytes) => Invariant($"{bytes / 1048576.0:N1}");

    private static string Invariant(System.FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
