using System.Collections.Generic;
using System.Globalization;
using BigPile.Perf.Pauses;
using BigPile.Perf.Reports;
using BigPile.Perf.Runs;

namespace BigPile.Perf.Standard;

/// <summary>What the collector does as objects grow, and what an object takes.</summary>
internal sealed class PausePart : IStandardPart
{
    private const string PauseChart = "pause";
    private const string MemoryChart = "memory";

    private static readonly int[] FullCounts = [1_000_000, 2_000_000, 5_000_000, 10_000_000, 20_000_000, 50_000_000];
    private static readonly int[] QuickCounts = [250_000, 1_000_000, 4_000_000];

    public string Name => PauseChart;

    public IReadOnlyList<ChartHead> Charts(StandardBudget budget)
    {
        var x = new RunAxis("live objects", "", IsLogarithmic: true);
        string made = $"Persons of seven fields with strings of their own, in an array (managed heap) or in a pile with an array of "
            + $"pointers; {SecondsOf(budget)} s of replacing and getting them at random on all processors: the longest pause in that time, "
            + "as the runtime tells it; then the longest of five forced full collections (pause --holder heap|pile).";
        return
        [
            new ChartHead(PauseChart, "Longest pause of the garbage collector", made, x,
                new RunAxis("longest pause", "ms", IsLogarithmic: true), MoreIsBetter: false),
            new ChartHead(MemoryChart, "Memory per object",
                "The same objects: live bytes of the managed heap, and of the pile its pages in use as well, with the array of them.",
                x, new RunAxis("memory per object", "bytes", IsLogarithmic: false), MoreIsBetter: false),
        ];
    }

    public IEnumerable<StandardStep> Steps(StandardBudget budget)
    {
        foreach (int count in budget.Quick ? QuickCounts : FullCounts)
        {
            foreach (PauseHolder holder in new[] { PauseHolder.Heap, PauseHolder.Pile })
            {
                string title = string.Create(
                    CultureInfo.InvariantCulture, $"pause: {count:N0} persons in the {holder.ToString().ToLowerInvariant()}");
                if (budget.HasMemoryFor(title, PauseMemory.BytesFor(holder, count)))
                    yield return new StandardStep(title, step => Measure(step, budget, holder, count));
            }
        }
    }

    private static void Measure(StepContext step, StandardBudget budget, PauseHolder holder, int count)
    {
        PauseReport report = step.Measure(
            JsonReport.Default.PauseReport, "pause", "--holder", holder.ToString().ToLowerInvariant(),
            "--count", count.ToString(CultureInfo.InvariantCulture), "--seconds", SecondsOf(budget).ToString(CultureInfo.InvariantCulture));
        bool isHeap = holder == PauseHolder.Heap;
        string name = isHeap ? "managed heap" : "pile";
        Add(step, isHeap, PauseChart, $"{name}, at work", count, report.LongestPauseMs);
        Add(step, isHeap, PauseChart, $"{name}, full collection", count, report.FullCollectionMs);
        Add(step, isHeap, MemoryChart, name, count, report.BytesPerObject);
    }

    private static void Add(StepContext step, bool isBaseline, string chart, string series, double x, double figure)
    {
        if (isBaseline)
            step.AddBaseline(chart, series, x, figure);
        else
            step.Add(chart, series, x, figure);
    }

    private static int SecondsOf(StandardBudget budget) => budget.Quick ? 3 : 8;
}
