using System;
using System.CommandLine;
using System.IO;
using System.Threading;
using BigPile.Perf.Loads;
using BigPile.Perf.Reports;
using Spectre.Console;

namespace BigPile.Perf;

/// <summary>The command <c>traffic</c>: its options, and what is printed.</summary>
internal sealed class TrafficCommand : ReportCommand<TrafficOptions, TrafficReport>
{
    private static readonly TrafficOptions Defaults = new();

    private readonly Option<int> _requests = Number(
        "--requests", "Requests of all clients together.", Defaults.Requests, TrafficOptions.MinRequests, TrafficOptions.MaxRequests);

    private readonly Option<int> _seed = Number("--seed", "What the operations follow from.", Defaults.Seed, 0, int.MaxValue);

    private readonly Option<int> _clients =
        Number("--clients", "Connections, each with keys of its own.", Defaults.Clients, 1, TrafficOptions.MaxClients);

    private readonly Option<int> _depth =
        Number("--depth", "Requests that a client sends before it reads the answers.", Defaults.Depth, 1, TrafficOptions.MaxDepth);

    private readonly Option<int> _keys =
        Number("--keys", "Keys of each client.", Defaults.Keys, TrafficOptions.MinKeys, TrafficOptions.MaxKeys);

    private readonly Option<string?> _directory = new("--dir")
    {
        Description = "An empty or missing directory for the server's pile, which is removed at the end. Temporary by default.",
        HelpName = "D",
    };

    private readonly Func<TrafficOptions, ILoadProgress, CancellationToken, TrafficReport> _run;

    internal TrafficCommand(TextWriter output, Func<TrafficOptions, ILoadProgress, CancellationToken, TrafficReport> run)
        : base(output, "traffic",
            "Starts the server, sends it mixed requests and checks every answer; on the way the server is stopped once and killed once.")
    {
        _run = run;
        AddOptions(_requests, _seed, _clients, _depth, _keys, _directory);
    }

    protected override TrafficOptions Read(ParseResult arguments) => new()
    {
        Requests = arguments.GetValue(_requests),
        Seed = arguments.GetValue(_seed),
        Clients = arguments.GetValue(_clients),
        Depth = arguments.GetValue(_depth),
        Keys = arguments.GetValue(_keys),
        Directory = arguments.GetValue(_directory),
    };

    protected override TrafficReport Run(TrafficOptions options, ILoadProgress progress, CancellationToken stop) =>
        _run(options, progress, stop);

    protected override string ToJson(TrafficReport report) => JsonReport.Write(report);

    protected override void Write(IAnsiConsole console, TrafficReport report) => TrafficTable.Write(console, report);

    protected override int ExitCodeOf(TrafficReport report) => report.WrongAnswers == 0 ? 0 : PerfApp.Failed;

    private static Option<int> Number(string name, string description, int value, int min, int max) => new(name)
    {
        Description = description,
        DefaultValueFactory = _ => value,
        CustomParser = result => OptionParsers.ParseNumber(result, name, max, min),
        HelpName = "N",
    };
}
