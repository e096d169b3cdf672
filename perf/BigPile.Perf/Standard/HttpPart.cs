using System.Collections.Generic;
using System.Globalization;
using BigPile.Perf.Reports;
using BigPile.Perf.Runs;

namespace BigPile.Perf.Standard;

/// <summary>What the service answers.</summary>
internal sealed class HttpPart : IStandardPart
{
    private const string Chart = "http";

    public string Name => Chart;

    public IReadOnlyList<ChartHead> Charts(StandardBudget budget) =>
    [
        new ChartHead(
            Chart, "HTTP requests a second",
            "The service in a process of its own, 1,000 values of each size got at random over connections that each have one request on "
                + "the way; the load runs beside it on the same processors, and reads each answer (http --connections N --value-bytes N).",
            new RunAxis("connections", "", IsLogarithmic: true), new RunAxis("requests", "a second", IsLogarithmic: false),
            MoreIsBetter: true),
    ];

    public IEnumerable<StandardStep> Steps(StandardBudget budget)
    {
        yield return new StandardStep("http: 12 ways of asking", step => Measure(step, budget.Quick ? 1 : 2));
    }

    private static void Measure(StepContext step, int seconds)
    {
        HttpReport report = step.Measure(
            JsonReport.Default.HttpReport, "http", "--seconds", seconds.ToString(CultureInfo.InvariantCulture));
        foreach (HttpRow row in report.Rows)
        {
            string series = string.Create(CultureInfo.InvariantCulture, $"{row.ValueBytes:N0} bytes");
            step.Add(Chart, series, row.Connections, row.RequestsPerSecond);
        }
    }
}
