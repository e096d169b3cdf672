using BigPile.Caching.Entries;
using BigPile.Caching.Index;

namespace BigPile.Caching.Tables;

/// <summary>An entry whose bucket is locked: where it is in the index, and what its block says.</summary>
/// <remarks>
/// Filled in place, field by field: to copy what was just written in parts makes the processor wait until it has left its store buffer.
/// </remarks>
internal struct LockedEntry
{
    internal SlotPlace Place;
    internal EntryHead Head;
    internal long PayloadBytes;

    /// <summary>Where its block is.</summary>
    internal readonly ulong Address => Place.Value.Address;

    /// <summary>The object that the entry owns; the invalid pointer where it has a value of its own.</summary>
    internal readonly PilePointer Owned => Head.Owned;
}
