using System;
using System.Buffers.Binary;
using System.Collections.Generic;

namespace BigPile.Catalog;

/// <summary>The table changes in a catalog. Of each table id only the last change is valid.</summary>
/// <remarks>
/// A change begins with the id, in 4 bytes. Superseded changes are not kept, so that tables that are created and dropped again and again
/// take no memory. Thread safety: the catalog's lock.
/// </remarks>
internal sealed class TableChanges
{
    private readonly Dictionary<int, byte[]> _last = [];

    /// <summary>The number of the last change.</summary>
    internal int Number { get; private set; }

    internal int SupersededCount => Number - _last.Count;

    internal long SupersededBytes { get; private set; }

    /// <summary>The last change of each id.</summary>
    internal IReadOnlyCollection<byte[]> Last => _last.Values;

    internal void Add(ReadOnlySpan<byte> change)
    {
        // A truncated change is reported by the code that reads the changes.
        int id = change.Length < sizeof(int) ? 0 : BinaryPrimitives.ReadInt32LittleEndian(change);
        if (_last.TryGetValue(id, out byte[]? before))
            SupersededBytes += before.Length;
        _last[id] = change.ToArray();
        Number++;
    }

    /// <summary>Forgets all changes; they are added again.</summary>
    internal void Clear()
    {
        _last.Clear();
        Number = 0;
        SupersededBytes = 0;
    }

    /// <summary>Records that the catalog no longer has superseded changes, and has renumbered the others.</summary>
    internal void ForgetSuperseded()
    {
        Number = _last.Count;
        SupersededBytes = 0;
    }
}
