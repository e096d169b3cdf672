using System;
using System.Linq;
using System.Text;
using System.Threading;
using BigPile.Perf.Catalogs;

namespace BigPile.Perf.Graphs;

/// <summary>The catalog as objects in a pile. The managed heap holds only a pointer to each package.</summary>
/// <remarks>Thread safety: any number of threads.</remarks>
internal sealed class PileGraph(Pile pile, PilePointer[] pointers, CatalogFigures figures) : IDisposable
{
    internal Pile Pile { get; } = pile;

    internal int Count => pointers.Length;

    internal CatalogFigures Figures { get; } = figures; // what the catalog had

    internal PilePointer PointerTo(int number) => pointers[number];

    /// <summary>Reads a package.</summary>
    internal Package Get(int number) => Pile.Get<Package>(pointers[number]);

    public void Dispose() => Pile.Dispose();
}

/// <summary>Puts a catalog into a pile.</summary>
/// <remarks>
/// Dependencies have cycles, so no order puts each package after all that it points to. All are put first, with space for the pointers, and
/// then replaced in place with their pointers.
/// </remarks>
internal sealed class PileGraphBuilder
{
    private const int PackagesPerReport = 1024;

    private readonly PackageCatalog _catalog;
    private readonly Pile _pile;
    private readonly ILoadProgress _progress;
    private readonly CancellationToken _stop;
    private readonly PilePointer[] _pointers;

    private PileGraphBuilder(PackageCatalog catalog, Pile pile, ILoadProgress progress, CancellationToken stop)
    {
        _catalog = catalog;
        _pile = pile;
        _progress = progress;
        _stop = stop;
        _pointers = new PilePointer[catalog.Count];
    }

    /// <summary>Makes the pile and fills it.</summary>
    internal static PileGraph Build(PackageCatalog catalog, PileOptions options, ILoadProgress progress, CancellationToken stop)
    {
        var pile = new Pile(options);
        try
        {
            var builder = new PileGraphBuilder(catalog, pile, progress, stop);
            builder.ForEachPackage("put packages", builder.PutPackage);
            builder.ForEachPackage("put dependencies", builder.PutEdges);
            return new PileGraph(pile, builder._pointers, catalog.Figures);
        }
        catch
        {
            pile.Dispose();
            throw;
        }
    }

    private void ForEachPackage(string phase, Action<int> put)
    {
        _progress.Begin(phase, _pointers.Length);
        for (int number = 0; number < _pointers.Length; number++)
        {
            _stop.ThrowIfCancellationRequested();
            put(number);
            if (number % PackagesPerReport == 0)
                _progress.Report(number);
        }
    }

    private void PutPackage(int number)
    {
        Package package = MakePackage(number, _catalog.RecordOf(number));
        _pointers[number] = _pile.PutWithCapacity(package, PackageSize.EstimateBytes(package, _catalog.EdgesOf(number)));
    }

    private void PutEdges(int number)
    {
        PilePointer pointer = _pointers[number];
        Package package = _pile.Get<Package>(pointer);
        package.Dependencies = Array.ConvertAll(
            _catalog.EdgesOf(number), edge => new Dependency(_pointers[edge.Target], edge.Operator, edge.Version));
        int[] dependents = _catalog.DependentsOf(number);
        if (dependents.Length > 0)
            package.Dependents = _pile.Put(new Dependents { Packages = Array.ConvertAll(dependents, from => _pointers[from]) });
        _pile.Replace(pointer, package);
    }

    private static Package MakePackage(int number, CatalogRecord record) => new()
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

/// <summary>A package as it lies in the pile, written as an application would: nothing in it is there for the codec.</summary>
internal sealed class Package
{
    internal int Number { get; init; } // the package's dense number, by which a walk knows where it was
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
    internal Dependency[] Dependencies { get; set; } = []; // what it depends on; given once all packages have a pointer
    internal PilePointer Dependents { get; set; } // the Dependents in the pile; invalid when there are none
}

/// <summary>A dependency of a package in the pile.</summary>
/// <param name="Package">The <see cref="Graphs.Package"/> that it leads to.</param>
/// <param name="Operator">How versions compare.</param>
/// <param name="Version">The version to compare with; <see langword="null"/> when any will do.</param>
internal readonly record struct Dependency(PilePointer Package, VersionOperator Operator, string? Version);

/// <summary>
/// The packages that depend on one. An object of its own, so that reading a package that all need does not read them all.
/// </summary>
internal sealed class Dependents
{
    internal PilePointer[] Packages { get; init; } = [];
}

/// <summary>Estimates a package's bytes including pointers that it does not have yet when it is first put.</summary>
/// <remarks>An upper bound for nearly all packages. If it is too low, the package becomes a link, which is harmless.</remarks>
internal static class PackageSize
{
    private const int PrefixBytes = 2; // of a text or a list; longer ones have a longer prefix, shorter ones make up for it
    private const int PointerBytes = 10; // wherever it leads
    private const int FixedBytes = 26; // the numbers, the pointer to the dependents, and what the codec adds

    internal static int EstimateBytes(Package package, CatalogEdge[] edges)
    {
        string?[] texts =
        [
            package.Name, package.Version, package.Architecture, package.Section, package.Priority, package.Homepage,
            package.Description, package.Sha256,
        ];
        return FixedBytes + texts.Sum(TextBytes) + package.Tags.Sum(TextBytes) + edges.Sum(EdgeBytes);
    }

    private static int TextBytes(string? text) => PrefixBytes + Encoding.UTF8.GetByteCount(text ?? "");

    private static int EdgeBytes(CatalogEdge edge) => PointerBytes + sizeof(VersionOperator) + TextBytes(edge.Version);
}
