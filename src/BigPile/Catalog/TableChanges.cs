using System;
using System.Buffers.Binary;
using System.Collections.Generic;

namespace BigPile.Catalog;

/// <summary>The changes of tables in a catalog, of which the last one of each table's id counts.</summary>
/// <remarks>
/// A change begins with the id, in 4 bytes. Those that a later one has made void are not kept: tables that are made and dropped again and
/// again take no memory. Thread safety: none; the catalog has a lock.
/// </remarks>
internal sealed class TableChanges
{
    private readonly Dictionary<int, byte[]> _last = [];

    /// <summary>The number of the last change.</summary>
    internal int Number { get; private set; }

    /// <summary>The changes that were made void by later ones.</summary>
    internal int SupersededCount => Number - _last.Count;

    /// <summary>Their bytes.</summary>
    internal long SupersededBytes { get; private set; }

    /// <summary>The last change of each id.</summary>
    internal IReadOnlyCollection<byte[]> Last => _last.Values;

    internal void Add(ReadOnlySpan<byte> change)
    {
        // One that is cut off is told by whoever reads the changes.
        int id = change.Length < sizeof(int) ? 0 : BinaryPrimitives.ReadInt32LittleEndian(change);
        if (_last.TryGetValue(id, out byte[]? before))
            SupersededBytes += before.Length;
        _last[id] = change.ToArray();
        Number++;
    }

    /// <summary>Forgets all, to be told of them anew.</summary>
    internal void Clear()
    {
        _last.Clear();
        Number = 0;
        SupersededBytes = 0;
    }

    /// <summary>States that the catalog has only those that count any more, numbered anew.</summary>
    internal void ForgetSuperseded()
    {
        Number = _last.Count;
        SupersededBytes = 0;
    }
}
