using System;
using System.Globalization;
using System.Linq;
using Spectre.Console;

namespace BigPile.Perf.Reports;

/// <summary>The report of a graph load as tables for people: the catalog, both graphs, and the packages that most others need.</summary>
internal static class GraphTable
{
    internal static void Write(IAnsiConsole console, GraphReport report)
    {
        console.Write(CatalogTable(report));
        console.Write(GraphsTable(report));
        console.Write(NeededTable(report));
    }

    private static Table CatalogTable(GraphReport report)
    {
        Table table = MakeTable("graph: the catalog", "What", "Count");
        Add(table, "Packages", Whole(report.Packages));
        Add(table, "  different names", Whole(report.Names));
        Add(table, "Dependencies parsed", Whole(report.Dependencies));
        Add(table, "  with alternatives", Whole(report.Alternatives));
        Add(table, "  missing or virtual", Whole(report.Missing));
        Add(table, "Edges, the other ones", Whole(report.Edges));
        Add(table, "  to an alternative behind the first", Whole(report.LaterAlternatives));
        Add(table, "Transitive dependencies of all", Whole(report.TransitivePairs));
        return table;
    }

    private static Table GraphsTable(GraphReport report)
    {
        Table table =
            MakeTable($"the graph, in a pile of the {report.Store} store and as plain objects", "What", "Pile", "Plain objects", "Unit");
        table.Caption = new TableTitle(Markup.Escape(Machine.Describe()));
        (PileGraphFigures pile, PlainGraphFigures plain) = (report.Pile, report.Plain);
        Add(table, "Load from the file", Decimal(pile.LoadSeconds, 2), Decimal(plain.LoadSeconds, 2), "s");
        foreach (GraphRate rate in report.Rates.Where(rate => rate.Graph == GraphRate.Pile))
            AddRate(table, rate, report.Rates.First(other => IsSameWay(other, rate)));
        table.AddEmptyRow();
        Add(table, "Objects in the pile", Whole(pile.Objects), "", "");
        Add(table, "Links among them", Whole(pile.Links), "", "");
        Add(table, "Pages in use over objects", Decimal(pile.BytesPerObject, 1), "", "bytes an object");
        Add(table, "Graph over packages", Decimal(pile.BytesPerPackage, 1), Decimal(plain.BytesPerPackage, 1), "bytes a package");
        Add(table, "Managed memory", Mebibytes(pile.ManagedBytes), Mebibytes(plain.ManagedBytes), "MiB");
        Add(table, "Longest full collection", Decimal(pile.FullCollectionMs, 1), Decimal(plain.FullCollectionMs, 1), "ms");
        return table;
    }

    private static Table NeededTable(GraphReport report)
    {
        Table table = MakeTable("most needed", "Package", "Transitive dependents");
        foreach (NeededPackage package in report.MostNeeded)
            Add(table, package.Name, Whole(package.Dependents));
        return table;
    }

    private static void AddRate(Table table, GraphRate pile, GraphRate plain)
    {
        string what = $"All {pile.Direction}, {Counted.Of(pile.Threads, "thread")}";
        Add(table, what, Whole(pile.EdgesPerSecond), Whole(plain.EdgesPerSecond), "edges/s");
    }

    private static bool IsSameWay(GraphRate plain, GraphRate pile) =>
        plain.Graph == GraphRate.Plain && plain.Direction == pile.Direction && plain.Threads == pile.Threads;

    private static Table MakeTable(string title, string first, params string[] others)
    {
        Table table = new Table().Border(TableBorder.Rounded).AddColumn(first);
        table.Title = new TableTitle(Markup.Escape(title));
        foreach (string other in others)
            table.AddColumn(other == "Unit" ? new TableColumn(other) : new TableColumn(other).RightAligned());
        return table;
    }

    private static void Add(Table table, params string[] cells) => table.AddRow(cells.Select(cell => new Text(cell)));

    private static string Whole(double number) => number.ToString("N0", CultureInfo.InvariantCulture);

    private static string Decimal(double number, int digits) =>
        Math.Round(number, digits).ToString("N" + digits, CultureInfo.InvariantCulture);

    private static string Mebibytes(long bytes) => Decimal(bytes / 1048576.0, 1);
}
