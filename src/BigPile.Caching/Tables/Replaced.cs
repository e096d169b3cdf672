using BigPile.Caching.Capacity;
using BigPile.Caching.Entries;
using BigPile.Caching.Liveness;
using BigPile.Caching.Metrics;

namespace BigPile.Caching.Tables;

/// <summary>What a put needs of the entry that it replaces, read before its block may be reused. All zero: there is none.</summary>
internal struct Replaced
{
    internal Replaced(TableEngine table, in LockedEntry entry, EntryState state)
    {
        State = state;
        Version = entry.Head.Version;
        Address = entry.Address;
        Owned = entry.Owned;
        OwnedBytes = Owned.IsValid ? table.Entries.OwnedBytesOf(entry.Head, entry.PayloadBytes) : 0;
        Count = table.Entries.CountOf(entry);
        Own = new OwnEntry(entry.Head.Kind != ValueKind.Tombstone, Count.FootprintBytes, entry.Head.Priority, entry.Address);
    }

    internal EntryState State { get; }

    internal ulong Version { get; }

    /// <summary>The address of its block; 0: there is none.</summary>
    internal ulong Address { get; }

    /// <summary>The object that goes with it.</summary>
    internal PilePointer Owned { get; private set; }

    /// <summary>The bytes of the object that it owns; 0: none.</summary>
    internal long OwnedBytes { get; }

    /// <summary>The new entry owns the same object, which must not go with the old one.</summary>
    internal void TransferOwned() => Owned = default;

    /// <summary>What it adds to the counters.</summary>
    internal BlockCount Count { get; }

    /// <summary>What it holds of the limits.</summary>
    internal OwnEntry Own { get; }

    /// <summary>Whether the key read as missing.</summary>
    internal readonly bool IsNone => State != EntryState.Live;
}
