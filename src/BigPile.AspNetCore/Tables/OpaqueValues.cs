using System.Collections.Generic;
using BigPile.Caching.Entries;
using BigPile.Caching.Index;
using BigPile.Caching.Operations;
using BigPile.Caching.Tables;

namespace BigPile.AspNetCore.Tables;

/// <summary>Finds out whether a table holds objects, which clients can't read as payloads.</summary>
internal static class OpaqueValues
{
    private const int MaxBucketsScanned = 4096;

    /// <summary>
    /// Whether a table holds objects. The application that put them may be another process. One entry tells for all: who puts objects into
    /// a table puts nothing else there.
    /// </summary>
    internal static bool AreIn(TableCore core)
    {
        var found = new List<EntryCopy>();
        int buckets = 0;
        for (ulong place = 0; place < WalkPlace.End && found.Count == 0 && buckets < MaxBucketsScanned; buckets++)
            place = core.CopyBucketAt(place, found, onlyVisible: false);
        return found.Exists(static entry => entry.Kind != ValueKind.Bytes);
    }
}
