using System;

namespace BigPile.Catalog;

/// <summary>The catalog of a pile that goes with its process, or of payloads that take their schemas along.</summary>
internal sealed class MemoryCatalog(bool outlivesProcess = false) : PileCatalog
{
    public override bool OutlivesProcess => outlivesProcess;

    protected override void Store(CatalogKind kind, int id, ReadOnlySpan<byte> definition)
    {
    }

    protected override void DropSuperseded() => Changes.ForgetSuperseded();
}
