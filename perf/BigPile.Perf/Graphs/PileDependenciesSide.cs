using System.Collections.Generic;

namespace BigPile.Perf.Graphs;

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
