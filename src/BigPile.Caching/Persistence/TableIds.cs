using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.Linq;
using BigPile.Caching.Entries;
using BigPile.Caching.Keys;
using BigPile.Catalog;
using BigPile.Concurrency;

namespace BigPile.Caching.Persistence;

/// <summary>Which table has which id, as the catalog says, and which ids are free again.</summary>
/// <remarks>
/// Definitions in a catalog stay. A table is a definition, whose number is the id; what becomes of an id later is a change of it:
/// <code>
/// bytes 0..3    the id
/// bytes 4..11   entries of the id up to this version are of a table that was dropped, wherever they turn up
/// bytes 12..    the definition of the table that has the id from here on; none: the id is free
/// </code>
/// Little-endian. The last change counts. A drop is a change that is stored before the first entry is freed, and the version in it is above
/// that of every entry: so a kill or a power cut may bring blocks back, but never entries of a table that has the id since.
/// Thread safety: none; the owner has a lock.
/// </remarks>
internal sealed class TableIds
{
    private const int DefinitionOffset = sizeof(int) + sizeof(ulong);

    private readonly PileCatalog _catalog;
    private readonly Dictionary<int, TableDefinition> _tables = [];
    private readonly Dictionary<int, ulong> _free = [];
    private readonly HashSet<int> _held = [];

    /// <exception cref="PileStorageException">A table is of another format.</exception>
    internal TableIds(PileCatalog catalog)
    {
        _catalog = catalog;
        for (int id = 1; catalog.TryGet(CatalogKind.Table, id, out ReadOnlyMemory<byte> definition); id++)
            _tables[id] = TableDefinition.Decode(id, definition.Span);
        foreach (byte[] change in catalog.LastTableChanges())
            Apply(change);
    }

    /// <summary>The tables that there are.</summary>
    internal IReadOnlyCollection<TableDefinition> Tables => _tables.Values;

    /// <summary>The free ids, and the version up to which their entries are of a table that was dropped.</summary>
    internal IReadOnlyDictionary<int, ulong> Free => _free;

    /// <summary>Keeps a free id from being given out: its entries and files are still being removed.</summary>
    internal void Hold(int id) => _held.Add(id);

    /// <summary>Lets a free id be given out again.</summary>
    internal void Release(int id) => _held.Remove(id);

    /// <summary>Gives a new table an id.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="kind">The kind of its keys.</param>
    /// <param name="prepare">Makes what a table needs before the catalog says that there is one.</param>
    /// <exception cref="PileException">There are no more ids; the catalog is as it was.</exception>
    internal TableDefinition Take(string name, KeyKind kind, Action<TableDefinition> prepare)
    {
        byte[] definition = TableDefinition.Encode(name, kind);
        (int free, ulong upTo) = _free.FirstOrDefault(pair => !_held.Contains(pair.Key));
        if (free != 0)
        {
            prepare(new TableDefinition(free, name, kind, upTo));
            CrashPoints.Pass(CrashPoint.TableBeforeListed);
            Change(free, upTo, definition);
            return _tables[free];
        }
        if (_catalog.Count(CatalogKind.Table) >= EntryHead.MaxTableId)
        {
            throw new PileException(
                $"A pile can't have more than {EntryHead.MaxTableId:N0} tables, and the table '{name}' would be one more. Drop one that "
                + "is not needed.");
        }
        prepare(new TableDefinition(_catalog.Count(CatalogKind.Table) + 1, name, kind));
        CrashPoints.Pass(CrashPoint.TableBeforeListed);
        int id = _catalog.Add(CatalogKind.Table, definition);
        return _tables[id] = new TableDefinition(id, name, kind);
    }

    /// <summary>Frees the id of a table.</summary>
    /// <param name="id">The id.</param>
    /// <param name="upTo">A version that no entry of the table is above.</param>
    internal void Drop(int id, ulong upTo) => Change(id, upTo, []);

    private void Change(int id, ulong upTo, ReadOnlySpan<byte> definition)
    {
        var change = new byte[DefinitionOffset + definition.Length];
        BinaryPrimitives.WriteInt32LittleEndian(change, id);
        BinaryPrimitives.WriteUInt64LittleEndian(change.AsSpan(sizeof(int)), upTo);
        definition.CopyTo(change.AsSpan(DefinitionOffset));
        _ = _catalog.Add(CatalogKind.TableChange, change);
        Apply(change);
    }

    private void Apply(ReadOnlySpan<byte> change)
    {
        if (change.Length < DefinitionOffset)
            throw new PileStorageException("The catalog has a change of a table that is cut off. Restore the catalog from a copy.");
        int id = BinaryPrimitives.ReadInt32LittleEndian(change);
        ulong upTo = BinaryPrimitives.ReadUInt64LittleEndian(change[sizeof(int)..]);
        ReadOnlySpan<byte> definition = change[DefinitionOffset..];
        _ = definition.IsEmpty ? _tables.Remove(id) : _free.Remove(id);
        if (definition.IsEmpty)
            _free[id] = upTo;
        else
            _tables[id] = TableDefinition.Decode(id, definition) with { FormerUpTo = upTo };
    }
}
