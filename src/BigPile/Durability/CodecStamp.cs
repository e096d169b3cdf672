using System;
using System.Text;
using BigPile.Catalog;
using BigPile.Codec.Payloads;

namespace BigPile.Durability;

/// <summary>Refuses a codec that did not write the pile's objects, and would report them as damaged.</summary>
internal static class CodecStamp
{
    /// <summary>Compares the codec with the name in the catalog, if there is one.</summary>
    /// <exception cref="PileStorageException">Another codec wrote the objects.</exception>
    internal static void Check(PileCatalog catalog, IPileCodec codec, string directory)
    {
        if (KnownName(catalog) is { } known && known != codec.Name)
        {
            throw new PileStorageException(
                $"The objects of the pile in '{directory}' were written by the codec {known}, and it is being opened with the codec "
                + $"{codec.Name}. "
                + $"Set {nameof(PileOptions)}.{nameof(PileOptions.Codec)} "
                + (known == MessagePackPileCodec.OwnName ? "to null, which is the pile's own." : "to the codec that wrote them."));
        }
    }

    /// <summary>
    /// Stores the codec's name if the catalog has none. The superblock must already say "in use": while it says "closed", it states the
    /// catalog's exact length.
    /// </summary>
    internal static void Enter(PileCatalog catalog, IPileCodec codec)
    {
        if (codec.Name != MessagePackPileCodec.OwnName && KnownName(catalog) == null)
            catalog.GetOrAdd(CatalogKind.Codec, Encoding.UTF8.GetBytes(codec.Name));
    }

    private static string? KnownName(PileCatalog catalog) =>
        catalog.TryGet(CatalogKind.Codec, 1, out ReadOnlyMemory<byte> name) ? Encoding.UTF8.GetString(name.Span)
        : catalog.Count(CatalogKind.Schema) > 0 ? MessagePackPileCodec.OwnName
        : null;
}
