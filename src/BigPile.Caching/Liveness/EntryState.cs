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

/// <summary>Whether an entry is live, and if not, why.</summary>
internal enum EntryState : byte
{
    /// <summary>Live.</summary>
    Live,

    /// <summary>A tombstone, which records that the key was removed; see <see cref="Entries.ValueKind.Tombstone"/>.</summary>
    Tombstone,

    /// <summary>Expired. May be freed.</summary>
    Expired,

    /// <summary>Removed by its tag or by a clear. May be freed.</summary>
    Invalidated,
}
