using System.Collections.Generic;

namespace BigPile.Perf.Graphs;

/// <summary>The edges of a graph in one direction, as one thread walks along them.</summary>
/// <remarks>
/// Implemented by structs over struct edges, so that the walk is compiled for each graph separately and calls nothing indirectly. A
/// package's number is stored only in the package: each edge is followed to its end before it is known whether the package was visited.
/// Thread safety: each thread uses a copy of its own.
/// </remarks>
/// <typeparam name="TEdge">What leads to a package.</typeparam>
internal interface IGraphSide<TEdge>
    where TEdge : struct
{
    /// <summary>What leads to the package of a number.</summary>
    TEdge EdgeTo(int number);

    /// <summary>Moves to the package at the end of an edge.</summary>
    /// <returns>The package's number.</returns>
    int Follow(TEdge edge);

    /// <summary>Adds the edges that leave the current package.</summary>
    void AddEdges(Stack<TEdge> edges);
}
