using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;
using System.Threading.Tasks;

namespace BigPile.Perf.Latencies;

/// <summary>Concurrent work during the calls, on its own threads: flushes, and replacements of entries with odd numbers.</summary>
/// <remarks>It sleeps in between, since the calls need a core to themselves.</remarks>
internal sealed class Disturbance(LatencyOptions options, ICallTarget target)
{
    private const int PauseMs = 1;

    internal int Flushes { get; private set; }

    internal long Replacements { get; private set; }

    /// <summary>Runs as long as the given work does, and fails if either fails.</summary>
    internal void During(Action work)
    {
        using var end = new CancellationTokenSource();
        var running = new List<Task>();
        if (options.FlushEverySeconds > 0)
            running.Add(Start(() => Flush(end.Token)));
        if (options.ReplaceRate > 0)
            running.Add(Start(() => Replace(end.Token)));
        try
        {
            work();
        }
        finally
        {
            end.Cancel();
            Task.WhenAll(running).GetAwaiter().GetResult();
        }
    }

    private static Task Start(Action work) =>
        Task.Factory.StartNew(work, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);

    private void Flush(CancellationToken end)
    {
        long start = Stopwatch.GetTimestamp();
        while (!end.WaitHandle.WaitOne(UntilNextFlush(start)) || Flushes == 0) // one at least, on a machine that is too busy as well
        {
            target.Pile.Flush();
            Flushes++;
        }
    }

    private TimeSpan UntilNextFlush(long start)
    {
        TimeSpan wait = TimeSpan.FromSeconds((Flushes + 1) * options.FlushEverySeconds) - Stopwatch.GetElapsedTime(start);
        return wait > TimeSpan.Zero ? wait : TimeSpan.Zero;
    }

    private void Replace(CancellationToken end)
    {
        var buffer = new byte[options.ValueBytes];
        var order = new RandomOrder(seed: options.Count, options.Count / 2);
        long start = Stopwatch.GetTimestamp();
        while (!end.WaitHandle.WaitOne(PauseMs) || Replacements == 0)
        {
            double due = Stopwatch.GetElapsedTime(start).TotalSeconds * options.ReplaceRate;
            for (; Replacements < due && (Replacements == 0 || !end.IsCancellationRequested); Replacements++)
                target.Replace(2 * order.Next() + 1, buffer);
        }
    }
}
