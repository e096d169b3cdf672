namespace BigPile.Caching;

/// <summary>An entry that left without being removed.</summary>
/// <typeparam name="TKey">The type of the keys.</typeparam>
/// <param name="Key">Its key.</param>
/// <param name="Info">Its version and size.</param>
/// <param name="Reason">The reason.</param>
public readonly record struct RemovedEntry<TKey>(TKey Key, EntryInfo Info, RemovalReason Reason);
