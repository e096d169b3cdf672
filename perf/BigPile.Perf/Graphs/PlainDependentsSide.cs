using System.Collections.Generic;

namespace BigPile.Perf.Graphs;

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
