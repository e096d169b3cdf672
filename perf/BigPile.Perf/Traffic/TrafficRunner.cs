using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Threading;

namespace BigPile.Perf.Traffic;

/// <summary>Runs a traffic load: the clients, and what is done to the server meanwhile.</summary>
internal static class TrafficRunner
{
    // In hundredths of the requests: what happens then.
    private static readonly (double Percent, Action<Course> Do)[] Milestones =
    [
        (25, static course => course.Measure(25)),
        (100.0 / 3, static course => course.Restart(isClean: true)),
        (50, static course => course.Measure(50)),
        (200.0 / 3, static course => course.Restart(isClean: false)),
        (75, static course => course.Measure(75)),
    ];

    /// <summary>Runs the load.</summary>
    internal static TrafficReport Run(TrafficOptions options, ILoadProgress progress, CancellationToken stop)
    {
        stop.ThrowIfCancellationRequested();
        using WorkDirectory directory = WorkDirectory.Create(options.Directory);
        using var tally = new TrafficTally();
        using var server = new TrafficServer(directory.PilePath);
        var course = new Course(options, server, tally, progress);
        course.Run(stop);
        return course.Report();
    }

    /// <summary>One run.</summary>
    private sealed class Course(TrafficOptions options, TrafficServer server, TrafficTally tally, ILoadProgress progress)
    {
        private readonly List<TrafficRestart> _restarts = [];
        private readonly List<TrafficMemory> _memory = [];
        private double _seconds;

        internal void Run(CancellationToken stop)
        {
            TrafficProbe.MakeTable(server.Address);
            progress.Begin("requests", options.Requests);
            long start = Stopwatch.GetTimestamp();
            Thread[] clients = [.. Enumerable.Range(0, options.Clients).Select(number => StartClient(number, stop))];
            try
            {
                foreach ((double percent, Action<Course> act) in Milestones)
                {
                    tally.WaitFor((long)(options.Requests * percent / 100), stop);
                    progress.Report(tally.Done);
                    if (tally.Failure == null)
                        act(this);
                }
            }
            finally
            {
                server.GiveUp();
                foreach (Thread client in clients)
                    client.Join();
            }
            _seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
            stop.ThrowIfCancellationRequested();
            if (tally.Failure is { } failure)
                throw failure as LoadException ?? new LoadException($"The load can't go on: {failure.Message}", failure);
            Measure(100);
        }

        internal void Measure(int percent) => _memory.Add(TrafficProbe.MemoryOf(server.Process, percent));

        internal void Restart(bool isClean) => _restarts.Add(server.Restart(isClean));

        internal TrafficReport Report() => new()
        {
            Requests = tally.Done,
            Seed = options.Seed,
            Clients = options.Clients,
            Depth = options.Depth,
            Keys = options.Keys,
            WrongAnswers = tally.Wrong,
            WrongExamples = tally.Examples,
            PerSecond = Figure.Rounded((tally.Done + tally.FinalReads) / _seconds, 0),
            Seconds = Figure.Rounded(_seconds, 2),
            Operations = tally.Operations,
            ExpiredReads = tally.Expired,
            UncertainChanges = tally.Uncertain,
            FinalReads = tally.FinalReads,
            Restarts = _restarts,
            Memory = _memory,
        };

        private Thread StartClient(int number, CancellationToken stop)
        {
            long share = options.Requests / options.Clients + (number < options.Requests % options.Clients ? 1 : 0);
            var client = new TrafficClient(number, options, server, tally);
            var thread = new Thread(() => RunClient(client, share, stop)) { IsBackground = true, Name = $"client {number}" };
            thread.Start();
            return thread;
        }

        private void RunClient(TrafficClient client, long share, CancellationToken stop)
        {
            try
            {
                client.Run(share, stop);
            }
            catch (OperationCanceledException)
            {
                // the runner knows
            }
            catch (Exception e)
            {
                tally.Fail(e);
            }
        }
    }
}
