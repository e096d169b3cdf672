using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Text.Json;
using System.Text.Json.Nodes;
using System.Text.RegularExpressions;
using Spectre.Console;

namespace BigPile.Perf.Reports;

/// <summary>Any report as tables for people: its figures by their names, rows of figures as a table of their own.</summary>
/// <remarks>Names have the units of their figures at the end, such as <c>firstGetMs</c>, which are written with the figures.</remarks>
internal static partial class ReportTable
{
    private const int MostColumns = 6; // of rows that stand beside each other; more stand below each other,
    private const int MostFigures = 12; // unless they have more figures than fit into a line
    private const int MostCell = 60; // characters; longer texts stand below the table

    private static readonly (double Size, string Name)[] Times = [(1e9, "s"), (1e6, "ms"), (1e3, "µs"), (0, "ns")];
    private static readonly (double Size, string Name)[] Sizes = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"), (0, "bytes")];

    internal static void Write(IAnsiConsole console, string name, JsonNode report)
    {
        if (report is JsonArray all)
        {
            WriteRows(console, name, [.. all.OfType<JsonObject>()]);
        }
        else
        {
            console.Write(SingleOf(name, report.AsObject()));
            foreach ((string list, JsonNode? value) in report.AsObject())
            {
                JsonObject[] rows = value is JsonArray array ? [.. array.OfType<JsonObject>()] : [.. SidesOf(value)];
                if (rows.Length > 0)
                    WriteRows(console, $"{name}: {Words(list).ToLowerInvariant()}", rows);
                foreach (JsonValue text in (value as JsonArray)?.OfType<JsonValue>() ?? [])
                    console.WriteLine(text.ToString());
            }
        }
        console.WriteLine(Machine.Describe());
    }

    private static Table SingleOf(string title, JsonObject report)
    {
        Table table = NewTable(title, "What", "Figure");
        foreach ((string label, string figure) in FiguresOf(report.Where(static one => !SidesOf(one.Value).Any())))
            table.AddRow(new Text(label), new Text(figure));
        return table;
    }

    // An object of nothing but objects, such as the figures of two processes: a row of each.
    private static IEnumerable<JsonObject> SidesOf(JsonNode? value) => value is JsonObject sides && sides.All(IsSide)
        ? sides.Select(static side => new JsonObject(
            side.Value!.AsObject().Select(static one => KeyValuePair.Create(one.Key, one.Value?.DeepClone()))
                .Prepend(KeyValuePair.Create<string, JsonNode?>("name", Words(side.Key)))))
        : [];

    private static bool IsSide(KeyValuePair<string, JsonNode?> one) => one.Value is JsonObject;

    private static void WriteRows(IAnsiConsole console, string title, JsonObject[] rows)
    {
        Dictionary<string, string>[] figures = [.. rows.Select(static row => FiguresOf(row).ToDictionary())];
        var texts = new List<string>();
        foreach (Dictionary<string, string> row in figures)
        {
            string name = row.Values.FirstOrDefault("");
            foreach ((string label, string text) in row.Where(static one => one.Value.Length > MostCell).ToArray())
            {
                texts.Add($"{label} of {name}: {text}");
                row.Remove(label);
            }
        }
        console.Write(TableOf(title, figures));
        foreach (string text in texts)
            console.WriteLine(text);
    }

    // What is the same in all rows stands below the table.
    private static Table TableOf(string title, Dictionary<string, string>[] figures)
    {
        string Cell(Dictionary<string, string> row, string label) => Markup.Escape(row.GetValueOrDefault(label, ""));
        bool IsSame(string label) => figures.Length > 1 && figures.All(row => Cell(row, label) == Cell(figures[0], label));
        string[] labels = [.. figures.SelectMany(static row => row.Keys).Distinct()];
        string[] varying = [.. labels.Where(label => !IsSame(label))];
        if (varying.Length == 0)
            varying = labels;
        bool areBeside = varying.Length > figures.Length + 1 && (figures.Length <= MostColumns || varying.Length > MostFigures);
        Table table = NewTable(title, areBeside ? [varying[0], .. figures.Select(row => Cell(row, varying[0]))] : varying);
        if (areBeside)
        {
            foreach (string label in varying.Skip(1))
                table.AddRow([label, .. figures.Select(row => Cell(row, label))]);
        }
        else
        {
            foreach (Dictionary<string, string> row in figures)
                table.AddRow([.. varying.Select(label => Cell(row, label))]);
        }
        if (labels.Length > varying.Length)
        {
            table.Caption = new TableTitle("In all: "
                + string.Join(", ", labels.Except(varying).Select(label => $"{label.ToLowerInvariant()} {Cell(figures[0], label)}")));
        }
        return table;
    }

    private static Table NewTable(string title, params string[] columns)
    {
        Table table = new Table().Border(TableBorder.Rounded);
        table.Title = new TableTitle(Markup.Escape(title));
        for (int i = 0; i < columns.Length; i++)
            table.AddColumn(i == 0 ? new TableColumn(columns[i]) : new TableColumn(columns[i]).RightAligned());
        return table;
    }

    /// <summary>The figures with their labels, those of inner objects by the names of both; what there is none of is left out.</summary>
    private static IEnumerable<(string Label, string Figure)> FiguresOf(
        IEnumerable<KeyValuePair<string, JsonNode?>> report, string path = "")
    {
        foreach ((string name, JsonNode? value) in report)
        {
            string full = path.Length == 0 ? name : $"{path} {name}";
            if (value is JsonObject spread && spread.ContainsKey("lowest"))
            {
                string[] three = [.. new[] { "median", "lowest", "highest" }.Select(one => FigureOf(full, spread[one]!.AsValue()))];
                yield return (LabelOf(full), $"{three[0]} ({three[1]} - {three[2]})");
            }
            else if (value is JsonObject inner)
            {
                foreach ((string, string) figure in FiguresOf(inner, full))
                    yield return figure;
            }
            else if (value is JsonValue single)
            {
                yield return (LabelOf(full), FigureOf(full, single));
            }
        }
    }

    private static string FigureOf(string name, JsonValue value)
    {
        if (value.GetValueKind() != JsonValueKind.Number)
            return value.ToString();
        double number = double.Parse(value.ToJsonString(), CultureInfo.InvariantCulture);
        if (number != 0 && Time().Match(name) is { Success: true } time)
            return Scaled(number * (time.Value switch { "Ms" => 1e6, "Us" => 1e3, _ => 1 }), 1000, Times);
        if (name.EndsWith("Bytes", StringComparison.Ordinal))
            return Scaled(number, 1024, Sizes);
        return Rounded(number);
    }

    private static string Scaled(double number, double step, (double Size, string Name)[] units)
    {
        (double size, string unit) = units.First(one => Math.Abs(number) >= one.Size);
        return $"{Rounded(size == 0 ? number : number / size)} {unit}";
    }

    private static string Rounded(double number) => Math.Abs(number) switch
    {
        >= 1000 or 0 => number.ToString("N0", CultureInfo.InvariantCulture),
        >= 100 => number.ToString("0.#", CultureInfo.InvariantCulture),
        >= 10 => number.ToString("0.##", CultureInfo.InvariantCulture),
        _ => number.ToString("0.###", CultureInfo.InvariantCulture),
    };

    private static string LabelOf(string path) => Words(Time().Replace(path, ""));

    private static string Words(string name)
    {
        string words = Border().Replace(name, static border => " " + border.Value.ToLowerInvariant());
        return char.ToUpperInvariant(words[0]) + words[1..];
    }

    [GeneratedRegex("(?<=[a-z])(Ms|Us|Ns)(?![a-z])|^ns(?=[A-Z])")]
    private static partial Regex Time();

    [GeneratedRegex("(?<=[a-z0-9])[A-Z]")]
    private static partial Regex Border();
}
