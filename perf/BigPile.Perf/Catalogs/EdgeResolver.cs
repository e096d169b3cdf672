using System;
using System.Collections.Generic;

namespace BigPile.Perf.Catalogs;

/// <summary>Finds the packages that dependencies name, and counts.</summary>
/// <remarks>If the catalog has several versions of a package, its name means the last one, whatever version is required.</remarks>
internal sealed class EdgeResolver
{
    private readonly Dictionary<string, int> _numberOf = new(StringComparer.Ordinal);
    private readonly int _packages;
    private int _dependencies;
    private int _edges;
    private int _alternatives;
    private int _laterAlternatives;

    internal EdgeResolver(List<CatalogEntry> entries)
    {
        for (int number = 0; number < entries.Count; number++)
            _numberOf[entries[number].Record.Id] = number;
        _packages = entries.Count;
    }

    /// <summary>What was counted so far.</summary>
    internal CatalogFigures Figures =>
        new(_packages, _numberOf.Count, _dependencies, _edges, _dependencies - _edges, _alternatives, _laterAlternatives);

    /// <summary>The edges of a package: of each dependency the first alternative that is in the catalog, if any is.</summary>
    internal CatalogEdge[] Resolve(CatalogEntry entry)
    {
        var edges = new List<CatalogEdge>(entry.Dependencies.Length);
        foreach (DependencyTerm[] alternatives in entry.Dependencies)
        {
            _dependencies++;
            if (alternatives.Length > 1)
                _alternatives++;
            int first = Array.FindIndex(alternatives, term => _numberOf.ContainsKey(term.Name));
            if (first < 0)
                continue;
            if (first > 0)
                _laterAlternatives++;
            DependencyTerm term = alternatives[first];
            edges.Add(new CatalogEdge(_numberOf[term.Name], term.Operator, term.Version));
        }
        _edges += edges.Count;
        return [.. edges];
    }
}
