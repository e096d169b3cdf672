using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.Linq;
using BigPile.Caching.Entries;
using BigPile.Caching.Keys;
using BigPile.Catalog;
using BigPile.Checking;
using BigPile.Memory.Checking;

namespace BigPile.Caching.Persistence;

/// <summary>The ids of tables, as the catalog has them, and the ids that are free for reuse.</summary>
/// <remarks>
/// The catalog only appends. The number of a table's definition is its id. Later a change record may free the id or reuse it:
/// <code>
/// bytes 0..3    the id
/// bytes 4..11   entries of the id up to this version belong to a dropped table
/// bytes 12..    the definition of the table that has the id now; empty: the id is free
/// </code>
/// Little-endian. The last change of an id is valid. A drop stores its change before it frees the first entry, with a version that no entry
/// of the table exceeds. So a kill or a power cut may bring back blocks of a dropped table, but never as entries of the id's next table.
/// Thread safety: none; the owner has a lock.
/// </remarks>
internal sealed class TableIds
{
    private const int DefinitionOffset = sizeof(int) + sizeof(ulong);

    private readonly PileCatalog _catalog;
    private readonly Dictionary<int, TableDefinition> _tables = []; // by id
    private readonly Dictionary<int, ulong> _free = []; // free ids, and the version up to which entries belong to the dropped table
    private readonly HashSet<int> _held = []; // free ids that must not be reused yet

    /// <exception cref="PileStorageException">A table is of another format.</exception>
    internal TableIds(PileCatalog catalog)
    {
        _catalog = catalog;
        for (int id = 1; catalog.TryGet(CatalogKind.Table, id, out ReadOnlyMemory<byte> definition); id++)
            _tables[id] = TableDefinition.Decode(id, definition.Span);
        foreach (byte[] change in catalog.LastTableChanges())
            Apply(change);
    }

    /// <summary>The definitions of all tables.</summary>
    internal IReadOnlyCollection<TableDefinition> Tables => _tables.Values;

    /// <summary>The free ids, and the version up to which entries of each belong to the dropped table.</summary>
    internal IReadOnlyDictionary<int, ulong> Free => _free;

    /// <summary>Prevents the reuse of a free id while its entries and files are being removed.</summary>
    internal void Hold(int id) => _held.Add(id);

    /// <summary>Allows the reuse of a free id again.</summary>
    internal void Release(int id) => _held.Remove(id);

    /// <summary>Adds a new table to the catalog, with a free or a new id.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="kind">The kind of its keys.</param>
    /// <param name="prepare">Makes what the table needs, before the catalog has it.</param>
    /// <exception cref="PileException">There are no more ids. The catalog is unchanged.</exception>
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
    /// <param name="upTo">A version that no entry of the table exceeds.</param>
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
