using System;
using System.Globalization;
using System.IO;
using System.Runtime;
using System.Runtime.InteropServices;
using Spectre.Console;

namespace BigPile.Perf.Reports;

/// <summary>Displays a load: progress bars while it runs if the output is a terminal, and tables at its end.</summary>
internal static class ReportConsole
{
    private const int WidthOfFile = 160; // a file has no width limit

    // Drawing takes time from the workers when they use all cores.
    private static readonly TimeSpan RefreshEvery = TimeSpan.FromMilliseconds(500);

    /// <summary>The console of an output.</summary>
    internal static IAnsiConsole Of(TextWriter output)
    {
        var terminal = new AnsiConsoleOutput(output);
        AnsiSupport colors = terminal.IsTerminal ? AnsiSupport.Detect : AnsiSupport.No;
        IAnsiConsole console = AnsiConsole.Create(new AnsiConsoleSettings { Out = terminal, Ansi = colors });
        if (!terminal.IsTerminal)
            console.Profile.Width = WidthOfFile;
        return console;
    }

    /// <summary>Runs a load, and shows a bar for the phase that runs where there is a terminal.</summary>
    internal static TReport Run<TReport>(TextWriter output, Func<ILoadProgress, TReport> run)
    {
        IAnsiConsole console = Of(output);
        if (!console.Profile.Out.IsTerminal)
            return run(new NoProgress());
        Progress progress = console.Progress().AutoClear(true).HideCompleted(true)
            .Columns(new TaskDescriptionColumn(), new ProgressBarColumn(), new PercentageColumn(), new ElapsedTimeColumn());
        progress.RefreshRate = RefreshEvery;
        return progress.Start(context => run(new BarProgress(context)));
    }

    private sealed class BarProgress(ProgressContext context) : ILoadProgress
    {
        private ProgressTask? _phase;

        public void Begin(string phase, long total)
        {
            _phase?.StopTask();
            _phase = context.AddTask(Markup.Escape(phase), autoStart: true, maxValue: total);
        }

        public void Report(long done) => _phase!.Value = done;
    }
}

/// <summary>What the figures depend on beside the options.</summary>
internal static class Machine
{
    /// <summary>How the garbage collector works.</summary>
    internal static string Collector => (GCSettings.IsServerGC ? "server" : "workstation")
        + (GCSettings.LatencyMode == GCLatencyMode.Batch ? " blocking" : " concurrent");

    internal static string Describe()
    {
        int cores = Environment.ProcessorCount;
        return string.Create(
            CultureInfo.InvariantCulture,
            $"{Counted.Of(cores, "core")}, {Collector} GC, {RuntimeInformation.FrameworkDescription}");
    }
}
