using System.Collections.Generic;
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

namespace BigPile.AspNetCore.Tables;

/// <summary>Determines whether a table holds objects, which clients can't read as payloads.</summary>
internal static class OpaqueValues
{
    private const int MaxBucketsScanned = 4096;

    /// <summary>
    /// Whether a table holds objects, put by this or another process. Checks one entry: a table holds either objects or payloads.
    /// </summary>
    internal static bool AreIn(TableEngine core)
    {
        var found = new List<EntryCopy>();
        int buckets = 0;
        for (ulong place = 0; place < WalkPlace.End && found.Count == 0 && buckets < MaxBucketsScanned; buckets++)
            place = core.Peek.CopyBucketAt(place, found, onlyVisible: false);
        return found.Exists(static entry => entry.Kind != ValueKind.Bytes);
    }
}
