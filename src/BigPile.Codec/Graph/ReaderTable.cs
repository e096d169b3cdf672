using System;
using System.Threading;
using BigPile.Codec.Schema;

namespace BigPile.Codec.Graph;

/// <summary>What reads payloads, by the type ids in them.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal sealed class ReaderTable(ISchemaCatalog catalog, IReaderFactory factory)
{
    private readonly Lock _lock = new();
    private TypeModel?[] _readers = new TypeModel?[64];

    /// <summary>The reader of payloads with a type id.</summary>
    public TypeModel Reader(int id)
    {
        TypeModel?[] readers = Volatile.Read(ref _readers);
        return (uint)id < (uint)readers.Length && readers[id] is { } reader ? reader : FindReader(id);
    }

    /// <summary>Like <see cref="Reader"/>, but of a type that is gone gives what passes over its content.</summary>
    public TypeModel ReaderOrSkipper(int id)
    {
        try
        {
            return Reader(id);
        }
        catch (PileSchemaException) when (catalog.TryGet(id, out ReadOnlyMemory<byte> definition))
        {
            return factory.MakeSkipper(definition);
        }
    }

    /// <summary>Keeps what reads payloads with a type id.</summary>
    /// <remarks>A type that can be unloaded is not held here: its reader is made anew for each payload.</remarks>
    public void Set(int id, TypeModel reader)
    {
        if (reader.Type.IsCollectible)
            return;
        lock (_lock)
        {
            TypeModel?[] readers = _readers;
            if (id >= readers.Length)
                Array.Resize(ref readers, Math.Max(id + 1, readers.Length * 2));
            readers[id] = reader;
            Volatile.Write(ref _readers, readers);
        }
    }

    /// <summary>Lets go of all of them.</summary>
    public void Clear()
    {
        lock (_lock)
            Volatile.Write(ref _readers, new TypeModel?[_readers.Length]);
    }

    private TypeModel FindReader(int id)
    {
        if (!catalog.TryGet(id, out ReadOnlyMemory<byte> definition))
            throw new PileSerializationException($"The payload has type id {id}, which the catalog does not know.");
        TypeModel reader = factory.Make(definition);
        Set(id, reader);
        return reader;
    }
}
