using System.Collections.Generic;

namespace BigPile.Perf.Reports;

/// <summary>What a graph load measured. The names and their order are those of the JSON object.</summary>
internal sealed record GraphReport
{
    public required string File { get; init; } // the catalog, as the command line names it
    public required string Store { get; init; } // managed, native or mapped
    public required int ThreadsMax { get; init; } // the most threads
    public required int Packages { get; init; } // packages of the catalog, which are the nodes of the graph
    public required int Names { get; init; } // different names of packages; a name of several versions leads to the last one in the file
    public required int Dependencies { get; init; } // dependencies that were parsed, each with all its alternatives counted once
    public required int Edges { get; init; } // dependencies of those that lead to a package of the catalog
    public required int Missing { get; init; } // dependencies with no alternative in the catalog: missing packages and virtual ones
    public required int Alternatives { get; init; } // dependencies that offer more than one package
    public required int LaterAlternatives { get; init; } // edges to an alternative behind the first one, which is not in the catalog

    /// <summary>The transitive dependencies of all packages together, which are their dependents too.</summary>
    public required long TransitivePairs { get; init; }
    public required IReadOnlyList<NeededPackage> MostNeeded { get; init; } // the packages with most transitive dependents
    public required IReadOnlyList<GraphRate> Rates { get; init; } // each way of counting all packages
    public required PileGraphFigures Pile { get; init; } // the graph in the pile
    public required PlainGraphFigures Plain { get; init; } // the graph of plain objects
}

/// <summary>The graph in the pile.</summary>
internal sealed record PileGraphFigures
{
    public required double LoadSeconds { get; init; } // from opening the file to the last dependency in place
    public required long Objects { get; init; } // packages, and the lists of dependents of those that have any
    public required long Links { get; init; } // packages that outgrew the room that they were first given
    public required long PayloadBytes { get; init; } // bytes that the codec wrote for them
    public required long CommittedBytes { get; init; } // bytes of pages in use, headers and slack included
    public required double BytesPerObject { get; init; } // those over all objects
    public required double BytesPerPackage { get; init; } // those over packages alone, their dependents' lists included

    /// <summary>Bytes by which the managed heap grew: the pointers, and the segments of a managed pile.</summary>
    public required long ManagedBytes { get; init; }

    /// <summary>The longest of several forced full collections in milliseconds, with nothing but this graph.</summary>
    public required double FullCollectionMs { get; init; }
}

/// <summary>The graph of plain objects.</summary>
internal sealed record PlainGraphFigures
{
    public required double LoadSeconds { get; init; } // from opening the file to the last reference in place
    public required long ManagedBytes { get; init; } // bytes by which the managed heap grew
    public required double BytesPerPackage { get; init; } // those over all packages

    /// <summary>The longest of several forced full collections in milliseconds, with nothing but this graph.</summary>
    public required double FullCollectionMs { get; init; }
}

/// <summary>How fast all packages were counted in one way.</summary>
/// <param name="Graph">pile or plain.</param>
/// <param name="Direction">dependencies or dependents.</param>
/// <param name="Threads">The threads that shared the packages.</param>
/// <param name="EdgesWalked">The edges of all walks; each was followed by reading the package at its end.</param>
/// <param name="Seconds">How long it took.</param>
/// <param name="EdgesPerSecond">The one by the other.</param>
internal sealed record GraphRate(string Graph, string Direction, int Threads, long EdgesWalked, double Seconds, double EdgesPerSecond)
{
    internal const string Pile = "pile";
    internal const string Plain = "plain";
    internal const string Dependencies = "dependencies";
    internal const string Dependents = "dependents";
}

/// <summary>A package and the number of its transitive dependents.</summary>
internal sealed record NeededPackage(string Name, int Dependents);
