using System;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Perf.Catalogs;
using BigPile.Perf.Loads;
using BigPile.Perf.Reports;

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
    /// <exception cref="LoadException">The catalog is malformed, or the pile gave a wrong answer.</exception>
    /// <exception cref="PileException">The pile failed.</exception>
    /// <exception cref="OperationCanceledException">The user stopped it.</exception>
    internal static GraphReport Run(GraphOptions options, ILoadProgress progress, CancellationToken stop)
    {
        using WorkDirectory? directory = WorkDirectory.CreateFor(options.Store, requested: null);
        var runner = new GraphRunner(options, progress, stop);
        PileResult pile = runner.MeasurePile(directory?.PilePath);
        HeapMeter.RequireGone(pile.Graph, "The pile's graph");
        PlainResult plain = runner.MeasurePlain(pile.Answers);
        return GraphReportBuilder.Make(options, pile, plain);
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
            return new PileResult
            {
                Graph = new WeakReference(graph),
                Catalog = graph.Figures,
                Statistics = graph.Pile.Statistics,
                LoadSeconds = loadSeconds,
                ManagedBytes = managedBytes,
                FullCollectionMs = FullCollection.MeasureLongestMs(),
                Answers = answers,
                MostNeeded = [.. answers.MostNeeded(LargestListed).Select(number => graph.Get(number).Name)],
            };
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private PlainResult MeasurePlain(GraphAnswers expected)
    {
        (PlainGraph graph, double loadSeconds, long managedBytes) = HeapMeter.Make(() => new PlainGraph(ReadCatalog()));
        var answers = new GraphAnswers(
            _meter.Measure<PlainDependenciesSide, PlainEdge>("plain: dependencies", new PlainDependenciesSide(graph), graph.Count),
            _meter.Measure<PlainDependentsSide, PlainEdge>("plain: dependents", new PlainDependentsSide(graph), graph.Count));
        double fullCollectionMs = FullCollection.MeasureLongestMs();
        GraphAnswers.RequireEqual(expected, answers, number => graph[number].Name); // keeps the graph alive until here
        return new PlainResult(loadSeconds, managedBytes, fullCollectionMs, answers);
    }

    private PackageCatalog ReadCatalog() => PackageCatalog.Read(_options.File, _progress, _stop);
}
