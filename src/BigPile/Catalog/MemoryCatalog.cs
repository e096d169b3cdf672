using System;

namespace BigPile.Catalog;

/// <summary>A catalog in memory: of a pile that ends with the process, or of payloads that carry their schemas.</summary>
internal sealed class MemoryCatalog(bool outlivesProcess = false) : PileCatalog
{
    public override bool OutlivesProcess => outlivesProcess;

    protected override void Store(CatalogKind kind, int id, ReadOnlySpan<byte> definition)
    {
    }

    protected override void DropSuperseded() => Changes.ForgetSuperseded();
}
