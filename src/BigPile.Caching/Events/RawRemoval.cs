namespace BigPile.Caching.Events;

/// <summary>A removed entry with the key as bytes.</summary>
internal readonly record struct RawRemoval(byte[] Key, EntryInfo Info, RemovalReason Reason);
