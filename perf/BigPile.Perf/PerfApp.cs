using System;
using System.Collections.Generic;
using System.CommandLine;
using System.CommandLine.Invocation;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Perf.Standard;
using BigPile.Perf.Traffic;

namespace BigPile.Perf;

/// <summary>The console as a function: arguments in, texts and an exit code out.</summary>
internal static class PerfApp
{
    internal const int Failed = 1;
    internal const int Stopped = 130; // what a shell reports of a process that an interrupt ended

    private static readonly (string Name, Func<TextWriter, Command> Make)[] Commands =
    [
        ("insert", static output => new InsertCommand(output)),
        ("pause", static output => new PauseCommand(output)),
        ("scale", static output => new ScaleCommand(output)),
        ("graph", static output => new GraphCommand(output)),
        ("restart", static output => new RestartCommand(output)),
        ("cache", static output => new CacheCommand(output)),
        ("trace", static output => new TraceCommand(output)),
        ("compare", static output => new CompareCommand(output)),
        ("limit", static output => new LimitCommand(output)),
        ("http", static output => new HttpCommand(output)),
        ("traffic", static output => new TrafficCommand(output, TrafficRunner.Run)),
        ("sequence", static output => new SequenceCommand(output)),
        ("copy", static output => new CopyCommand(output)),
        ("ports", static output => new PortsCommand(output)),
        ("soak", static output => new SoakCommand(output)),
        ("report", static output => new StandardReportCommand(output, StandardSet.Run)),
        ("compare-runs", static output => new CompareRunsCommand(output)),
    ];

    /// <summary>Runs a command line.</summary>
    /// <returns>0, or <see cref="Failed"/> with a sentence on the error output, or <see cref="Stopped"/>.</returns>
    internal static async Task<int> RunAsync(string[] arguments, TextWriter output, TextWriter error, CancellationToken stop)
    {
        var root = new RootCommand("Loads that show what a pile and its tables can do on this machine.");
        foreach (Command command in CommandsFor(arguments, output))
            root.Add(command);
        root.SetAction((ParseResult _) => RefuseNoCommand(root));
        ParseResult result = root.Parse(arguments);
        if (result.Action is ParseErrorAction parseError)
            parseError.ShowHelp = parseError.ShowTypoCorrections = false; // they would go to the output, which is for results
        var configuration = new InvocationConfiguration
        {
            Output = output,
            Error = error,
            EnableDefaultExceptionHandler = false,
            ProcessTerminationTimeout = null, // a load that is stopped gives everything back first, however long that takes
        };
        try
        {
            return await result.InvokeAsync(configuration, stop);
        }
        catch (OperationCanceledException) when (stop.IsCancellationRequested)
        {
            await error.WriteLineAsync("Stopped. Nothing was left behind.");
            return Stopped;
        }
        catch (Exception e) when (e is LoadException or PileException or IOException or UnauthorizedAccessException)
        {
            await error.WriteLineAsync(e.Message);
            return Failed;
        }
    }

    // To make all commands takes longer than to start a process, and many processes run one command.
    private static IEnumerable<Command> CommandsFor(string[] arguments, TextWriter output)
    {
        int named = arguments.Length == 0 ? -1 : Array.FindIndex(Commands, command => command.Name == arguments[0]);
        return named < 0 ? Commands.Select(command => command.Make(output)) : [Commands[named].Make(output)];
    }

    private static int RefuseNoCommand(RootCommand root) =>
        throw new LoadException(
            $"No command was given. Use {string.Join(", ", root.Subcommands.SkipLast(1).Select(static command => command.Name))} or "
            + $"{root.Subcommands[^1].Name}; insert --help lists the options of insert, and so on.");
}
