using System.CommandLine;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Perf.Loads;
using BigPile.Perf.Reports;
using BigPile.Perf.Tables;

namespace BigPile.Perf;

/// <summary>The command <c>limit</c>: its options, and what is printed.</summary>
internal sealed class LimitCommand : Command
{
    private static readonly LimitOptions Defaults = new();

    private readonly Option<int> _limit = new("--limit-mebibytes")
    {
        Description = "The most that the table may take.",
        DefaultValueFactory = _ => Defaults.LimitMebibytes,
        CustomParser = result => OptionParsers.ParseNumber(result, "--limit-mebibytes", LimitOptions.MaxLimitMebibytes),
        HelpName = "N",
    };

    private readonly Option<int> _put = new("--put-mebibytes")
    {
        Description = "How much is put in all.",
        DefaultValueFactory = _ => Defaults.PutMebibytes,
        CustomParser = result => OptionParsers.ParseNumber(result, "--put-mebibytes", LimitOptions.MaxPutMebibytes),
        HelpName = "N",
    };

    private readonly Option<int> _valueBytes = SharedOptions.ValueBytes(Defaults.ValueBytes);
    private readonly Option<bool> _json = SharedOptions.Json();
    private readonly TextWriter _output;

    internal LimitCommand(TextWriter output)
        : base("limit", "Puts far more into a table than its limit in bytes, and watches the table's own figure and the process's memory.")
    {
        _output = output;
        Add(_limit);
        Add(_put);
        Add(_valueBytes);
        Add(_json);
        SetAction(RunAsync);
    }

    private Task<int> RunAsync(ParseResult arguments, CancellationToken stop)
    {
        var options = new LimitOptions(arguments.GetValue(_limit), arguments.GetValue(_put), arguments.GetValue(_valueBytes));
        if (arguments.GetValue(_json))
            _output.WriteLine(JsonReport.Write(LimitRunner.Run(options, new NoProgress(), stop)));
        else
            ReportConsole.Show(_output, progress => LimitRunner.Run(options, progress, stop), CacheTables.Write);
        return Task.FromResult(0);
    }
}
