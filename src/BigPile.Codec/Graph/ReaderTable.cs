using System;
using System.Diagnostics;
using System.Threading;
using BigPile.Codec.Schema;
using BigPile.Memory.Checking;

namespace BigPile.Codec.Graph;

/// <summary>The readers of payloads, by type id.</summary>
/// <remarks>Thread safety: all members may be called concurrently.</remarks>
internal sealed class ReaderTable(ISchemaCatalog catalog, IReaderFactory factory)
{
    private readonly Lock _lock = new();

    // Indexed by type id. Read without a lock; written and replaced under _lock.
    private TypeModel?[] _readers = new TypeModel?[64];

    public TypeModel Reader(int id)
    {
        TypeModel?[] readers = Volatile.Read(ref _readers);
        return (uint)id < (uint)readers.Length && readers[id] is { } reader ? reader : FindReader(id);
    }

    /// <summary>Like <see cref="Reader"/>, but returns a skipper if the type no longer exists.</summary>
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

    /// <summary>Sets the reader of payloads with a type id.</summary>
    /// <remarks>A type that can be unloaded is not kept, as this would prevent it: its reader is made anew for each payload.</remarks>
    public void Set(int id, TypeModel reader)
    {
        Debug.Assert(id is > 0 and <= ISchemaCatalog.IdMost, "An id is the catalog's, which gives none that has no place in a prefix.");
        if (reader.Type.IsCollectible)
            return;
        lock (_lock)
        {
            TypeModel?[] readers = _readers;
            if (id >= readers.Length)
                Array.Resize(ref readers, Math.Max(id + 1, readers.Length * 2));
            // A thread without the lock sees the old array or the new one; a null in either only makes it ask the factory again.
            readers[id] = reader;
            Volatile.Write(ref _readers, readers);
        }
    }

    /// <summary>Drops all readers.</summary>
    public void Clear()
    {
        lock (_lock)
            Volatile.Write(ref _readers, new TypeModel?[_readers.Length]);
    }

    /// <summary>Checks the table, for tests: each reader is that of a schema in the catalog, and keeps no plug-in loaded.</summary>
    internal void CheckInvariants()
    {
        const string Structure = "ReaderTable";
        TypeModel?[] readers = Volatile.Read(ref _readers);
        Invariant.True(Structure, 0, "whether no reader has id 0", readers[0] is null);
        for (int id = 1; id < readers.Length; id++)
        {
            if (readers[id] is not { } reader)
                continue;
            Invariant.True(Structure, id, "whether the catalog knows it", catalog.TryGet(id, out _));
            Invariant.False(Structure, id, "whether its type can be unloaded", reader.Type.IsCollectible);
            Invariant.False(Structure, id, "whether its objects are skipped", reader.IsSkipper);
        }
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

/// <summary>Makes the readers for the payloads of stored schemas.</summary>
internal interface IReaderFactory
{
    /// <summary>Makes a reader: the current model if the type still has the stored schema, else one that maps members by name.</summary>
    TypeModel Make(ReadOnlyMemory<byte> definition);

    /// <summary>Makes a reader that skips the payloads of a stored schema whose type no longer exists.</summary>
    TypeModel MakeSkipper(ReadOnlyMemory<byte> definition);
}
