using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;

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

/// <summary>What a catalog has.</summary>
/// <param name="Packages">Packages; one in two versions is two.</param>
/// <param name="Names">Different names of packages.</param>
/// <param name="Dependencies">Dependencies, each with all its alternatives counted once.</param>
/// <param name="Edges">Dependencies of those that lead to a package of the catalog.</param>
/// <param name="Missing">The other ones: no alternative is in the catalog, or all are virtual.</param>
/// <param name="Alternatives">Dependencies that offer more than one package.</param>
/// <param name="LaterAlternatives">Edges that lead to another alternative than the first one, which is not in the catalog.</param>
internal readonly record struct CatalogFigures(
    int Packages, int Names, int Dependencies, int Edges, int Missing, int Alternatives, int LaterAlternatives);

/// <summary>A dependency whose package was found.</summary>
/// <param name="Target">The package's number.</param>
/// <param name="Operator">How versions compare.</param>
/// <param name="Version">The version to compare with; <see langword="null"/> when any will do.</param>
internal readonly record struct CatalogEdge(int Target, VersionOperator Operator, string? Version);
