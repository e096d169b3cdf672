using System.Collections.Generic;
using System.Globalization;
using BigPile.Perf.Reports;
using BigPile.Perf.Restarts;
using BigPile.Perf.Runs;

namespace BigPile.Perf.Standard;

/// <summary>What a restart costs: how soon a mapped pile answers, and how soon it is warm.</summary>
internal sealed class RestartPart : IStandardPart
{
    private const string Chart = "restart";
    private const double MsPerSecond = 1000;
    private const int DiskBytesPerByte = 2;

    private static readonly int[] FullMebibytes = [64, 256, 1024, 4096];
    private static readonly int[] QuickMebibytes = [64, 512];

    public string Name => Chart;

    public IReadOnlyList<ChartHead> Charts(StandardBudget budget) =>
    [
        new ChartHead(
            Chart, "Time until a mapped pile is back",
            "Another process fills a pile with objects of 100 bytes, and closes it or is killed while it changes them. Then this one opens "
                + "it, its files in the system's cache: until the first object was got, and until every page was examined, checksums "
                + "included, and then every object read (restart --mebibytes N).",
            new RunAxis("size of the data", "bytes", IsLogarithmic: true), new RunAxis("time", "ms", IsLogarithmic: true),
            MoreIsBetter: false),
    ];

    public IEnumerable<StandardStep> Steps(StandardBudget budget)
    {
        foreach (int mebibytes in budget.Quick ? QuickMebibytes : FullMebibytes)
        {
            string title = string.Create(CultureInfo.InvariantCulture, $"restart: {mebibytes:N0} MiB");
            if (budget.HasDiskFor(title, ((long)mebibytes << 20) * DiskBytesPerByte))
                yield return new StandardStep(title, step => Measure(step, mebibytes));
        }
    }

    private static void Measure(StepContext step, int mebibytes)
    {
        RestartReport report = step.MeasureMapped(
            JsonReport.Default.RestartReport, "restart", "--mebibytes", mebibytes.ToString(CultureInfo.InvariantCulture));
        double x = mebibytes * (double)(1 << 20);
        Add(step, "closed", x, report.AfterClose);
        Add(step, "killed", x, report.AfterKill);
    }

    private static void Add(StepContext step, string how, double x, OpenFigures open)
    {
        step.Add(Chart, $"first get, {how}", x, open.FirstGetMs);
        step.Add(Chart, $"all examined and read, {how}", x, (open.RecoverySeconds + open.ReadBackSeconds!.Value) * MsPerSecond);
    }
}
