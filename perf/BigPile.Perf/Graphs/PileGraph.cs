using System;
using BigPile.Perf.Catalogs;

namespace BigPile.Perf.Graphs;

/// <summary>The catalog as objects in a pile. The managed heap holds only a pointer to each package.</summary>
/// <remarks>Thread safety: any number of threads.</remarks>
internal sealed class PileGraph(Pile pile, PilePointer[] pointers, CatalogFigures figures) : IDisposable
{
    internal Pile Pile { get; } = pile;

    internal int Count => pointers.Length;

    /// <summary>What the catalog had.</summary>
    internal CatalogFigures Figures { get; } = figures;

    internal PilePointer PointerTo(int number) => pointers[number];

    /// <summary>Reads a package.</summary>
    internal Package Get(int number) => Pile.Get<Package>(pointers[number]);

    public void Dispose() => Pile.Dispose();
}
