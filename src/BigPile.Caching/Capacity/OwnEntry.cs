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

namespace BigPile.Caching.Capacity;

/// <summary>The entry that the key of a put has already. It passes its footprint to the new one, and must not be evicted for it.</summary>
/// <param name="IsThere">Whether there is one that counts for the limits.</param>
/// <param name="FootprintBytes">Its footprint; 0: none.</param>
/// <param name="Priority">Its priority.</param>
/// <param name="Address">The address of its block; 0: none.</param>
internal readonly record struct OwnEntry(bool IsThere, long FootprintBytes, EntryPriority Priority, ulong Address);
