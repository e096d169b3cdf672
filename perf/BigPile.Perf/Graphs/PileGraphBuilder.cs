using System;
using System.Threading;
using BigPile.Perf.Catalogs;
using BigPile.Perf.Loads;

namespace BigPile.Perf.Graphs;

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
    /// <exception cref="PileException">The pile failed.</exception>
    /// <exception cref="OperationCanceledException">The user stopped it.</exception>
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
