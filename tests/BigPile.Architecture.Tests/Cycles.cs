using System;
using System.Collections.Generic;
using System.Linq;

namespace BigPile.Architecture.Tests;

/// <summary>The cycles of a graph: its strongly connected components of more than one node, after Tarjan (1972).</summary>
internal sealed class Cycles
{
    private readonly Dictionary<string, SortedSet<string>> _uses;
    private readonly Dictionary<string, (int Index, int Low)> _seen = new(StringComparer.Ordinal);
    private readonly Stack<string> _path = new();
    private readonly List<string[]> _found = [];

    private Cycles(Dictionary<string, SortedSet<string>> uses) => _uses = uses;

    /// <summary>The sets of nodes that use each other, each in order of names.</summary>
    internal static List<string[]> Of(Dictionary<string, SortedSet<string>> uses)
    {
        var cycles = new Cycles(uses);
        foreach (string node in uses.Keys.Order(StringComparer.Ordinal).Where(node => !cycles._seen.ContainsKey(node)))
            cycles.Visit(node);
        return cycles._found;
    }

    private int Visit(string node)
    {
        int index = _seen.Count;
        int low = index;
        _seen[node] = (index, low);
        _path.Push(node);
        foreach (string next in _uses.GetValueOrDefault(node) ?? [])
        {
            if (!_seen.TryGetValue(next, out (int Index, int Low) known))
                low = Math.Min(low, Visit(next));
            else if (_path.Contains(next))
                low = Math.Min(low, known.Index);
        }
        _seen[node] = (index, low);
        if (low == index)
            Take(node);
        return low;
    }

    private void Take(string first)
    {
        var cycle = new List<string>();
        do
            cycle.Add(_path.Pop());
        while (cycle[^1] != first);
        if (cycle.Count > 1)
            _found.Add([.. cycle.Order(StringComparer.Ordinal)]);
    }
}
