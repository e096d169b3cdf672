using System.Collections.Generic;

namespace BigPile.Perf.Reports;

/// <summary>What a graph load measured. The names and their order are those of the JSON object.</summary>
internal sealed record GraphReport
{
    /// <summary>The catalog, as the command line names it.</summary>
    public required string File { get; init; }

    /// <summary>managed, native or mapped.</summary>
    public required string Store { get; init; }

    /// <summary>The most threads.</summary>
    public required int ThreadsMax { get; init; }

    /// <summary>Packages of the catalog, which are the nodes of the graph.</summary>
    public required int Packages { get; init; }

    /// <summary>Different names of packages; a name of several versions leads to the last one in the file.</summary>
    public required int Names { get; init; }

    /// <summary>Dependencies that were parsed, each with all its alternatives counted once.</summary>
    public required int Dependencies { get; init; }

    /// <summary>Dependencies of those that lead to a package of the catalog.</summary>
    public required int Edges { get; init; }

    /// <summary>Dependencies with no alternative in the catalog: missing packages and virtual ones.</summary>
    public required int Missing { get; init; }

    /// <summary>Dependencies that offer more than one package.</summary>
    public required int Alternatives { get; init; }

    /// <summary>Edges to an alternative behind the first one, which is not in the catalog.</summary>
    public required int LaterAlternatives { get; init; }

    /// <summary>The transitive dependencies of all packages together, which are their dependents too.</summary>
    public required long TransitivePairs { get; init; }

    /// <summary>The packages with most transitive dependents.</summary>
    public required IReadOnlyList<NeededPackage> MostNeeded { get; init; }

    /// <summary>Each way of counting all packages.</summary>
    public required IReadOnlyList<GraphRate> Rates { get; init; }

    /// <summary>The graph in the pile.</summary>
    public required PileGraphFigures Pile { get; init; }

    /// <summary>The graph of plain objects.</summary>
    public required PlainGraphFigures Plain { get; init; }
}
