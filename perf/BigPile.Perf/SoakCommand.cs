using System;
using System.CommandLine;
using System.CommandLine.Parsing;
using System.IO;
using System.Threading;
using BigPile.Perf.Loads;
using BigPile.Perf.Reports;
using BigPile.Perf.Soaking;
using Spectre.Console;

namespace BigPile.Perf;

/// <summary>The command <c>soak</c>: its options, and what is printed.</summary>
internal sealed class SoakCommand : ReportCommand<SoakOptions, SoakReport>
{
    private static readonly SoakOptions Defaults = new();

    private readonly Action<SoakPlace>? _sabotage;

    private readonly Option<int> _minutes = Number(
        "--minutes", "How long it goes on once the pile is full.", Defaults.Minutes, 1, SoakOptions.MaxMinutes);

    private readonly Option<int?> _operations = new("--operations")
    {
        Description = "So many operations of all threads instead of a time.",
        CustomParser = static result => OptionParsers.ParseNumber(result, "--operations", int.MaxValue),
        HelpName = "N",
    };

    private readonly Option<StoreKind?> _store = new("--store")
    {
        Description = "Where the pile keeps its segments; mapped by default. A mapped pile is temporary.",
        CustomParser = OptionParsers.ParseStore,
        HelpName = "managed|native|mapped",
    };

    private readonly Option<string?> _directory = new("--dir")
    {
        Description = "An empty or missing directory for a mapped pile, which is removed at the end. Temporary by default.",
        HelpName = "D",
    };

    private readonly Option<int> _threads = Number(
        "--threads", "Workers, each with objects and keys of its own.", Defaults.Threads, 1, SoakOptions.MaxThreads);

    private readonly Option<int> _megabytes = Number(
        "--megabytes", "The bytes of live values, in units of a million.", Defaults.Megabytes, SoakOptions.MinMegabytes,
        SoakOptions.MaxMegabytes);

    private readonly Option<int> _seed = Number("--seed", "What the operations follow from.", Defaults.Seed, 0, int.MaxValue);

    /// <summary>Makes the command.</summary>
    /// <param name="output">Where it prints.</param>
    /// <param name="sabotage">Breaks something once all is filled; how tests see that it is found.</param>
    internal SoakCommand(TextWriter output, Action<SoakPlace>? sabotage = null)
        : base(output, "soak",
            "Does everything with a pile and its tables at once, for long: all that is read is checked, and memory is watched.")
    {
        _sabotage = sabotage;
        AddOptions(_minutes, _operations, _store, _directory, _threads, _megabytes, _seed);
        Validators.Add(RefuseMixture);
    }

    // Lines come while it runs, also where nobody looks at a terminal; so there are no bars.
    protected override int Execute(ParseResult arguments, CancellationToken stop)
    {
        TextWriter lines = IsJson(arguments) ? TextWriter.Null : Output;
        SoakReport report = SoakRunner.Run(Read(arguments), lines, _sabotage, stop);
        return ExitCodeOf(Print(arguments, _ => report, ToJson, Write));
    }

    protected override SoakOptions Read(ParseResult arguments) => new()
    {
        Minutes = arguments.GetValue(_minutes),
        Operations = arguments.GetValue(_operations),
        Store = arguments.GetValue(_store) ?? Defaults.Store,
        Directory = arguments.GetValue(_directory),
        Threads = arguments.GetValue(_threads),
        Megabytes = arguments.GetValue(_megabytes),
        Seed = arguments.GetValue(_seed),
    };

    protected override SoakReport Run(SoakOptions options, ILoadProgress progress, CancellationToken stop) =>
        SoakRunner.Run(options, TextWriter.Null, _sabotage, stop);

    protected override string ToJson(SoakReport report) => JsonReport.Write(report);

    protected override void Write(IAnsiConsole console, SoakReport report) => SoakTable.Write(console, report);

    protected override int ExitCodeOf(SoakReport report) => report.Errors == 0 ? 0 : PerfApp.Failed;

    private void RefuseMixture(CommandResult command)
    {
        if (IsGiven(command, _minutes) && IsGiven(command, _operations))
            command.AddError("--minutes and --operations both say when it ends. Leave one of them out.");
        if (IsGiven(command, _directory) && IsGiven(command, _store) && command.GetValue(_store) != StoreKind.Mapped)
            command.AddError("--dir is for a mapped pile only. Leave it out, or use --store mapped.");
    }

    private static bool IsGiven(CommandResult command, Option option) => command.GetResult(option) is { Implicit: false };

    private static Option<int> Number(string name, string description, int value, int min, int max) => new(name)
    {
        Description = description,
        DefaultValueFactory = _ => value,
        CustomParser = result => OptionParsers.ParseNumber(result, name, max, min),
        HelpName = "N",
    };
}
