using System;
using System.IO;
using BigPile.Perf.Loads;
using Spectre.Console;

namespace BigPile.Perf.Reports;

/// <summary>Displays a load: progress bars while it runs if the output is a terminal, and tables at its end.</summary>
internal static class ReportConsole
{
    private const int WidthOfFile = 160; // a file has no width limit

    /// <summary>Runs a load, writes its report and gives it.</summary>
    internal static TReport Show<TReport>(TextWriter output, Func<ILoadProgress, TReport> run, Action<IAnsiConsole, TReport> write) =>
        Show(output, run, write, new NoProgress());

    /// <summary>As the other one, with a line for each phase where there is no terminal.</summary>
    internal static TReport ShowAll<TReport>(TextWriter output, Func<ILoadProgress, TReport> run, Action<IAnsiConsole, TReport> write) =>
        Show(output, run, write, new LineProgress(output));

    private static TReport Show<TReport>(
        TextWriter output, Func<ILoadProgress, TReport> run, Action<IAnsiConsole, TReport> write, ILoadProgress otherwise)
    {
        var terminal = new AnsiConsoleOutput(output);
        AnsiSupport colors = terminal.IsTerminal ? AnsiSupport.Detect : AnsiSupport.No;
        IAnsiConsole console = AnsiConsole.Create(new AnsiConsoleSettings { Out = terminal, Ansi = colors });
        if (!terminal.IsTerminal)
            console.Profile.Width = WidthOfFile;
        TReport report = terminal.IsTerminal ? BarProgress.Show(console, run) : run(otherwise);
        write(console, report);
        return report;
    }
}
