using System;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Threading;

namespace BigPile.Perf.Soaking;

/// <summary>Runs a soak: fills a pile and its tables, does everything at once, checks everything, and deletes it.</summary>
internal sealed class SoakRunner
{
    private const int PollEveryMs = 100;
    private const double SecondsBetweenLines = 10;
    private const double MarkSeconds = 300;
    private const double MarkShare = 6; // of the whole, when that is shorter

    private readonly SoakOptions _options;
    private readonly SoakPlace _place;
    private readonly SoakWorker[] _workers;
    private readonly CollectorPauses _pauses;
    private readonly SoakLines _lines;
    private long _start;

    private SoakRunner(SoakPlace place, CollectorPauses pauses, TextWriter lines)
    {
        (_options, _place, _pauses) = (place.Options, place, pauses);
        _workers = [.. Enumerable.Range(0, _options.Threads).Select(worker => new SoakWorker(place, worker))];
        _lines = new SoakLines(lines, place.Errors, pauses);
    }

    private double Seconds => Stopwatch.GetElapsedTime(_start).TotalSeconds;

    private long Operations => _workers.Sum(static worker => worker.Tally.Total);

    /// <summary>Runs the load.</summary>
    /// <param name="options">What is asked for.</param>
    /// <param name="lines">Gets a line every ten seconds.</param>
    /// <param name="sabotage">Breaks something once all is filled, which must be found.</param>
    /// <param name="stop">Ends it early; once the pile is full, with the report of what was.</param>
    internal static SoakReport Run(SoakOptions options, TextWriter lines, Action<SoakPlace>? sabotage, CancellationToken stop)
    {
        stop.ThrowIfCancellationRequested();
        using WorkDirectory? directory = WorkDirectory.CreateFor(options.Store, options.Directory);
        MachineLimits.RequireFor(options, directory);
        using var pauses = new CollectorPauses();
        using var place = new SoakPlace(options, directory);
        return new SoakRunner(place, pauses, lines).Run(sabotage, stop);
    }

    private SoakReport Run(Action<SoakPlace>? sabotage, CancellationToken stop)
    {
        using CancellationTokenRegistration registration = stop.Register(() => _place.IsOver = true);
        Do(static worker => worker.Fill(), static () => { });
        stop.ThrowIfCancellationRequested();
        sabotage?.Invoke(_place);
        _pauses.Clear();
        _lines.Begin();
        _start = Stopwatch.GetTimestamp();
        SoakSample? mark = null;
        double nextLine = SecondsBetweenLines;
        Do(static worker => worker.Run(), () =>
        {
            if (mark == null && IsMark())
                mark = TakeSample();
            if (Seconds >= nextLine)
            {
                _lines.Write(TakeSample());
                nextLine += SecondsBetweenLines;
            }
            if (_options.Operations == null && Seconds >= _options.Minutes * 60.0)
                _place.IsOver = true;
        });
        SoakSample end = TakeSample();
        _lines.Write(end);
        double longestPauseMs = _pauses.LongestMs;
        var operations = Enum.GetValues<SoakKind>().ToDictionary(NameOf, kind => _workers.Sum(worker => worker.Tally[kind]));
        End();
        return SoakReports.Of(_place, mark ?? end, end, operations, longestPauseMs);
    }

    private void End()
    {
        Do(static worker => worker.Check(), static () => { });
        Do(static worker => worker.Clear(), static () => { });
        foreach (string name in _place.Cache.TableNames)
            _place.Cache.DropTable(name);
        PileStatistics left = _place.Pile.Statistics;
        if (left.ObjectsSoFar != 0 || left.PayloadBytes != 0)
            _place.Errors.Report($"{left.ObjectsSoFar:N0} objects of {left.PayloadBytes:N0} bytes are left when all was deleted");
    }

    private bool IsMark() => _options.Operations is { } operations
        ? Operations >= operations / MarkShare
        : Seconds >= Math.Min(MarkSeconds, _options.Minutes * 60 / MarkShare);

    private SoakSample TakeSample() =>
        new(Seconds, Operations, _place.Pile.Statistics, ProcessMemory.Now(), GC.GetTotalMemory(forceFullCollection: false));

    // Runs each worker in its own thread, and polls from this one.
    private void Do(Action<SoakWorker> action, Action poll)
    {
        using var running = new CountdownEvent(_workers.Length);
        foreach (SoakWorker worker in _workers)
        {
            new Thread(() =>
            {
                action(worker);
                running.Signal();
            }) { IsBackground = true, Name = "soak" }.Start();
        }
        while (!running.Wait(PollEveryMs))
            poll();
    }

    private static string NameOf(SoakKind kind) => System.Text.Json.JsonNamingPolicy.CamelCase.ConvertName(kind.ToString());
}
