namespace BigPile.Caching;

/// <summary>An entry that went though nobody removed it.</summary>
/// <typeparam name="TKey">The type of the keys.</typeparam>
/// <param name="Key">Its key.</param>
/// <param name="Info">Its version and size.</param>
/// <param name="Reason">Why it went.</param>
public readonly record struct RemovedEntry<TKey>(TKey Key, EntryInfo Info, RemovalReason Reason);
