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

/// <summary>What a put has reserved of the table's limits.</summary>
/// <param name="HasEntry">Whether it has one of the entries that are allowed.</param>
/// <param name="FootprintBytes">The bytes that it has, of <see cref="TableLimits.BlockLimitBytes"/>.</param>
internal readonly record struct Reservation(bool HasEntry, long FootprintBytes)
{
    /// <summary>Whether it suffices for an entry that replaces an old one, or none.</summary>
    internal bool IsEnough(long footprintBytes, bool hasOld, long oldFootprintBytes) =>
        // The old entry passes on its place among the entries, and its bytes.
        (HasEntry || hasOld) && FootprintBytes + oldFootprintBytes >= footprintBytes;
}
