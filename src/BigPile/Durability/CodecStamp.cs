using System;
using System.Text;
using BigPile.Catalog;
using BigPile.Codec.Payloads;

namespace BigPile.Durability;

/// <summary>Keeps a pile's objects from a codec that did not write them, and would take them for damaged.</summary>
internal static class CodecStamp
{
    /// <summary>Compares the codec with the one that the catalog names, if it names one.</summary>
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
    /// Enters the codec's name where there is none yet. The superblock says by then that the pile is in use: while it says that it is
    /// closed, the catalog has exactly the length that it had.
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
