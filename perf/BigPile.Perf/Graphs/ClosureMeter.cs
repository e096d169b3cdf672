using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.Linq;
using System.Threading;
using BigPile.Perf.Loads;

namespace BigPile.Perf.Graphs;

/// <summary>Counts what each package reaches, on one thread and on all, and measures how long it takes.</summary>
internal sealed class ClosureMeter(int threadsMax, ILoadProgress progress, CancellationToken stop)
{
    private const int BatchPackages = 32;
    private const int WarmUpRounds = 3;

    // Long enough for the runtime to have fully optimized the loops.
    private static readonly TimeSpan WarmUpTime = TimeSpan.FromSeconds(1);

    /// <summary>Counts all packages of a graph.</summary>
    /// <param name="what">The graph and the direction, for people.</param>
    /// <param name="side">The graph in one direction.</param>
    /// <param name="packages">The packages of the graph.</param>
    /// <returns>A run on one thread, and one on all if there are more.</returns>
    /// <exception cref="LoadException">The runs differ.</exception>
    /// <exception cref="OperationCanceledException">The user stopped it.</exception>
    internal List<ClosureRun> Measure<TSide, TEdge>(string what, TSide side, int packages)
        where TSide : struct, IGraphSide<TEdge>
        where TEdge : struct
    {
        WarmUp<TSide, TEdge>(side, packages);
        List<ClosureRun> runs = [Run<TSide, TEdge>(what, side, packages, threads: 1)];
        if (threadsMax > 1)
        {
            runs.Add(Run<TSide, TEdge>(what, side, packages, threadsMax));
            RequireEqual(what, runs[0], runs[1]);
        }
        return runs;
    }

    private void WarmUp<TSide, TEdge>(TSide side, int packages)
        where TSide : struct, IGraphSide<TEdge>
        where TEdge : struct
    {
        var counter = new ClosureCounter<TSide, TEdge>(side, packages);
        long start = Stopwatch.GetTimestamp();
        for (long i = 0; i < (long)WarmUpRounds * packages && Stopwatch.GetElapsedTime(start) < WarmUpTime; i++)
        {
            stop.ThrowIfCancellationRequested();
            counter.Count((int)(i % packages));
        }
    }

    private ClosureRun Run<TSide, TEdge>(string what, TSide side, int packages, int threads)
        where TSide : struct, IGraphSide<TEdge>
        where TEdge : struct
    {
        int[] counts = new int[packages];
        int[] order = InterleavedOrder.Make(packages, threads);
        var counters = new ClosureCounter<TSide, TEdge>[threads];
        for (int i = 0; i < threads; i++)
            counters[i] = new ClosureCounter<TSide, TEdge>(side, packages);
        string phase = $"{what}, {Counted.Of(threads, "thread")}";
        using var team = new WorkerTeam(Worker.Divide(packages, threads), BatchPackages, progress, stop);
        double seconds = team.Run(phase, (worker, start, end) =>
        {
            ClosureCounter<TSide, TEdge> counter = counters[worker.Index];
            foreach (int number in order.AsSpan(start, end - start))
                counts[number] = counter.Count(number);
        });
        return new ClosureRun(threads, counts, counters.Sum(counter => counter.EdgesWalked), seconds);
    }

    private static void RequireEqual(string what, ClosureRun alone, ClosureRun shared)
    {
        int length = alone.Counts.AsSpan().CommonPrefixLength(shared.Counts);
        if (length == alone.Counts.Length && alone.EdgesWalked == shared.EdgesWalked)
            return;
        throw new LoadException(string.Create(
            CultureInfo.InvariantCulture,
            $"{what}: 1 thread and {shared.Threads} threads give different answers, first for package number {length}."));
    }
}
