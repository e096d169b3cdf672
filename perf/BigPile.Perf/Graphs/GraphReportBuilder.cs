using System;
using System.Collections.Generic;
using System.Linq;
using BigPile.Perf.Reports;

namespace BigPile.Perf.Graphs;

/// <summary>Makes the report of what was measured.</summary>
internal static class GraphReportBuilder
{
    internal static GraphReport Make(GraphOptions options, PileResult pile, PlainResult plain) => new()
    {
        File = options.File,
        Store = options.Store.ToString().ToLowerInvariant(),
        ThreadsMax = options.ThreadsMax,
        Packages = pile.Catalog.Packages,
        Names = pile.Catalog.Names,
        Dependencies = pile.Catalog.Dependencies,
        Edges = pile.Catalog.Edges,
        Missing = pile.Catalog.Missing,
        Alternatives = pile.Catalog.Alternatives,
        LaterAlternatives = pile.Catalog.LaterAlternatives,
        TransitivePairs = pile.Answers.DependencyCounts.Sum(count => (long)count),
        MostNeeded = [.. pile.Answers.MostNeeded(pile.MostNeeded.Length)
            .Zip(pile.MostNeeded, (number, name) => new NeededPackage(name, pile.Answers.DependentCounts[number]))],
        Rates = [.. RatesOf(GraphRate.Pile, pile.Answers), .. RatesOf(GraphRate.Plain, plain.Answers)],
        Pile = FiguresOf(pile),
        Plain = new PlainGraphFigures
        {
            LoadSeconds = Math.Round(plain.LoadSeconds, 3),
            ManagedBytes = plain.ManagedBytes,
            BytesPerPackage = Ratio(plain.ManagedBytes, pile.Catalog.Packages),
            FullCollectionMs = Math.Round(plain.FullCollectionMs, 3),
        },
    };

    private static PileGraphFigures FiguresOf(PileResult pile) => new()
    {
        LoadSeconds = Math.Round(pile.LoadSeconds, 3),
        Objects = pile.Statistics.ObjectsSoFar,
        Links = pile.Statistics.LinksSoFar,
        PayloadBytes = pile.Statistics.PayloadBytes,
        CommittedBytes = pile.Statistics.CommittedBytes,
        BytesPerObject = Ratio(pile.Statistics.CommittedBytes, pile.Statistics.ObjectsSoFar),
        BytesPerPackage = Ratio(pile.Statistics.CommittedBytes, pile.Catalog.Packages),
        ManagedBytes = pile.ManagedBytes,
        FullCollectionMs = Math.Round(pile.FullCollectionMs, 3),
    };

    private static IEnumerable<GraphRate> RatesOf(string graph, GraphAnswers answers) =>
        answers.Dependencies.Select(run => RateOf(graph, GraphRate.Dependencies, run))
            .Concat(answers.Dependents.Select(run => RateOf(graph, GraphRate.Dependents, run)));

    private static GraphRate RateOf(string graph, string direction, ClosureRun run) => new(
        graph, direction, run.Threads, run.EdgesWalked, Math.Round(run.Seconds, 6),
        Math.Round(run.EdgesWalked / Math.Max(run.Seconds, 1e-9)));

    private static double Ratio(long bytes, long count) => Math.Round((double)bytes / count, 2);
}
