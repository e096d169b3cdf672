using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using BigPile.Perf.Runs;
using BigPile.Perf.Runs.Comparison;
using Spectre.Console;

namespace BigPile.Perf.Reports;

/// <summary>The comparison of two runs as a table for people.</summary>
internal static class RunComparisonTable
{
    private const int Width = 120; // so that a series has one line
    private const int CommitLetters = 12;

    internal static void Write(IAnsiConsole console, RunComparison comparison)
    {
        console.Profile.Width = Math.Max(console.Profile.Width, Width);
        foreach (string warning in comparison.Warnings)
            console.WriteLine(warning);
        console.Write(TableOf(comparison));
        WriteNames(console, "Only in the first run", comparison.OnlyInA);
        WriteNames(console, "Only in the second run", comparison.OnlyInB);
        console.WriteLine(ControlOf(comparison.Control));
        console.WriteLine(ConclusionOf(comparison));
    }

    private static Table TableOf(RunComparison comparison)
    {
        Table table = new Table().Border(TableBorder.Rounded).AddColumn("Chart").AddColumn("Series");
        foreach (string column in new[] { "Ratio", "Range, 95 %", "Points", "A repeat's spread" })
            table.AddColumn(new TableColumn(column).RightAligned());
        table.AddColumn("Verdict");
        string title = $"{Short(comparison.CommitB)} beside {Short(comparison.CommitA)}: above 1 it is better";
        table.Title = new TableTitle(Markup.Escape(title));
        foreach (SeriesComparison series in comparison.Series)
        {
            table.AddRow(
                new Text(series.Chart), new Text(series.Series),
                new Text(Number(series.Ratio)), new Text(RangeOf(series)), new Text(PointsOf(series)),
                new Text(series.SpreadPercent is { } spread ? Invariant($"{spread:N1} %") : ""), new Text(VerdictOf(series)));
        }
        return table;
    }

    private static string RangeOf(SeriesComparison series) =>
        series.Ratio == null ? "" : $"{Number(series.Low)} - {Number(series.High)}";

    private static string PointsOf(SeriesComparison series)
    {
        double[] ratios = [.. series.Points.Select(static point => point.Ratio).OfType<double>()];
        return ratios.Length == 0 ? "none above 0" : $"{ratios.Length}: {Number(ratios.Min())} - {Number(ratios.Max())}";
    }

    private static string VerdictOf(SeriesComparison series) => series.Verdict switch
    {
        Verdict.Better => RunAxis.IsOfTime(series.Unit) ? "faster" : "better",
        Verdict.Worse => (RunAxis.IsOfTime(series.Unit) ? "slower" : "worse") + (series.IsLoss ? ", too much" : ", as allowed"),
        Verdict.WithinNoise => "within noise",
        Verdict.TooNoisyToTell => "too noisy to tell",
        _ => "(baseline)",
    };

    private static string ControlOf(Control control) => control.Series == 0
        ? Invariant($"No baseline of times says how much the machine changed; ")
            + Invariant($"each range has {control.AllowancePercent:N1} % for that in it.")
        : Invariant($"The machine, by {Counted.Of(control.Series, "baseline")}: {control.Ratio:N3}; ")
            + Invariant($"each range has {control.AllowancePercent:N1} % for its changes in it.");

    private static string ConclusionOf(RunComparison comparison)
    {
        SeriesComparison[] losses = [.. comparison.Series.Where(static series => series.IsLoss)];
        if (losses.Length > 0)
        {
            string names = string.Join(", ", losses.Select(static series => $"{series.Chart} {series.Series} ({Number(series.Ratio)})"));
            return Invariant($"Lost more than {comparison.LossPercent} %: {names}.");
        }
        string[] counts = [.. CountsOf(comparison)];
        return Invariant($"Nothing lost more than {comparison.LossPercent} %: {string.Join(", ", counts)}.");
    }

    private static IEnumerable<string> CountsOf(RunComparison comparison)
    {
        (Verdict Verdict, string Name)[] names =
        [
            (Verdict.Better, "better"), (Verdict.Worse, "worse by less"), (Verdict.WithinNoise, "within noise"),
            (Verdict.TooNoisyToTell, "too noisy to tell"),
        ];
        return from one in names
            let count = comparison.Series.Count(series => series.Verdict == one.Verdict)
            where count > 0
            select $"{count} {one.Name}";
    }

    private static void WriteNames(IAnsiConsole console, string head, IReadOnlyList<string> names)
    {
        if (names.Count > 0)
            console.WriteLine($"{head}: {string.Join(", ", names)}.");
    }

    private static string Short(string commit) => commit.Length > CommitLetters ? commit[..CommitLetters] : commit;

    private static string Number(double? ratio) => Invariant($"{ratio:N3}");

    private static string Invariant(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
