using System.Collections.Generic;

namespace BigPile.Perf.Graphs;

/// <summary>The edges of a graph in one direction, as one thread walks along them.</summary>
/// <remarks>
/// Implemented by structs over edges that are structs, so that the walk is compiled for each graph apart and calls nothing indirectly.
/// A package's number is in the package and nowhere else: each edge is walked to its end before it is known whether one was there.
/// Thread safety: each thread uses a copy of its own.
/// </remarks>
/// <typeparam name="TEdge">What leads to a package.</typeparam>
internal interface IGraphSide<TEdge>
    where TEdge : struct
{
    /// <summary>What leads to the package of a number.</summary>
    TEdge EdgeTo(int number);

    /// <summary>Goes to the package at the end of an edge, and stays there.</summary>
    /// <returns>The package's number.</returns>
    int Follow(TEdge edge);

    /// <summary>Adds the edges that leave the package where the walk is.</summary>
    void AddEdges(Stack<TEdge> edges);
}
