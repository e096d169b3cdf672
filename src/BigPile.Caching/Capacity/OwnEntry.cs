namespace BigPile.Caching.Capacity;

/// <summary>The entry that the key of a put has already. It passes its footprint to the new one, and must not be evicted for it.</summary>
/// <param name="IsThere">Whether there is one that counts for the limits.</param>
/// <param name="FootprintBytes">Its footprint; 0: none.</param>
/// <param name="Priority">Its priority.</param>
/// <param name="Address">The address of its block; 0: none.</param>
internal readonly record struct OwnEntry(bool IsThere, long FootprintBytes, EntryPriority Priority, ulong Address);
