using System;
using System.Collections.Generic;
using System.Threading;
using BigPile.Caching;

namespace BigPile.Http.Bulk;

/// <summary>A page of a table's keys, and the cursor of the next one.</summary>
/// <remarks>
/// Weakly consistent: a key that exists during the whole walk is returned at least once, and again only if it is put again meanwhile. A
/// page scans a bounded part of the table and has bounded bytes, so it may be short or empty though more follow.
/// </remarks>
internal sealed class KeyPage
{
    private const int MaxBuckets = 8192;
    private const int MaxBytes = 1 << 20;

    private int _keyBytes;

    /// <summary>The keys in UTF-8.</summary>
    internal List<ReadOnlyMemory<byte>> Keys { get; } = [];

    /// <summary>The cursor of the next page; <see langword="null"/> at the end.</summary>
    internal KeyCursor? Next { get; private set; }

    /// <summary>Reads a page.</summary>
    /// <param name="table">The table.</param>
    /// <param name="cursor">The position to start at.</param>
    /// <param name="prefix">The prefix of the keys, in UTF-8.</param>
    /// <param name="limit">The maximum number of keys; from 1.</param>
    /// <param name="stop">Is canceled when the client has gone or the request timed out.</param>
    internal static KeyPage Read(
        CacheTable<string, byte[]> table, KeyCursor cursor, ReadOnlySpan<byte> prefix, int limit, CancellationToken stop)
    {
        var page = new KeyPage();
        var found = new List<StoredEntry>();
        for (int scanned = 0; cursor.Position < CacheTable.EndOfWalk; scanned++)
        {
            stop.ThrowIfCancellationRequested();
            page.Next = cursor;
            if (scanned == MaxBuckets)
                return page;
            found.Clear();
            ulong behind = table.Walk(cursor.Position, found);
            if (!page.TakeBucket(found, cursor, prefix, limit))
                return page;
            cursor = new KeyCursor(behind, 0);
        }
        page.Next = null;
        return page;
    }

    // Sorted into the walk's order, because the bucket may change or split between two pages.
    private bool TakeBucket(List<StoredEntry> found, KeyCursor cursor, ReadOnlySpan<byte> prefix, int limit)
    {
        found.Sort(static (left, right) => (left.Position, left.Info.Version).CompareTo((right.Position, right.Info.Version)));
        foreach (StoredEntry entry in found)
        {
            bool came = entry.Position == cursor.Position && entry.Info.Version <= cursor.AfterVersion;
            if (came || !entry.Key.Span.StartsWith(prefix))
                continue;
            if (Keys.Count == limit || _keyBytes >= MaxBytes)
                return false;
            Keys.Add(entry.Key);
            _keyBytes += entry.Key.Length;
            Next = new KeyCursor(entry.Position, entry.Info.Version);
        }
        return true;
    }
}
