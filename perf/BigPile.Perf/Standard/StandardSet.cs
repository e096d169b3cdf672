using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Threading;
using BigPile.Perf.Loads;
using BigPile.Perf.Runs;

namespace BigPile.Perf.Standard;

/// <summary>The loads that matter to users, run one after another, each in its own process.</summary>
/// <remarks>
/// The whole set runs once for each repetition. So the repeats of a figure lie minutes apart, and their spread includes variation over
/// minutes and between processes.
/// </remarks>
internal sealed class StandardSet
{
    private readonly StandardSetOptions _options;
    private readonly IReadOnlyList<IStandardPart> _parts;
    private readonly StandardBudget _budget;
    private readonly FigureBook _book = new();

    private StandardSet(StandardSetOptions options, IReadOnlyList<IStandardPart> parts, StandardBudget budget)
    {
        _options = options;
        _parts = parts;
        _budget = budget;
    }

    /// <summary>The names of the parts, in their order.</summary>
    internal static IEnumerable<string> PartNames => Parts([]).Select(static part => part.Name);

    /// <summary>Runs the set, or the parts of it that are asked for.</summary>
    /// <exception cref="LoadException">A load failed, or there is no room for any.</exception>
    /// <exception cref="OperationCanceledException">The user stopped it.</exception>
    internal static RunFile Run(StandardSetOptions options, ILoadProgress progress, CancellationToken stop)
    {
        bool isAll = options.Parts.Count == 0;
        return Run(options, [.. Parts(options.Traces).Where(part => isAll || options.Parts.Contains(part.Name))], progress, stop);
    }

    /// <summary>Runs some parts.</summary>
    /// <inheritdoc cref="Run(StandardSetOptions, ILoadProgress, CancellationToken)"/>
    internal static RunFile Run(
        StandardSetOptions options, IReadOnlyList<IStandardPart> parts, ILoadProgress progress, CancellationToken stop)
    {
        using WorkDirectory directory = WorkDirectory.Create(options.Directory);
        var budget = new StandardBudget(
            MachineLimits.FreeMemoryBytes(), MachineLimits.FreeDiskBytes(directory.Path), Environment.ProcessorCount, options.Quick);
        return new StandardSet(options, parts, budget).Run(directory, progress, stop);
    }

    /// <summary>All parts, in their order.</summary>
    internal static IReadOnlyList<IStandardPart> Parts(IReadOnlyList<string> traces) =>
    [
        new PausePart(), new ThreadPart(), new SizePart(), new LatencyPart(), new RestartPart(), new TracePart(traces), new HttpPart(),
    ];

    private RunFile Run(WorkDirectory directory, ILoadProgress progress, CancellationToken stop)
    {
        DateTimeOffset startedAt = TimeProvider.System.GetUtcNow();
        long start = Stopwatch.GetTimestamp();
        StandardStep[] steps = [.. _parts.SelectMany(part => part.Steps(_budget))];
        if (steps.Length == 0)
            throw new LoadException($"No load fits this machine. {string.Join(". ", _budget.LeftOut)}.");
        int total = steps.Length * _options.Repeats;
        for (int i = 0; i < total; i++)
        {
            stop.ThrowIfCancellationRequested();
            StandardStep step = steps[i % steps.Length];
            string round = _options.Repeats == 1 ? "" : $", round {i / steps.Length + 1} of {_options.Repeats}";
            progress.Begin($"{i + 1} of {total}{round}: {step.Title}", total);
            progress.Report(i);
            step.Run(new StepContext(step.Title, Path.Combine(directory.PilePath, "mapped"), _book, stop));
        }
        return new RunFile
        {
            Format = RunFile.CurrentFormat,
            Commit = RunBuild.Commit,
            StartedAt = startedAt,
            Minutes = Math.Round(Stopwatch.GetElapsedTime(start).TotalMinutes, 2),
            Machine = RunBuild.Machine(),
            Options = DescribeOptions(),
            Charts = [.. _parts.SelectMany(part => part.Charts(_budget)).Select(_book.ToChart).OfType<RunChart>()],
        };
    }

    private Dictionary<string, string> DescribeOptions()
    {
        var options = new Dictionary<string, string>
        {
            ["quick"] = _options.Quick ? "yes" : "no",
            ["repeats"] = _options.Repeats.ToString(CultureInfo.InvariantCulture),
            ["parts"] = string.Join(", ", _parts.Select(static part => part.Name)),
        };
        if (_budget.LeftOut.Count != 0)
            options["left out"] = string.Join("; ", _budget.LeftOut);
        return options;
    }
}
