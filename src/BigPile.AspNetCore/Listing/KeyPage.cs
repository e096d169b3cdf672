using System;
using System.Collections.Generic;
using BigPile.Caching;

namespace BigPile.AspNetCore.Listing;

/// <summary>Some keys of a table, and where to go on.</summary>
/// <remarks>
/// Weakly consistent: a key that is there during the whole walk comes at least once, and more than once only if it is put again meanwhile.
/// One page looks at a bounded part of the table, so a page may be empty though more come.
/// </remarks>
internal sealed class KeyPage
{
    private const ulong MaxParts = 8192;

    /// <summary>The keys in UTF-8.</summary>
    internal List<byte[]> Keys { get; } = [];

    /// <summary>Where to go on; <see langword="null"/> at the end.</summary>
    internal KeyCursor? Next { get; private set; }

    /// <summary>Reads a page.</summary>
    /// <param name="table">The table.</param>
    /// <param name="start">Where to begin; <see langword="null"/>: with a new walk.</param>
    /// <param name="prefix">What the keys begin with, in UTF-8.</param>
    /// <param name="limit">The most keys; from 1.</param>
    internal static KeyPage Read(CacheTable<string, byte[]> table, KeyCursor? start, ReadOnlySpan<byte> prefix, int limit)
    {
        TableCore core = table.Core;
        KeyCursor cursor = start ?? new KeyCursor(0, core.PartCount, 0);
        var page = new KeyPage();
        var found = new List<TableCore.EntryCopy>();
        for (ulong looked = 0; cursor.Part < cursor.PartCount; looked++, cursor = cursor with { Part = cursor.Part + 1, AfterVersion = 0 })
        {
            page.Next = cursor;
            if (looked == MaxParts)
                return page;
            core.CopyPart(cursor.Part, cursor.PartCount, found);
            if (!page.TakePart(found, cursor, prefix, limit))
                return page;
        }
        page.Next = null;
        return page;
    }

    // By their versions, because a part changes between two pages, and an order is needed to go on in the middle of it.
    private bool TakePart(List<TableCore.EntryCopy> found, KeyCursor cursor, ReadOnlySpan<byte> prefix, int limit)
    {
        found.Sort(static (left, right) => left.Info.Version.CompareTo(right.Info.Version));
        foreach (TableCore.EntryCopy entry in found)
        {
            if (entry.Info.Version <= cursor.AfterVersion || !entry.Key.AsSpan().StartsWith(prefix))
                continue;
            if (Keys.Count == limit)
                return false;
            Keys.Add(entry.Key);
            Next = cursor with { AfterVersion = entry.Info.Version };
        }
        return true;
    }
}
