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

namespace BigPile.Caching.Liveness;

/// <summary>What follows from the state of an entry.</summary>
internal static class EntryStateExtensions
{
    /// <summary>Whether the entry may be freed. A tombstone is not live, but stays.</summary>
    internal static bool IsDead(this EntryState state) => state >= EntryState.Expired;

    /// <summary>The counter for the removal of a dead entry.</summary>
    internal static Counter Reason(this EntryState state) =>
        state == EntryState.Invalidated ? Counter.Removals : Counter.Expirations;
}
