using System;

namespace BigPile.Catalog;

/// <summary>The catalog of a pile that goes with its process.</summary>
internal sealed class MemoryCatalog : Catalog
{
    protected override void Store(CatalogKind kind, int id, ReadOnlySpan<byte> definition)
    {
    }
}
