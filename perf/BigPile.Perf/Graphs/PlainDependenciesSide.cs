using System.Collections.Generic;

namespace BigPile.Perf.Graphs;

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
