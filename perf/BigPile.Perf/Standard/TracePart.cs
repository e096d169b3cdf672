using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using BigPile.Perf.Policies;
using BigPile.Perf.Reports;
using BigPile.Perf.Runs;
using BigPile.Perf.Traces;

namespace BigPile.Perf.Standard;

/// <summary>What a table with a limit keeps: its hit ratio against capacity, trace by trace, beside policies that are simulated.</summary>
internal sealed class TracePart : IStandardPart
{
    private const string Capacities = "0.01,0.02,0.05,0.1,0.15,0.25,0.5";
    private const double Percent = 100;

    private readonly IReadOnlyList<string> _traces;
    private readonly Dictionary<string, string> _ids = [];

    /// <summary>Takes the traces that the console makes itself, and then recorded ones.</summary>
    internal TracePart(IReadOnlyList<string> recorded)
    {
        _traces = [.. SyntheticTrace.Names.Concat(TraceSource.Expand(recorded)).Distinct()];
        foreach (string trace in _traces)
            _ids[trace] = MakeId(trace);
    }

    public string Name => "trace";

    public IReadOnlyList<ChartHead> Charts(StandardBudget budget) => [.. _traces.Select(HeadOf)];

    public IEnumerable<StandardStep> Steps(StandardBudget budget) =>
        _traces.Select(trace => new StandardStep($"trace: {trace}", step => Measure(step, trace)));

    private ChartHead HeadOf(string trace) => new(
        _ids[trace], $"Hit ratio of a table with a limit: {NameOf(trace)}",
        "Each access gets its key, and puts it when it is missing. The table is the real one; the others are simulated, and the optimum "
            + "knows what is asked for later (trace FILE).",
        new RunAxis("capacity, in entries of all different keys", "%", IsLogarithmic: true),
        new RunAxis("accesses that found their key", "%", IsLogarithmic: false), MoreIsBetter: true);

    private void Measure(StepContext step, string trace)
    {
        TraceReport report = step.Measure(JsonReport.Default.TraceReport, "trace", trace, "--capacity-fraction", Capacities);
        foreach (TraceRow row in report.Rows)
        {
            double x = row.CapacityFraction!.Value * Percent;
            step.Add(_ids[trace], "table", x, row.HitRatioPercent);
            foreach (PolicyKind policy in PolicyKinds.All)
                step.AddBaseline(_ids[trace], PolicyKinds.TitleOf(policy), x, row.Policies[PolicyKinds.NameOf(policy)].HitRatioPercent);
        }
    }

    // Two files of one name may lie in different directories.
    private string MakeId(string trace)
    {
        string letters = new([.. NameOf(trace).ToLowerInvariant().Select(static c => char.IsAsciiLetterOrDigit(c) ? c : '-')]);
        string id = $"trace-{letters}";
        for (int number = 2; _ids.ContainsValue(id); number++)
            id = $"trace-{letters}-{number}";
        return id;
    }

    private static string NameOf(string trace) =>
        SyntheticTrace.IsName(trace) ? trace[(trace.IndexOf(':', StringComparison.Ordinal) + 1)..] : Path.GetFileName(trace);
}
