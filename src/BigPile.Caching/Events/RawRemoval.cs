namespace BigPile.Caching.Events;

/// <summary>A removal with the key's bytes.</summary>
internal readonly record struct RawRemoval(byte[] Key, EntryInfo Info, RemovalReason Reason);
