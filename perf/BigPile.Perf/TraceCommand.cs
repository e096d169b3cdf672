using System.CommandLine;
using System.IO;
using System.Threading;
using BigPile.Perf.Loads;
using BigPile.Perf.Reports;
using BigPile.Perf.Tables;
using Spectre.Console;

namespace BigPile.Perf;

/// <summary>The command <c>trace</c>: its options, and what is printed.</summary>
internal sealed class TraceCommand : ReportCommand<TraceOptions, TraceReport>
{
    private readonly Argument<string> _file = new("FILE") { Description = "The keys, one on each line, plain or compressed by gzip." };

    private readonly Option<int?> _capacity = new("--capacity")
    {
        Description = "The most entries of the table.",
        CustomParser = result => OptionParsers.ParseNumber(result, "--capacity", int.MaxValue),
        HelpName = "N",
    };

    private readonly Option<double?> _fraction = new("--capacity-fraction")
    {
        Description = "The same, as a share of the different keys.",
        CustomParser = result => OptionParsers.ParseShare(result, "--capacity-fraction", 0.000001, 1),
        HelpName = "F",
    };

    internal TraceCommand(TextWriter output)
        : base(output, "trace", "Replays recorded accesses through a table with a limit: gets each key, and puts it when it is missing.")
    {
        Add(_file);
        AddOptions(_capacity, _fraction);
    }

    protected override TraceOptions Read(ParseResult arguments)
    {
        int? capacity = arguments.GetValue(_capacity);
        double? fraction = arguments.GetValue(_fraction);
        if ((capacity == null) == (fraction == null))
            throw new LoadException("The table needs a limit. Give either --capacity N or --capacity-fraction F.");
        return new TraceOptions(arguments.GetRequiredValue(_file), capacity, fraction);
    }

    protected override TraceReport Run(TraceOptions options, ILoadProgress progress, CancellationToken stop) =>
        TraceRunner.Run(options, progress, stop);

    protected override string ToJson(TraceReport report) => JsonReport.Write(report);

    protected override void Write(IAnsiConsole console, TraceReport report) => CacheTables.Write(console, report);
}
