using System;
using System.Collections.Generic;
using System.Diagnostics;
using BigPile.Access;
using BigPile.Caching.Entries;
using BigPile.Caching.Index;
using BigPile.Caching.Keys;
using BigPile.Concurrency;
using BigPile.Memory.Concurrency;

namespace BigPile.Caching.Tables;

/// <summary>Runs the application's key comparer, outside of critical regions and locks.</summary>
internal readonly unsafe struct KeyComparison(TableEngine table)
{
    /// <summary>Copies the keys that a lookup of this hash may compare.</summary>
    internal void CopyKeys(ulong hash, List<byte[]> found)
    {
        using ReadScope scope = table.EnterReader();
        // Copied, as the comparer runs after the lock is released. A key that is put meanwhile throws KeyNotComparedException again.
        using LockedBucket bucket = table.Index.Lock(hash);
        foreach (SlotPlace place in bucket.Matching(hash))
        {
            if (table.Entries.TryViewLocked(place.Value.Address, out EntryHead head, out _))
                found.Add(new ReadOnlySpan<byte>(head.Key, head.KeyBytes).ToArray());
        }
    }

    /// <summary>
    /// Leaves the critical region to run a read's comparisons, and enters it again. The caller is in the region afterwards in any case, and
    /// must exit.
    /// </summary>
    internal void LeaveToCompare(CriticalRegion critical, KeyMatcher matcher)
    {
        Debug.Assert(critical == PileRegions.Current && critical.IsOpen, "The caller is in this region, and enters it again.");
        critical.Exit();
        try
        {
            matcher.Learn();
            _ = table.EnterReader(); // the caller leaves it
        }
        catch
        {
            critical.Enter(); // balances the caller's exit; nothing is accessed
            throw;
        }
    }
}
