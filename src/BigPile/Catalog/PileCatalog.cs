using System;
using System.Collections.Generic;
using System.Text;
using System.Threading;
using BigPile.Codec.Schema;

namespace BigPile.Catalog;

/// <summary>The definitions that payloads refer to by number: schemas and tables.</summary>
/// <remarks>
/// Definitions are only added, and the ids of each kind run from 1 without gaps. The exception are table changes, where a later one
/// supersedes an earlier one. Thread safety: all members may be called concurrently.
/// </remarks>
internal abstract class PileCatalog : ISchemaCatalog, IDisposable
{
    private const int MaxId = (1 << 24) - 1;

    private readonly Lock _lock = new(); // protects all fields
    private readonly Dictionary<CatalogKind, List<byte[]>> _definitions = []; // by kind; the definition of id n at n - 1
    private readonly Dictionary<(CatalogKind Kind, string Definition), int> _ids = [];
    private readonly TableChanges _changes = new(); // definitions of kind TableChange

    public abstract bool OutlivesProcess { get; }

    public int GetOrAdd(ReadOnlySpan<byte> definition) => GetOrAdd(CatalogKind.Schema, definition);

    public bool TryGet(int id, out ReadOnlyMemory<byte> definition) => TryGet(CatalogKind.Schema, id, out definition);

    /// <summary>The id of a definition; stores it first if it is new.</summary>
    internal int GetOrAdd(CatalogKind kind, ReadOnlySpan<byte> definition)
    {
        lock (_lock)
        {
            return _ids.TryGetValue(KeyOf(kind, definition), out int id) ? id : AddLocked(kind, definition);
        }
    }

    /// <summary>Stores a definition, even if an equal one exists, and returns its id.</summary>
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

    /// <summary>The last change of each table that has one.</summary>
    internal byte[][] LastTableChanges()
    {
        lock (_lock)
            return [.. _changes.Last];
    }

    /// <summary>Runs an action while no definition is stored.</summary>
    protected void RunExclusive(Action action)
    {
        lock (_lock)
            action();
    }

    /// <summary>The table changes. The lock is held.</summary>
    protected TableChanges Changes => _changes;

    /// <summary>The definitions of all other kinds, in order of id. The lock is held.</summary>
    protected IReadOnlyDictionary<CatalogKind, List<byte[]>> Definitions => _definitions;

    /// <summary>
    /// Removes superseded changes if that saves enough space. The lock is held, and the last change is stored.
    /// </summary>
    protected abstract void DropSuperseded();

    public virtual void Dispose()
    {
    }

    /// <summary>Makes a new definition durable, if the pile is. The lock is held.</summary>
    protected abstract void Store(CatalogKind kind, int id, ReadOnlySpan<byte> definition);

    /// <summary>Reads definitions that another process has stored. The lock is held.</summary>
    protected virtual void Refresh()
    {
    }

    /// <summary>Adds a definition that is stored already.</summary>
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

/// <summary>The kinds of definitions in the catalog.</summary>
internal enum CatalogKind : byte
{
    /// <summary>A type's name and members, as the codec wrote them.</summary>
    Schema = 1,

    /// <summary>A table's name and key type.</summary>
    Table = 2,

    /// <summary>The name of the codec that wrote the objects, unless it is the pile's own.</summary>
    Codec = 3,

    /// <summary>
    /// The table that has an id from now on, or none; and the version up to which entries of the id belong to the previous table.
    /// </summary>
    TableChange = 4,
}

/// <summary>A catalog in memory: of a pile that ends with the process, or of payloads that carry their schemas.</summary>
internal sealed class MemoryCatalog(bool outlivesProcess = false) : PileCatalog
{
    public override bool OutlivesProcess => outlivesProcess;

    protected override void Store(CatalogKind kind, int id, ReadOnlySpan<byte> definition)
    {
    }

    protected override void DropSuperseded() => Changes.ForgetSuperseded();
}
