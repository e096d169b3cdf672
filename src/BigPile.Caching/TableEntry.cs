using System;
using System.Diagnostics;
using System.Threading;
using BigPile.Access;
using BigPile.Allocation;
using BigPile.Caching.Capacity;
using BigPile.Caching.Clocks;
using BigPile.Caching.Entries;
using BigPile.Caching.Events;
using BigPile.Caching.Eviction;
using BigPile.Caching.Index;
using BigPile.Caching.Intents;
using BigPile.Caching.Keys;
using BigPile.Caching.Liveness;
using BigPile.Caching.Metrics;
using BigPile.Caching.Persistence;
using BigPile.Caching.Readers;
using BigPile.Caching.Recovery;
using BigPile.Caching.SingleFlight;
using BigPile.Caching.Spill;
using BigPile.Caching.Tables;
using BigPile.Caching.Tags;
using BigPile.Caching.Typed;
using BigPile.Checking;
using BigPile.Concurrency;
using BigPile.Layout;
using BigPile.Memory.Checking;
using BigPile.Memory.Concurrency;
using BigPile.Tables;

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
