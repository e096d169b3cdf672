using System;
using System.Collections.Generic;
using System.Threading;
using BigPile.Caching;
using BigPile.Caching.Entries;
using BigPile.Caching.Index;
using BigPile.Caching.Operations;

namespace BigPile.Http.Bulk;

/// <summary>Some keys of a table, and where to go on.</summary>
/// <remarks>
/// Weakly consistent: a key that is there during the whole walk comes at least once, and more than once only if it is put again meanwhile.
/// One page looks at a bounded part of the table, and has few bytes, so a page may be empty or short though more come.
/// </remarks>
internal sealed class KeyPage
{
    private const int MaxBuckets = 8192;
    private const int MaxBytes = 1 << 20;

    private int _keyBytes;

    /// <summary>The keys in UTF-8.</summary>
    internal List<byte[]> Keys { get; } = [];

    /// <summary>Where to go on; <see langword="null"/> at the end.</summary>
    internal KeyCursor? Next { get; private set; }

    /// <summary>Reads a page.</summary>
    /// <param name="table">The table.</param>
    /// <param name="cursor">Where to begin.</param>
    /// <param name="prefix">What the keys begin with, in UTF-8.</param>
    /// <param name="limit">The most keys; from 1.</param>
    /// <param name="stop">Is cancelled when nobody waits for the page any more.</param>
    internal static KeyPage Read(
        CacheTable<string, byte[]> table, KeyCursor cursor, ReadOnlySpan<byte> prefix, int limit, CancellationToken stop)
    {
        var page = new KeyPage();
        var found = new List<EntryCopy>();
        for (int scanned = 0; cursor.Place < WalkPlace.End; scanned++)
        {
            stop.ThrowIfCancellationRequested();
            page.Next = cursor;
            if (scanned == MaxBuckets)
                return page;
            ulong behind = table.Core.CopyBucketAt(cursor.Place, found);
            if (!page.TakeBucket(found, cursor, prefix, limit))
                return page;
            cursor = new KeyCursor(behind, 0);
        }
        page.Next = null;
        return page;
    }

    // In the walk's own order, because a bucket changes between two pages, and may be split.
    private bool TakeBucket(List<EntryCopy> found, KeyCursor cursor, ReadOnlySpan<byte> prefix, int limit)
    {
        found.Sort(static (left, right) => (left.Place, left.Info.Version).CompareTo((right.Place, right.Info.Version)));
        foreach (EntryCopy entry in found)
        {
            bool came = entry.Place == cursor.Place && entry.Info.Version <= cursor.AfterVersion;
            if (came || !entry.Key.AsSpan().StartsWith(prefix))
                continue;
            if (Keys.Count == limit || _keyBytes >= MaxBytes)
                return false;
            Keys.Add(entry.Key);
            _keyBytes += entry.Key.Length;
            Next = new KeyCursor(entry.Place, entry.Info.Version);
        }
        return true;
    }
}
