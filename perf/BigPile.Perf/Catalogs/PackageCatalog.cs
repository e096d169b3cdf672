using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using BigPile.Perf.Loads;

namespace BigPile.Perf.Catalogs;

/// <summary>The packages of a file by number, and the edges between them.</summary>
internal sealed class PackageCatalog
{
    private readonly List<CatalogEntry> _entries;
    private readonly CatalogEdge[][] _edges;
    private readonly int[][] _dependents;

    internal PackageCatalog(List<CatalogEntry> entries)
    {
        _entries = entries;
        var resolver = new EdgeResolver(entries);
        _edges = [.. entries.Select(resolver.Resolve)];
        Figures = resolver.Figures;
        _dependents = Reverse(_edges);
    }

    internal int Count => _entries.Count;

    internal CatalogFigures Figures { get; }

    /// <summary>Reads a file.</summary>
    /// <inheritdoc cref="CatalogReader.Read"/>
    internal static PackageCatalog Read(string path, ILoadProgress progress, CancellationToken stop) =>
        new(CatalogReader.Read(path, progress, stop));

    internal CatalogRecord RecordOf(int number) => _entries[number].Record;

    /// <summary>What a package depends on.</summary>
    internal CatalogEdge[] EdgesOf(int number) => _edges[number];

    /// <summary>The packages that depend on one; a package that does so twice is there twice, as its edges are.</summary>
    internal int[] DependentsOf(int number) => _dependents[number];

    private static int[][] Reverse(CatalogEdge[][] edges)
    {
        int[] counts = new int[edges.Length];
        foreach (CatalogEdge edge in edges.SelectMany(all => all))
            counts[edge.Target]++;
        int[][] dependents = Array.ConvertAll(counts, count => new int[count]);
        for (int number = 0; number < edges.Length; number++)
        {
            foreach (CatalogEdge edge in edges[number])
                dependents[edge.Target][^counts[edge.Target]--] = number;
        }
        return dependents;
    }
}
