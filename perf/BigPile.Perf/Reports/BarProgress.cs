using System;
using BigPile.Perf.Loads;
using Spectre.Console;

namespace BigPile.Perf.Reports;

/// <summary>A bar for the phase that runs, on a terminal.</summary>
internal sealed class BarProgress : ILoadProgress
{
    // Drawing takes time from the workers when they use all cores.
    private static readonly TimeSpan RefreshEvery = TimeSpan.FromMilliseconds(500);

    private readonly ProgressContext _context;
    private ProgressTask? _phase;

    private BarProgress(ProgressContext context) => _context = context;

    /// <summary>Does something while bars are shown, and takes them away afterwards.</summary>
    internal static T Show<T>(IAnsiConsole console, Func<ILoadProgress, T> work)
    {
        Progress progress = console.Progress().AutoClear(true).HideCompleted(true)
            .Columns(new TaskDescriptionColumn(), new ProgressBarColumn(), new PercentageColumn(), new ElapsedTimeColumn());
        progress.RefreshRate = RefreshEvery;
        return progress.Start(context => work(new BarProgress(context)));
    }

    public void Begin(string phase, long total)
    {
        _phase?.StopTask();
        _phase = _context.AddTask(Markup.Escape(phase), autoStart: true, maxValue: total);
    }

    public void Report(long done) => _phase!.Value = done;
}
