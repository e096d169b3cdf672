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

/// <summary>The result of a put.</summary>
public enum PutResult
{
    /// <summary>The key is new.</summary>
    Inserted,

    /// <summary>The key had another value before.</summary>
    Replaced,

    /// <summary>The key is new, and entries of other keys were evicted for it.</summary>
    Overwritten,

    /// <summary>
    /// Nothing was put, and the key's present value stays: there was no space, and what could be evicted is worth more or does not suffice.
    /// </summary>
    Collision,
}
