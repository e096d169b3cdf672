using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Perf.Catalogs;

namespace BigPile.Perf.Graphs;

/// <summary>Runs a graph load and cleans up: the pile first, then plain objects, never both at once.</summary>
internal sealed class GraphRunner
{
    private const int LargestListed = 5;

    private readonly GraphOptions _options;
    private readonly ILoadProgress _progress;
    private readonly CancellationToken _stop;
    private readonly ClosureMeter _meter;

    private GraphRunner(GraphOptions options, ILoadProgress progress, CancellationToken stop)
    {
        _options = options;
        _progress = progress;
        _stop = stop;
        _meter = new ClosureMeter(options.ThreadsMax, progress, stop);
    }

    /// <summary>Runs the load.</summary>
    internal static GraphReport Run(GraphOptions options, ILoadProgress progress, CancellationToken stop)
    {
        using WorkDirectory? directory = WorkDirectory.CreateFor(options.Store, requested: null);
        var runner = new GraphRunner(options, progress, stop);
        PileResult pile = runner.MeasurePile(directory?.PilePath);
        HeapMeter.RequireGone(pile.Graph, "The pile's graph");
        (PlainGraphFigures plain, GraphAnswers plainAnswers) = runner.MeasurePlain(pile.Answers);
        return new GraphReport
        {
            File = options.File,
            Store = LoadOption.NameOf(options.Store),
            ThreadsMax = options.ThreadsMax,
            Packages = pile.Catalog.Packages,
            Names = pile.Catalog.Names,
            Dependencies = pile.Catalog.Dependencies,
            Edges = pile.Catalog.Edges,
            Missing = pile.Catalog.Missing,
            Alternatives = pile.Catalog.Alternatives,
            LaterAlternatives = pile.Catalog.LaterAlternatives,
            TransitivePairs = pile.Answers.DependencyCounts.Sum(static count => (long)count),
            MostNeeded = pile.MostNeeded,
            Rates = [.. RatesOf(GraphRate.Pile, pile.Answers), .. RatesOf(GraphRate.Plain, plainAnswers)],
            Pile = pile.Figures,
            Plain = plain,
        };
    }

    [MethodImpl(MethodImplOptions.NoInlining)] // no frame may still hold the graph when the next one is made
    private PileResult MeasurePile(string? directory)
    {
        var pileOptions = new PileOptions { Store = _options.Store, Directory = directory };
        (PileGraph graph, double loadSeconds, long managedBytes) =
            HeapMeter.Make(() => PileGraphBuilder.Build(ReadCatalog(), pileOptions, _progress, _stop));
        using (graph)
        {
            var answers = new GraphAnswers(
                _meter.Measure<PileDependenciesSide, PilePointer>("pile: dependencies", new PileDependenciesSide(graph), graph.Count),
                _meter.Measure<PileDependentsSide, PilePointer>("pile: dependents", new PileDependentsSide(graph), graph.Count));
            PileStatistics statistics = graph.Pile.Statistics;
            var figures = new PileGraphFigures
            {
                LoadSeconds = Figure.Rounded(loadSeconds, 3),
                Objects = statistics.ObjectsSoFar,
                Links = statistics.LinksSoFar,
                PayloadBytes = statistics.PayloadBytes,
                CommittedBytes = statistics.CommittedBytes,
                BytesPerObject = Ratio(statistics.CommittedBytes, statistics.ObjectsSoFar),
                BytesPerPackage = Ratio(statistics.CommittedBytes, graph.Count),
                ManagedBytes = managedBytes,
                FullCollectionMs = Figure.Rounded(FullCollection.MeasureLongestMs(), 3),
            };
            NeededPackage[] needed = [.. answers.MostNeeded(LargestListed)
                .Select(number => new NeededPackage(graph.Get(number).Name, answers.DependentCounts[number]))];
            return new PileResult(new WeakReference(graph), graph.Figures, figures, answers, needed);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private (PlainGraphFigures Figures, GraphAnswers Answers) MeasurePlain(GraphAnswers expected)
    {
        (PlainGraph graph, double loadSeconds, long managedBytes) = HeapMeter.Make(() => new PlainGraph(ReadCatalog()));
        var answers = new GraphAnswers(
            _meter.Measure<PlainDependenciesSide, PlainEdge>("plain: dependencies", new PlainDependenciesSide(graph), graph.Count),
            _meter.Measure<PlainDependentsSide, PlainEdge>("plain: dependents", new PlainDependentsSide(graph), graph.Count));
        double fullCollectionMs = FullCollection.MeasureLongestMs();
        GraphAnswers.RequireEqual(expected, answers, number => graph[number].Name); // keeps the graph alive until here
        var figures = new PlainGraphFigures
        {
            LoadSeconds = Figure.Rounded(loadSeconds, 3),
            ManagedBytes = managedBytes,
            BytesPerPackage = Ratio(managedBytes, graph.Count),
            FullCollectionMs = Figure.Rounded(fullCollectionMs, 3),
        };
        return (figures, answers);
    }

    private PackageCatalog ReadCatalog() => PackageCatalog.Read(_options.File, _progress, _stop);

    private static IEnumerable<GraphRate> RatesOf(string graph, GraphAnswers answers) =>
        answers.Dependencies.Select(run => RateOf(graph, GraphRate.Dependencies, run))
            .Concat(answers.Dependents.Select(run => RateOf(graph, GraphRate.Dependents, run)));

    private static GraphRate RateOf(string graph, string direction, ClosureRun run) => new(
        graph, direction, run.Threads, run.EdgesWalked, Figure.Rounded(run.Seconds, 6),
        Figure.PerSecond(run.EdgesWalked, run.Seconds));

    private static double Ratio(long bytes, long count) => Math.Round((double)bytes / count, 2);

    /// <summary>What was measured of the graph in the pile, which is closed; the reference verifies that it was collected.</summary>
    private sealed record PileResult(
        WeakReference Graph, CatalogFigures Catalog, PileGraphFigures Figures, GraphAnswers Answers,
        IReadOnlyList<NeededPackage> MostNeeded);
}

/// <summary>Builds graphs and measures the managed heap that they take.</summary>
internal static class HeapMeter
{
    /// <summary>Makes something.</summary>
    /// <returns>The result, the seconds that it took, and the growth of the managed heap in bytes without garbage.</returns>
    [MethodImpl(MethodImplOptions.NoInlining)] // temporaries such as the catalog are out of every frame when the result is measured
    internal static (T Made, double Seconds, long ManagedBytes) Make<T>(Func<T> make)
    {
        long bytesBefore = GC.GetTotalMemory(forceFullCollection: true);
        long start = Stopwatch.GetTimestamp();
        T made = make();
        double seconds = Stopwatch.GetElapsedTime(start).TotalSeconds;
        return (made, seconds, GC.GetTotalMemory(forceFullCollection: true) - bytesBefore);
    }

    /// <summary>Collects, and throws if something survives that the next measurement would include.</summary>
    internal static void RequireGone(WeakReference reference, string what)
    {
        GC.Collect();
        if (reference.IsAlive)
            throw new LoadException($"{what} is still in memory. The figures of what comes next would be wrong.");
    }
}
