using System;

namespace BigPile.Caching;

/// <summary>An entry as an enumeration or <c>TryGetEntry</c> returns it: everything but the value.</summary>
/// <typeparam name="TKey">The type of the keys.</typeparam>
/// <param name="Key">The key.</param>
/// <param name="Info">Version, size, and when it was put.</param>
/// <param name="Age">The time since it was put, not below zero.</param>
/// <param name="ExpiresAt">When it expires if it is not used before; <see langword="null"/>: never.</param>
/// <param name="Sliding">The time that each use gives; <see langword="null"/>: none.</param>
/// <param name="Priority">Its worth when entries are evicted.</param>
public readonly record struct TableEntry<TKey>(
    TKey Key, EntryInfo Info, TimeSpan Age, DateTimeOffset? ExpiresAt, TimeSpan? Sliding, EntryPriority Priority);
