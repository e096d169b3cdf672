using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using BigPile.Perf.Reports;
using BigPile.Perf.Runs;

namespace BigPile.Perf.Standard;

/// <summary>What single calls of a table take, the slowest of many too, while its pile is flushed.</summary>
internal sealed class LatencyPart : IStandardPart
{
    private const string Chart = "latency";
    private const double LeastUs = 0.001; // what the clock could not tell counts as a nanosecond

    public string Name => Chart;

    public IReadOnlyList<ChartHead> Charts(StandardBudget budget)
    {
        LatencyOptions options = OptionsOf(budget);
        string made = string.Create(
            CultureInfo.InvariantCulture,
            $"A table of {options.Mebibytes:N0} MiB in a mapped pile that is flushed each second; {options.Rate:N0} calls a second by one "
            + $"thread for {options.Seconds} s of each kind, timed one by one, reading the clock included. At 2 is the median, at 100 the "
            + $"time that one call of a hundred exceeded (p99), and so on to p99.999; the last is the longest. Nothing: an empty call, "
            + $"which shows what the machine takes (latency --store mapped --flush-every 1).");
        return
        [
            new ChartHead(
                Chart, "Time of single calls beside flushes", made,
                new RunAxis("one of so many calls took longer", "", IsLogarithmic: true),
                new RunAxis("time of one call", "us", IsLogarithmic: true), MoreIsBetter: false),
        ];
    }

    public IEnumerable<StandardStep> Steps(StandardBudget budget)
    {
        LatencyOptions options = OptionsOf(budget);
        string title = string.Create(CultureInfo.InvariantCulture, $"latency: {options.Mebibytes:N0} MiB beside flushes");
        if (budget.HasDiskFor(title, options.NeededBytes))
            yield return new StandardStep(title, step => Measure(step, options));
    }

    private static void Measure(StepContext step, LatencyOptions options)
    {
        IReadOnlyList<CallRow> rows = step.MeasureMapped(
            JsonReport.Default.IReadOnlyListCallRow, "latency", "--store", "mapped", "--flush-every", "1",
            "--mebibytes", options.Mebibytes.ToString(CultureInfo.InvariantCulture),
            "--seconds", options.Seconds.ToString(CultureInfo.InvariantCulture));
        foreach (CallRow row in rows.Skip(1)) // the first is the machine without flushes
        {
            LatencyReport us = row.ServiceUs;
            Add(step, row.Call, 2, us.P50);
            Add(step, row.Call, 1e2, us.P99);
            Add(step, row.Call, 1e3, us.P999);
            Add(step, row.Call, 1e4, us.P9999);
            Add(step, row.Call, 1e5, us.P99999);
            Add(step, row.Call, options.CallCount, us.Max);
        }
    }

    private static void Add(StepContext step, string call, double x, double us)
    {
        if (call == "nothing")
            step.AddBaseline(Chart, call, x, Math.Max(LeastUs, us));
        else
            step.Add(Chart, call, x, Math.Max(LeastUs, us));
    }

    private static LatencyOptions OptionsOf(StandardBudget budget) =>
        budget.Quick ? new LatencyOptions { Mebibytes = 64, Seconds = 3 } : new LatencyOptions();
}
