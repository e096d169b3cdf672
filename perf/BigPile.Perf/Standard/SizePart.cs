using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using BigPile.Perf.Reports;
using BigPile.Perf.Runs;

namespace BigPile.Perf.Standard;

/// <summary>Whether cost grows as data grows: from what the processor's caches hold to most of the memory.</summary>
internal sealed class SizePart : IStandardPart
{
    private const int MebibytesOfMost = 1 << 20;

    private static readonly int[] FullMebibytes = [1, 8, 64, 512, 4096];
    private static readonly int[] QuickMebibytes = [1, 64, 512];

    public string Name => "size";

    public IReadOnlyList<ChartHead> Charts(StandardBudget budget)
    {
        var x = new RunAxis("size of the data", "bytes", IsLogarithmic: true);
        string made = string.Create(
            CultureInfo.InvariantCulture,
            $"Objects of 100 bytes in native memory, one thread, {OperationsOf(budget):N0} operations at each size, all over the data "
            + $"(scale --mebibytes N).");
        string timed = made + " One of four operations is timed by itself, reading the clock included.";
        var us = new RunAxis("time of one operation", "us", IsLogarithmic: true);
        return
        [
            new ChartHead("size-throughput", "Throughput against the size of the data",
                made + " The fastest of five runs counts. A put is followed by a deletion.", x,
                new RunAxis("operations", "a second", IsLogarithmic: false), MoreIsBetter: true),
            new ChartHead("size-get", "Time of a get against the size of the data", timed, x, us, MoreIsBetter: false),
            new ChartHead("size-put", "Time of a put against the size of the data", timed, x, us, MoreIsBetter: false),
        ];
    }

    public IEnumerable<StandardStep> Steps(StandardBudget budget)
    {
        foreach (int mebibytes in SizesOf(budget))
        {
            var options = new ScaleOptions { Mebibytes = mebibytes };
            string title = string.Create(CultureInfo.InvariantCulture, $"size: {mebibytes:N0} MiB");
            if (budget.HasMemoryFor(title, options.PileBytes + options.Count * (long)sizeof(ulong)))
                yield return new StandardStep(title, step => Measure(step, budget, mebibytes));
        }
    }

    // The last size is what fits, to a half of the one above: round numbers are easier to compare between machines.
    private static IEnumerable<int> SizesOf(StandardBudget budget)
    {
        if (budget.Quick)
            return QuickMebibytes;
        long mostMebibytes = budget.MemoryBytes * 3 / 4 >> 20;
        int largest = FullMebibytes[^1];
        while (largest * 2L <= mostMebibytes && largest < MebibytesOfMost)
            largest *= 2;
        return FullMebibytes.Append(largest).Distinct();
    }

    private static void Measure(StepContext step, StandardBudget budget, int mebibytes)
    {
        ScaleReport report = step.Measure(
            JsonReport.Default.ScaleReport, "scale", "--mebibytes", mebibytes.ToString(CultureInfo.InvariantCulture),
            "--operations", OperationsOf(budget).ToString(CultureInfo.InvariantCulture));
        double x = mebibytes * (double)(1 << 20);
        step.Add("size-throughput", "get at random", x, report.GetPerSecond);
        step.Add("size-throughput", "put, and delete another", x, report.PutPerSecond);
        Add(step, "size-get", x, report.GetUs);
        Add(step, "size-put", x, report.PutUs);
    }

    private static void Add(StepContext step, string chart, double x, LatencyReport times)
    {
        step.Add(chart, "p50", x, times.P50);
        step.Add(chart, "p99", x, times.P99);
        step.Add(chart, "p99.9", x, times.P999);
    }

    private static int OperationsOf(StandardBudget budget) => budget.Quick ? 2_000_000 : 8_000_000;
}
