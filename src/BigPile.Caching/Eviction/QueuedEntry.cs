namespace BigPile.Caching.Eviction;

/// <summary>An entry as a queue identifies it.</summary>
internal readonly record struct QueuedEntry(uint Fingerprint, bool IsMain, EntryPriority Priority);
