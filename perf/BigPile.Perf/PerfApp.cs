using System;
using System.CommandLine;
using System.CommandLine.Invocation;
using System.CommandLine.Parsing;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Perf.Traffic;

namespace BigPile.Perf;

/// <summary>The console as a function: arguments in, texts and an exit code out.</summary>
internal static class PerfApp
{
    internal const int Failed = 1;
    internal const int Stopped = 130; // the shell's exit code of an interrupted process

    /// <summary>Runs a command line.</summary>
    /// <returns>0, or <see cref="Failed"/> with a sentence on the error output, or <see cref="Stopped"/>.</returns>
    internal static async Task<int> RunAsync(string[] arguments, TextWriter output, TextWriter error, CancellationToken stop)
    {
        var root = new RootCommand("Loads that show what a pile and its tables can do on this machine.")
        {
            new InsertCommand(output),
            new PauseCommand(output),
            new ScaleCommand(output),
            new LatencyCommand(output),
            new GraphCommand(output),
            new RestartCommand(output),
            new CacheCommand(output),
            new TraceCommand(output),
            new CompareCommand(output),
            new LimitCommand(output),
            new FullCommand(output),
            new HttpCommand(output),
            new TrafficCommand(output, TrafficRunner.Run),
            new SequenceCommand(output),
            new CopyCommand(output),
            new PortsCommand(output),
            new SoakCommand(output),
        };
        root.SetAction((ParseResult _) => RefuseNoCommand(root));
        foreach (Command command in root.Subcommands)
            RefuseEmptyNames(command);
        ParseResult result = root.Parse(arguments);
        if (result.Action is ParseErrorAction parseError)
            parseError.ShowHelp = parseError.ShowTypoCorrections = false; // they would go to the output, which is for results
        var configuration = new InvocationConfiguration
        {
            Output = output,
            Error = error,
            EnableDefaultExceptionHandler = false,
            ProcessTerminationTimeout = null, // a stopped load releases everything first, however long that takes
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

    // Empty paths are refused: scripts pass one when a variable is not set.
    private static void RefuseEmptyNames(Command command)
    {
        foreach (Option option in command.Options.Where(static option => option.ValueType == typeof(string)))
            option.Validators.Add(result => RefuseEmptyName(result, option.Name));
        foreach (Argument argument in command.Arguments)
            argument.Validators.Add(result => RefuseEmptyName(result, argument.Name));
    }

    private static void RefuseEmptyName(SymbolResult result, string name)
    {
        if (result.Tokens.Any(static token => token.Value.Length == 0))
            result.AddError($"{name} is empty. Name a file or a directory.");
    }

    private static int RefuseNoCommand(RootCommand root) =>
        throw new LoadException(
            $"No command was given. Use {string.Join(", ", root.Subcommands.SkipLast(1).Select(static command => command.Name))} or "
            + $"{root.Subcommands[^1].Name}; insert --help lists the options of insert, and so on.");
}
