using System;
using System.CommandLine;
using System.CommandLine.Parsing;
using System.IO;
using System.Threading;
using BigPile.Perf.Soaking;

namespace BigPile.Perf;

/// <summary>The command <c>soak</c>.</summary>
internal sealed class SoakCommand : ReportCommand<SoakOptions, SoakReport>
{
    private static readonly SoakOptions Defaults = new();

    private readonly Action<SoakPlace>? _sabotage;

    private readonly Option<int> _minutes = LoadOption.Number(
        "--minutes", "How long it goes on once the pile is full.", Defaults.Minutes, SoakOptions.MaxMinutes);
    private readonly Option<int?> _operations = LoadOption.Number(
        "--operations", "So many operations of all threads instead of a time.", int.MaxValue);
    private readonly Option<StoreKind> _store = LoadOption.Store(Defaults.Store);
    private readonly Option<string?> _directory = LoadOption.Directory();
    private readonly Option<int> _threads = LoadOption.Number(
        "--threads", "Workers, each with objects and keys of its own.", Defaults.Threads, SoakOptions.MaxThreads);
    private readonly Option<int> _megabytes = LoadOption.Number(
        "--megabytes", "The bytes of live values, in units of a million.", Defaults.Megabytes, SoakOptions.MaxMegabytes,
        SoakOptions.MinMegabytes);
    private readonly Option<int> _seed = LoadOption.Number(
        "--seed", "What the operations follow from.", Defaults.Seed, int.MaxValue, min: 0);

    /// <summary>Makes the command.</summary>
    /// <param name="output">Where it prints.</param>
    /// <param name="sabotage">Breaks something once all is filled; how tests see that it is found.</param>
    internal SoakCommand(TextWriter output, Action<SoakPlace>? sabotage = null)
        : base(output, "soak",
            "Does everything with a pile and its tables at once, for long: all that is read is checked, and memory is watched.",
            (options, _, stop) => SoakRunner.Run(options, TextWriter.Null, sabotage, stop))
    {
        _sabotage = sabotage;
        AddOptions(_minutes, _operations, _store, _directory, _threads, _megabytes, _seed);
        Validators.Add(RefuseMixture);
    }

    // Lines come while it runs, also where nobody looks at a terminal; so there are no bars.
    protected override int Execute(ParseResult arguments, CancellationToken stop)
    {
        TextWriter lines = IsJson(arguments) ? TextWriter.Null : Output;
        return Print(arguments, SoakRunner.Run(Read(arguments), lines, _sabotage, stop));
    }

    protected override SoakOptions Read(ParseResult arguments)
    {
        LoadOption.RequireMapped(arguments.GetValue(_store), arguments.GetValue(_directory));
        return new SoakOptions
        {
            Minutes = arguments.GetValue(_minutes),
            Operations = arguments.GetValue(_operations),
            Store = arguments.GetValue(_store),
            Directory = arguments.GetValue(_directory),
            Threads = arguments.GetValue(_threads),
            Megabytes = arguments.GetValue(_megabytes),
            Seed = arguments.GetValue(_seed),
        };
    }

    protected override int ExitCodeOf(SoakReport report) => report.Errors == 0 ? 0 : PerfApp.Failed;

    private void RefuseMixture(CommandResult command)
    {
        if (IsGiven(command, _minutes) && IsGiven(command, _operations))
            command.AddError("--minutes and --operations both say when it ends. Leave one of them out.");
    }
}

/// <summary>What the soak is asked to do.</summary>
internal sealed record SoakOptions
{
    internal const int MaxMinutes = 100_000;
    internal const int MaxThreads = 64; // the number of a worker has six bits in the id of a value
    internal const int MinMegabytes = 16; // a table's limit is a part of it, and at least one
    internal const int MaxMegabytes = 200_000;

    internal int Minutes { get; init; } = 30; // how long it goes on once the pile is full
    internal int? Operations { get; init; } // so many operations of all threads instead of a time
    internal StoreKind Store { get; init; } = StoreKind.Mapped; // where the pile keeps its segments
    internal string? Directory { get; init; } // the user's directory for a mapped pile; null for a temporary one
    internal int Threads { get; init; } = 2; // workers, each with objects and keys of its own
    internal int Megabytes { get; init; } = 500; // the bytes of live values, in units of a million
    internal int Seed { get; init; } = 1; // what the operations follow from
}
