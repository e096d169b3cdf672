using System.Collections.Generic;

namespace BigPile.Perf.Graphs;

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
