using System.CommandLine;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Memory;
using BigPile.Perf.Graphs;
using BigPile.Perf.Loads;
using BigPile.Perf.Reports;

namespace BigPile.Perf;

/// <summary>The command <c>graph</c>: its options, and what is printed.</summary>
internal sealed class GraphCommand : Command
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

    private readonly Option<bool> _json = SharedOptions.Json();

    private readonly TextWriter _output;

    internal GraphCommand(TextWriter output)
        : base("graph", "Reads a catalog of packages into a pile, and finds all that each one depends on, beside the same as plain objects.")
    {
        _output = output;
        Add(_file);
        Add(_threadsMax);
        Add(_store);
        Add(_json);
        SetAction(RunAsync);
    }

    private Task<int> RunAsync(ParseResult arguments, CancellationToken stop)
    {
        var options = new GraphOptions
        {
            File = arguments.GetRequiredValue(_file),
            Store = arguments.GetValue(_store) ?? StoreKind.Native,
            ThreadsMax = arguments.GetValue(_threadsMax),
        };
        if (arguments.GetValue(_json))
            _output.WriteLine(JsonReport.Write(GraphRunner.Run(options, new NoProgress(), stop)));
        else
            ReportConsole.Show(_output, progress => GraphRunner.Run(options, progress, stop), GraphTable.Write);
        return Task.FromResult(0);
    }
}
