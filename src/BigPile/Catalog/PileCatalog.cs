using System;
using System.Collections.Generic;
using System.Text;
using System.Threading;
using BigPile.Codec.Schema;

namespace BigPile.Catalog;

/// <summary>The definitions that payloads refer to by number: schemas and tables.</summary>
/// <remarks>
/// Definitions are only ever added, and ids of each kind run from 1 without gaps; but for changes of tables, which a later one makes void.
/// Thread safety: all members may be called concurrently.
/// </remarks>
internal abstract class PileCatalog : ISchemaCatalog, IDisposable
{
    private const int MaxId = (1 << 24) - 1;

    private readonly Lock _lock = new();
    private readonly Dictionary<CatalogKind, List<byte[]>> _definitions = [];
    private readonly Dictionary<(CatalogKind Kind, string Definition), int> _ids = [];
    private readonly TableChanges _changes = new();

    public abstract bool OutlivesProcess { get; }

    public int GetOrAdd(ReadOnlySpan<byte> definition) => GetOrAdd(CatalogKind.Schema, definition);

    public bool TryGet(int id, out ReadOnlyMemory<byte> definition) => TryGet(CatalogKind.Schema, id, out definition);

    /// <summary>The id of a definition, which is stored first if it is new.</summary>
    internal int GetOrAdd(CatalogKind kind, ReadOnlySpan<byte> definition)
    {
        lock (_lock)
        {
            return _ids.TryGetValue(KeyOf(kind, definition), out int id) ? id : AddLocked(kind, definition);
        }
    }

    /// <summary>Stores a definition, also if there is one like it, and gives its id.</summary>
    internal int Add(CatalogKind kind, ReadOnlySpan<byte> definition)
    {
        lock (_lock)
            return AddLocked(kind, definition);
    }

    private int AddLocked(CatalogKind kind, ReadOnlySpan<byte> definition)
    {
        int id = CountLocked(kind) + 1;
        if (id > MaxId)
            throw new PileException($"The catalog holds {MaxId:N0} definitions of kind {kind}, and has no number for another one.");
        Store(kind, id, definition);
        Remember(kind, definition);
        if (kind == CatalogKind.TableChange)
            DropSuperseded();
        return id;
    }

    /// <summary>The definition with an id.</summary>
    internal bool TryGet(CatalogKind kind, int id, out ReadOnlyMemory<byte> definition)
    {
        lock (_lock)
        {
            List<byte[]> all = ListOf(kind);
            if (id > all.Count)
                Refresh();
            bool found = id >= 1 && id <= all.Count;
            definition = found ? all[id - 1] : default;
            return found;
        }
    }

    /// <summary>The number of definitions of a kind, which is also the highest id.</summary>
    internal int Count(CatalogKind kind)
    {
        lock (_lock)
            return CountLocked(kind);
    }

    /// <summary>The last change of each table that has any.</summary>
    internal byte[][] LastTableChanges()
    {
        lock (_lock)
            return [.. _changes.Last];
    }

    /// <summary>Runs something while nobody stores a definition.</summary>
    protected void RunExclusive(Action action)
    {
        lock (_lock)
            action();
    }

    /// <summary>What is stored of changes of tables. The lock is held.</summary>
    protected TableChanges Changes => _changes;

    /// <summary>The definitions of all other kinds, each in order. The lock is held.</summary>
    protected IReadOnlyDictionary<CatalogKind, List<byte[]>> Definitions => _definitions;

    /// <summary>
    /// Gives back the room of changes that are void, where it is worth it. The lock is held, and the last change is stored.
    /// </summary>
    protected abstract void DropSuperseded();

    public virtual void Dispose()
    {
    }

    /// <summary>Makes a new definition outlive the process, where the pile does. The lock is held.</summary>
    protected abstract void Store(CatalogKind kind, int id, ReadOnlySpan<byte> definition);

    /// <summary>Looks whether somebody else has stored definitions meanwhile. The lock is held.</summary>
    protected virtual void Refresh()
    {
    }

    /// <summary>Takes in a definition that is stored already.</summary>
    protected void Remember(CatalogKind kind, ReadOnlySpan<byte> definition)
    {
        if (kind == CatalogKind.TableChange)
        {
            _changes.Add(definition);
            return;
        }
        List<byte[]> all = ListOf(kind);
        all.Add(definition.ToArray());
        _ids[KeyOf(kind, definition)] = all.Count;
    }

    private static (CatalogKind Kind, string Definition) KeyOf(CatalogKind kind, ReadOnlySpan<byte> definition) =>
        (kind, Encoding.Latin1.GetString(definition));

    private int CountLocked(CatalogKind kind) => kind == CatalogKind.TableChange ? _changes.Number : ListOf(kind).Count;

    private List<byte[]> ListOf(CatalogKind kind)
    {
        if (!_definitions.TryGetValue(kind, out List<byte[]>? list))
            _definitions[kind] = list = [];
        return list;
    }
}
