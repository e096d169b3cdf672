namespace BigPile.Caching.Eviction;

/// <summary>An entry as its queue knows it.</summary>
internal readonly record struct QueuedEntry(uint Piece, bool IsMain, EntryPriority Priority);
