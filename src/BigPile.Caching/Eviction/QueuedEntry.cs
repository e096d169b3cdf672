namespace BigPile.Caching.Eviction;

/// <summary>An entry as its queue knows it.</summary>
internal readonly record struct QueuedEntry(uint Fingerprint, bool IsMain, EntryPriority Priority);
