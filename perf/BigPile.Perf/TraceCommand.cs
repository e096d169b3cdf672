using System.CommandLine;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Perf.Loads;
using BigPile.Perf.Reports;
using BigPile.Perf.Tables;

namespace BigPile.Perf;

/// <summary>The command <c>trace</c>: its options, and what is printed.</summary>
internal sealed class TraceCommand : Command
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

    private readonly Option<bool> _json = SharedOptions.Json();

    private readonly TextWriter _output;

    internal TraceCommand(TextWriter output)
        : base("trace", "Replays recorded accesses through a table with a limit: gets each key, and puts it when it is missing.")
    {
        _output = output;
        Add(_file);
        Add(_capacity);
        Add(_fraction);
        Add(_json);
        SetAction(RunAsync);
    }

    private Task<int> RunAsync(ParseResult arguments, CancellationToken stop)
    {
        int? capacity = arguments.GetValue(_capacity);
        double? fraction = arguments.GetValue(_fraction);
        if ((capacity == null) == (fraction == null))
            throw new LoadException("The table needs a limit. Give either --capacity N or --capacity-fraction F.");
        var options = new TraceOptions(arguments.GetRequiredValue(_file), capacity, fraction);
        if (arguments.GetValue(_json))
            _output.WriteLine(JsonReport.Write(TraceRunner.Run(options, new NoProgress(), stop)));
        else
            ReportConsole.Show(_output, progress => TraceRunner.Run(options, progress, stop), CacheTables.Write);
        return Task.FromResult(0);
    }
}
