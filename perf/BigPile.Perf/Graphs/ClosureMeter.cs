using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.Linq;
using System.Threading;

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

/// <summary>Counts what packages reach, on one thread.</summary>
/// <remarks>
/// Visited packages are stamped with the walk's number, so that nothing is cleared between walks. Thread safety: belongs to one thread.
/// </remarks>
internal sealed class ClosureCounter<TSide, TEdge>(TSide side, int packages)
    where TSide : struct, IGraphSide<TEdge>
    where TEdge : struct
{
    private readonly int[] _stamps = new int[packages];
    private readonly Stack<TEdge> _edges = new();
    private int _walk;

    /// <summary>The edges of all walks.</summary>
    internal long EdgesWalked { get; private set; }

    /// <summary>Walks along all edges that can be reached from a package.</summary>
    /// <returns>The number of other packages that were reached.</returns>
    internal int Count(int number)
    {
        TSide here = side; // it moves with the walk
        _walk++;
        int count = 0;
        long edgesWalked = 0;
        _stamps[here.Follow(here.EdgeTo(number))] = _walk;
        here.AddEdges(_edges);
        while (_edges.TryPop(out TEdge edge))
        {
            edgesWalked++;
            ref int stamp = ref _stamps[here.Follow(edge)];
            if (stamp == _walk)
                continue;
            stamp = _walk;
            count++;
            here.AddEdges(_edges);
        }
        EdgesWalked += edgesWalked;
        return count;
    }
}

/// <summary>All packages counted once.</summary>
/// <param name="Threads">The threads that shared them.</param>
/// <param name="Counts">What each package reaches, by its number.</param>
/// <param name="EdgesWalked">The edges that all walks followed.</param>
/// <param name="Seconds">How long it took.</param>
internal sealed record ClosureRun(int Threads, int[] Counts, long EdgesWalked, double Seconds);

/// <summary>An order of packages in which equal shares take equal time.</summary>
/// <remarks>
/// Neighbours in the catalog are similar, for example in the size of their closure. So the first share gets the first block of each round,
/// the second share the second, and so on.
/// </remarks>
internal static class InterleavedOrder
{
    private const int BlockPackages = 64;

    /// <summary>Lists each package once, ordered so that the list can be cut into one share for each thread.</summary>
    internal static int[] Make(int packages, int threads)
    {
        int[] order = new int[packages];
        int done = 0;
        for (int share = 0; share < threads; share++)
        {
            for (long block = (long)share * BlockPackages; block < packages; block += (long)threads * BlockPackages)
            {
                for (long number = block; number < packages && number < block + BlockPackages; number++)
                    order[done++] = (int)number;
            }
        }
        return order;
    }
}

/// <summary>What a graph answered, and how fast.</summary>
/// <param name="Dependencies">What packages depend on, they and all that these depend on.</param>
/// <param name="Dependents">The packages that depend on them in that way.</param>
internal sealed record GraphAnswers(List<ClosureRun> Dependencies, List<ClosureRun> Dependents)
{
    /// <summary>The transitive dependencies of each package, by its number.</summary>
    internal int[] DependencyCounts => Dependencies[0].Counts;

    /// <summary>The transitive dependents of each package, by its number.</summary>
    internal int[] DependentCounts => Dependents[0].Counts;

    /// <summary>The packages of which most depend, the first one first.</summary>
    internal IEnumerable<int> MostNeeded(int limit) =>
        Enumerable.Range(0, DependentCounts.Length).OrderByDescending(number => DependentCounts[number]).Take(limit);

    /// <summary>Refuses a pile's answers that are not those of plain objects.</summary>
    internal static void RequireEqual(GraphAnswers pile, GraphAnswers plain, Func<int, string> nameOf)
    {
        RequireEqual("dependencies", pile.DependencyCounts, plain.DependencyCounts, nameOf);
        RequireEqual("dependents", pile.DependentCounts, plain.DependentCounts, nameOf);
    }

    private static void RequireEqual(string what, int[] pile, int[] plain, Func<int, string> nameOf)
    {
        int number = pile.AsSpan().CommonPrefixLength(plain);
        if (number == pile.Length && number == plain.Length)
            return;
        throw new LoadException(string.Create(
            CultureInfo.InvariantCulture,
            $"The package '{nameOf(number)}' has {pile[number]:N0} transitive {what} in the pile and {plain[number]:N0} among "
            + $"plain objects. The pile is at fault."));
    }
}
