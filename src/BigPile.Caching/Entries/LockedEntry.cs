using BigPile.Caching.Index;

namespace BigPile.Caching.Entries;

/// <summary>An entry whose bucket is locked: its index slot and its block.</summary>
/// <remarks>Fill it in place, field by field. A copy right after partial writes stalls on store forwarding.</remarks>
internal struct LockedEntry
{
    internal SlotPlace Place; // where the index leads to it
    internal EntryHead Head; // read from the block; void once that is freed
    internal long PayloadBytes; // head, key and value

    /// <summary>The address of its block.</summary>
    internal readonly ulong Address => Place.Value.Address;

    /// <summary>The object that the entry owns; the invalid pointer when the value is inline.</summary>
    internal readonly PilePointer Owned => Head.Owned;
}
