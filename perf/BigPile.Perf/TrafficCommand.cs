using System;
using System.CommandLine;
using System.IO;
using System.Threading;

namespace BigPile.Perf;

/// <summary>The command <c>traffic</c>.</summary>
internal sealed class TrafficCommand : ReportCommand<TrafficOptions, TrafficReport>
{
    private static readonly TrafficOptions Defaults = new();

    private readonly Option<int> _requests = LoadOption.Number(
        "--requests", "Requests of all clients together.", Defaults.Requests, TrafficOptions.MaxRequests, TrafficOptions.MinRequests);
    private readonly Option<int> _seed = LoadOption.Number(
        "--seed", "What the operations follow from.", Defaults.Seed, int.MaxValue, min: 0);
    private readonly Option<int> _clients = LoadOption.Number(
        "--clients", "Connections, each with keys of its own.", Defaults.Clients, TrafficOptions.MaxClients);
    private readonly Option<int> _depth = LoadOption.Number(
        "--depth", "Requests that a client sends before it reads the answers.", Defaults.Depth, TrafficOptions.MaxDepth);
    private readonly Option<int> _keys = LoadOption.Number(
        "--keys", "Keys of each client.", Defaults.Keys, TrafficOptions.MaxKeys, TrafficOptions.MinKeys);
    private readonly Option<string?> _directory = LoadOption.Path(
        "--dir", "An empty or missing directory for the server's pile, which is removed at the end. Temporary by default.");

    internal TrafficCommand(TextWriter output, Func<TrafficOptions, ILoadProgress, CancellationToken, TrafficReport> run)
        : base(output, "traffic",
            "Starts the server, sends it mixed requests and checks every answer; on the way the server is stopped once and killed once.",
            run) => AddOptions(_requests, _seed, _clients, _depth, _keys, _directory);

    protected override TrafficOptions Read(ParseResult arguments) => new()
    {
        Requests = arguments.GetValue(_requests),
        Seed = arguments.GetValue(_seed),
        Clients = arguments.GetValue(_clients),
        Depth = arguments.GetValue(_depth),
        Keys = arguments.GetValue(_keys),
        Directory = arguments.GetValue(_directory),
    };

    protected override int ExitCodeOf(TrafficReport report) => report.WrongAnswers == 0 ? 0 : PerfApp.Failed;
}

/// <summary>What the traffic load is asked to do.</summary>
internal sealed record TrafficOptions
{
    internal const int MaxRequests = 1_000_000_000;
    internal const int MinRequests = 1_000;
    internal const int MaxClients = 64;
    internal const int MaxDepth = 64;
    internal const int MinKeys = 1_024; // far more than one batch touches
    internal const int MaxKeys = 10_000_000;

    internal int Requests { get; init; } = 1_000_000; // the requests of all clients together
    internal int Seed { get; init; } = 1; // what the operations follow from
    internal int Clients { get; init; } = 4; // connections, each with keys of its own
    internal int Depth { get; init; } = 16; // requests that a client sends before it reads the answers
    internal int Keys { get; init; } = 50_000; // the keys of each client
    internal string? Directory { get; init; } // the user's directory; null for a temporary one
}
