using System.Collections.Generic;

namespace BigPile.Perf.Graphs;

/// <summary>Counts what packages reach, on one thread.</summary>
/// <remarks>
/// Visited packages are stamped with the walk's number, so that nothing is cleared between walks. Thread safety: belongs to one thread.
/// </remarks>
internal sealed class ClosureCounter<TSide, TEdge>(TSide side, int packages)
    where TSide : struct, IGraphSide<TEdge>
    where TEdge : struct
{
    private readonly int[] _stamps = new int[packages];
    private readonly Stack<TEdge> _edges = new();
    private int _walk;

    /// <summary>The edges of all walks.</summary>
    internal long EdgesWalked { get; private set; }

    /// <summary>Walks along all edges that can be reached from a package.</summary>
    /// <returns>The number of other packages that were reached.</returns>
    internal int Count(int number)
    {
        TSide here = side; // it moves with the walk
        _walk++;
        int count = 0;
        long edgesWalked = 0;
        _stamps[here.Follow(here.EdgeTo(number))] = _walk;
        here.AddEdges(_edges);
        while (_edges.TryPop(out TEdge edge))
        {
            edgesWalked++;
            ref int stamp = ref _stamps[here.Follow(edge)];
            if (stamp == _walk)
                continue;
            stamp = _walk;
            count++;
            here.AddEdges(_edges);
        }
        EdgesWalked += edgesWalked;
        return count;
    }
}
