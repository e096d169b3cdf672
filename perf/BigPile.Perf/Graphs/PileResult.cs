using System;
using BigPile.Perf.Catalogs;

namespace BigPile.Perf.Graphs;

/// <summary>The measurements of the graph in the pile, which is closed.</summary>
internal sealed record PileResult
{
    /// <summary>The graph, to verify that it was collected.</summary>
    internal required WeakReference Graph { get; init; }

    internal required CatalogFigures Catalog { get; init; }

    internal required PileStatistics Statistics { get; init; }

    internal required double LoadSeconds { get; init; }

    internal required long ManagedBytes { get; init; }

    internal required double FullCollectionMs { get; init; }

    internal required GraphAnswers Answers { get; init; }

    /// <summary>The names of the packages with most dependents.</summary>
    internal required string[] MostNeeded { get; init; }
}
