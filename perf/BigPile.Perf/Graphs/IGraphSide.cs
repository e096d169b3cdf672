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

/// <summary>From packages in the pile to what they depend on.</summary>
internal struct PileDependenciesSide(PileGraph graph) : IGraphSide<PilePointer>
{
    private Package? _package;

    public readonly PilePointer EdgeTo(int number) => graph.PointerTo(number);

    public int Follow(PilePointer edge)
    {
        _package = graph.Pile.Get<Package>(edge);
        return _package.Number;
    }

    public readonly void AddEdges(Stack<PilePointer> edges)
    {
        foreach (Dependency dependency in _package!.Dependencies)
            edges.Push(dependency.Package);
    }
}

/// <summary>From packages in the pile to those that depend on them.</summary>
internal struct PileDependentsSide(PileGraph graph) : IGraphSide<PilePointer>
{
    private PilePointer _dependents;

    public readonly PilePointer EdgeTo(int number) => graph.PointerTo(number);

    public int Follow(PilePointer edge)
    {
        Package package = graph.Pile.Get<Package>(edge);
        _dependents = package.Dependents;
        return package.Number;
    }

    public readonly void AddEdges(Stack<PilePointer> edges)
    {
        if (!_dependents.IsValid)
            return;
        foreach (PilePointer package in graph.Pile.Get<Dependents>(_dependents).Packages)
            edges.Push(package);
    }
}

/// <summary>From packages on the managed heap to what they depend on.</summary>
internal struct PlainDependenciesSide(PlainGraph graph) : IGraphSide<PlainEdge>
{
    private PlainPackage? _package;

    public readonly PlainEdge EdgeTo(int number) => new(graph[number]);

    public int Follow(PlainEdge edge)
    {
        _package = edge.Package;
        return _package.Number;
    }

    public readonly void AddEdges(Stack<PlainEdge> edges)
    {
        foreach (PlainDependency dependency in _package!.Dependencies)
            edges.Push(new PlainEdge(dependency.Package));
    }
}

/// <summary>From packages on the managed heap to those that depend on them.</summary>
internal struct PlainDependentsSide(PlainGraph graph) : IGraphSide<PlainEdge>
{
    private PlainPackage? _package;

    public readonly PlainEdge EdgeTo(int number) => new(graph[number]);

    public int Follow(PlainEdge edge)
    {
        _package = edge.Package;
        return _package.Number;
    }

    public readonly void AddEdges(Stack<PlainEdge> edges)
    {
        foreach (PlainPackage package in _package!.Dependents)
            edges.Push(new PlainEdge(package));
    }
}

/// <summary>A reference in a struct: generic code is compiled separately for structs, but shared for references.</summary>
internal readonly record struct PlainEdge(PlainPackage Package);
