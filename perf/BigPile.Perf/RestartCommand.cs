using System;
using System.CommandLine;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Perf.Loads;
using BigPile.Perf.Reports;
using BigPile.Perf.Restarts;

namespace BigPile.Perf;

/// <summary>The command <c>restart</c>: its options, and what is printed.</summary>
internal sealed class RestartCommand : Command
{
    private readonly Option<int> _mebibytes = new("--mebibytes")
    {
        Description = "How much the pile holds.",
        DefaultValueFactory = _ => new RestartOptions().Mebibytes,
        CustomParser = result => OptionParsers.ParseNumber(result, "--mebibytes", RestartOptions.MaxMebibytes),
        HelpName = "N",
    };

    private readonly Option<string?> _directory = new("--dir")
    {
        Description = "An empty or missing directory for the pile's files, which are removed at the end. Temporary by default.",
        HelpName = "D",
    };

    private readonly Option<bool> _json = SharedOptions.Json();

    private readonly Option<string?> _worker = new("--worker") { Hidden = true };

    private readonly TextWriter _output;

    internal RestartCommand(TextWriter output)
        : base("restart", "Fills a mapped pile in a second process, flushes it, and opens it again: after it was closed, cold, and after a kill.")
    {
        _output = output;
        Add(_mebibytes);
        Add(_directory);
        Add(_json);
        Add(_worker);
        SetAction(RunAsync);
    }

    private Task<int> RunAsync(ParseResult arguments, CancellationToken stop)
    {
        var options = new RestartOptions { Mebibytes = arguments.GetValue(_mebibytes), Directory = arguments.GetValue(_directory) };
        if (arguments.GetValue(_worker) is { } role)
            return Task.FromResult(RestartWorker.Run(role, options.Directory!, options, Console.In, _output));
        if (arguments.GetValue(_json))
            _output.WriteLine(JsonReport.Write(RestartLoad.Run(options, new NoProgress(), stop)));
        else
            ReportConsole.Show(_output, progress => RestartLoad.Run(options, progress, stop), RestartTable.Write);
        return Task.FromResult(0);
    }
}
