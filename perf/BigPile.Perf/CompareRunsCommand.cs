using System.CommandLine;
using System.IO;
using System.Linq;
using System.Threading;
using BigPile.Perf.Loads;
using BigPile.Perf.Reports;
using BigPile.Perf.Runs;
using BigPile.Perf.Runs.Comparison;
using Spectre.Console;

namespace BigPile.Perf;

/// <summary>The command <c>compare-runs</c>: its options, what is printed, and its exit code.</summary>
internal sealed class CompareRunsCommand : ReportCommand<CompareRunsOptions, RunComparison>
{
    private readonly Argument<string> _first = new("A") { Description = "The result file of the run before." };

    private readonly Argument<string> _second = new("B") { Description = "The result file of the run after." };

    private readonly Option<double> _loss = new("--loss")
    {
        Description = "The loss that is allowed, in percent.",
        DefaultValueFactory = _ => CompareRunsOptions.DefaultLossPercent,
        CustomParser = result => OptionParsers.ParseShare(result, "--loss", 0.1, 99),
        HelpName = "PERCENT",
    };

    internal CompareRunsCommand(TextWriter output)
        : base(output, "compare-runs",
            "Sets two result files of report beside each other, and tells changes from noise. "
                + "Exit code 1: a series lost more than is allowed.")
    {
        Add(_first);
        Add(_second);
        AddOptions(_loss);
    }

    protected override CompareRunsOptions Read(ParseResult arguments) =>
        new(arguments.GetRequiredValue(_first), arguments.GetRequiredValue(_second), arguments.GetValue(_loss));

    protected override RunComparison Run(CompareRunsOptions options, ILoadProgress progress, CancellationToken stop) =>
        RunComparer.Compare(RunStore.Read(options.First), RunStore.Read(options.Second), options.LossPercent);

    protected override string ToJson(RunComparison report) => JsonReport.Write(report);

    protected override void Write(IAnsiConsole console, RunComparison report) => RunComparisonTable.Write(console, report);

    protected override int ExitCodeOf(RunComparison report) => report.Series.Any(static series => series.IsLoss) ? PerfApp.Failed : 0;
}
