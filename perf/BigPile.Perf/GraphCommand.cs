using System.CommandLine;
using System.IO;
using System.Threading;
using BigPile.Perf.Graphs;
using BigPile.Perf.Loads;
using BigPile.Perf.Reports;
using Spectre.Console;

namespace BigPile.Perf;

/// <summary>The command <c>graph</c>: its options, and what is printed.</summary>
internal sealed class GraphCommand : ReportCommand<GraphOptions, GraphReport>
{
    private readonly Argument<string> _file = new("FILE")
    {
        Description = "The catalog of packages: a JSON object on each line, plain or compressed by gzip.",
    };

    private readonly Option<int> _threadsMax = new("--threads-max")
    {
        Description = "Everything is counted by one thread, and again by so many.",
        DefaultValueFactory = _ => GraphOptions.DefaultThreadsMax,
        CustomParser = result => OptionParsers.ParseNumber(result, "--threads-max", InsertOptions.MaxThreads),
        HelpName = "T",
    };

    private readonly Option<StoreKind?> _store = SharedOptions.Store();

    internal GraphCommand(TextWriter output)
        : base(output, "graph",
            "Reads a catalog of packages into a pile, and finds all that each one depends on, beside the same as plain objects.")
    {
        Add(_file);
        AddOptions(_threadsMax, _store);
    }

    protected override GraphOptions Read(ParseResult arguments) => new()
    {
        File = arguments.GetRequiredValue(_file),
        Store = arguments.GetValue(_store) ?? StoreKind.Native,
        ThreadsMax = arguments.GetValue(_threadsMax),
    };

    protected override GraphReport Run(GraphOptions options, ILoadProgress progress, CancellationToken stop) =>
        GraphRunner.Run(options, progress, stop);

    protected override string ToJson(GraphReport report) => JsonReport.Write(report);

    protected override void Write(IAnsiConsole console, GraphReport report) => GraphTable.Write(console, report);
}
