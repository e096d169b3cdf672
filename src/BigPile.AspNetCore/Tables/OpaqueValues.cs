using System.Collections.Generic;
using BigPile.Caching.Entries;
using BigPile.Caching.Index;
using BigPile.Caching.Tables;

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
