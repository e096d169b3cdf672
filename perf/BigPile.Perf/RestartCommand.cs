using System;
using System.CommandLine;
using System.IO;
using System.Threading;
using BigPile.Perf.Loads;
using BigPile.Perf.Reports;
using BigPile.Perf.Restarts;
using Spectre.Console;

namespace BigPile.Perf;

/// <summary>The command <c>restart</c>: its options, and what is printed.</summary>
internal sealed class RestartCommand : ReportCommand<RestartOptions, RestartReport>
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

    private readonly Option<string?> _worker = new("--worker") { Hidden = true };

    internal RestartCommand(TextWriter output)
        : base(output, "restart",
            "Fills a mapped pile in a second process, flushes it, and opens it again: after it was closed, cold, and after a kill.")
    {
        AddOptions(_mebibytes, _directory);
        Add(_worker);
    }

    protected override int Execute(ParseResult arguments, CancellationToken stop)
    {
        if (arguments.GetValue(_worker) is not { } role)
            return base.Execute(arguments, stop);
        RestartOptions options = Read(arguments);
        return RestartWorker.Run(role, options.Directory!, options, Console.In, Output);
    }

    protected override RestartOptions Read(ParseResult arguments) =>
        new() { Mebibytes = arguments.GetValue(_mebibytes), Directory = arguments.GetValue(_directory) };

    protected override RestartReport Run(RestartOptions options, ILoadProgress progress, CancellationToken stop) =>
        RestartLoad.Run(options, progress, stop);

    protected override string ToJson(RestartReport report) => JsonReport.Write(report);

    protected override void Write(IAnsiConsole console, RestartReport report) => RestartTable.Write(console, report);
}
