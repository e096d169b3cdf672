using System;
using System.Text;
using BigPile.Codec.Payloads;

namespace BigPile.Catalog;

/// <summary>Keeps a pile's objects from a codec that did not write them, and would take them for damaged.</summary>
internal static class CodecStamp
{
    /// <summary>Compares the codec with the one that the catalog names, and enters its name where there is none yet.</summary>
    /// <exception cref="PileStorageException">Another codec wrote the objects.</exception>
    internal static void Check(Catalog catalog, IPileCodec codec, bool isReadOnly, string directory)
    {
        string? known = catalog.TryGet(CatalogKind.Codec, 1, out ReadOnlyMemory<byte> name) ? Encoding.UTF8.GetString(name.Span)
            : catalog.Count(CatalogKind.Schema) > 0 ? MessagePackPileCodec.OwnName
            : null;
        if (known == null)
        {
            if (codec.Name != MessagePackPileCodec.OwnName && !isReadOnly)
                catalog.GetOrAdd(CatalogKind.Codec, Encoding.UTF8.GetBytes(codec.Name));
        }
        else if (known != codec.Name)
        {
            throw new PileStorageException(
                $"The objects of the pile in '{directory}' were written by the codec {known}, and it is being opened with the codec "
                + $"{codec.Name}. "
                + $"Set {nameof(PileOptions)}.{nameof(PileOptions.Codec)} "
                + (known == MessagePackPileCodec.OwnName ? "to null, which is the pile's own." : "to the codec that wrote them."));
        }
    }
}
