using System;
using BigPile.Perf.Catalogs;

namespace BigPile.Perf.Graphs;

/// <summary>The catalog as objects with references, for comparison.</summary>
internal sealed class PlainGraph
{
    private readonly PlainPackage[] _packages;

    /// <summary>Makes the graph. It shares the catalog's texts, which are its own once the catalog is gone.</summary>
    internal PlainGraph(PackageCatalog catalog)
    {
        _packages = new PlainPackage[catalog.Count];
        for (int number = 0; number < _packages.Length; number++)
            _packages[number] = MakePackage(number, catalog.RecordOf(number));
        foreach (PlainPackage package in _packages)
        {
            package.Dependencies = Array.ConvertAll(
                catalog.EdgesOf(package.Number), edge => new PlainDependency(_packages[edge.Target], edge.Operator, edge.Version));
            package.Dependents = Array.ConvertAll(catalog.DependentsOf(package.Number), number => _packages[number]);
        }
    }

    internal int Count => _packages.Length;

    internal PlainPackage this[int number] => _packages[number];

    private static PlainPackage MakePackage(int number, CatalogRecord record) => new()
    {
        Number = number,
        Name = record.Id,
        Version = record.Version,
        Architecture = record.Architecture,
        Section = record.Section,
        Priority = record.Priority,
        Homepage = record.Homepage,
        InstalledSizeKiB = record.InstalledSizeKiB,
        SizeBytes = record.SizeBytes,
        Description = record.Description,
        Tags = record.Tags,
        Sha256 = record.Sha256,
    };
}

/// <summary>The same as <see cref="Package"/> on the managed heap, with references where that one has pointers.</summary>
internal sealed class PlainPackage
{
    internal int Number { get; init; }
    internal string Name { get; init; } = "";
    internal string Version { get; init; } = "";
    internal string Architecture { get; init; } = "";
    internal string Section { get; init; } = "";
    internal string Priority { get; init; } = "";
    internal string? Homepage { get; init; }
    internal long InstalledSizeKiB { get; init; }
    internal long SizeBytes { get; init; }
    internal string Description { get; init; } = "";
    internal string[] Tags { get; init; } = [];
    internal string Sha256 { get; init; } = "";
    internal PlainDependency[] Dependencies { get; set; } = [];
    internal PlainPackage[] Dependents { get; set; } = [];
}

/// <summary>The same as <see cref="Dependency"/> with a reference.</summary>
internal readonly record struct PlainDependency(PlainPackage Package, VersionOperator Operator, string? Version);
