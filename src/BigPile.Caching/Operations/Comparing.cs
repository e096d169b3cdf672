using System;
using System.Collections.Generic;
using System.Diagnostics;
using BigPile.Caching.Entries;
using BigPile.Caching.Index;
using BigPile.Caching.Keys;
using BigPile.Caching.Tables;
using BigPile.Concurrency;
using BigPile.Memory.Concurrency;

namespace BigPile.Caching.Operations;

/// <summary>Runs the application's key comparer, outside of critical regions and locks.</summary>
internal static unsafe class Comparing
{
    /// <summary>Copies the keys that a lookup of this hash may compare.</summary>
    internal static void CopyKeys(this TableCore core, ulong hash, List<byte[]> found)
    {
        CriticalRegion critical = core.EnterReader();
        try
        {
            // Copied, as the comparer runs after the lock is released. A key that is put meanwhile throws KeyNotComparedException again.
            using LockedBucket bucket = core.Index.Lock(hash);
            foreach (SlotPlace place in bucket.Matching(hash))
            {
                if (core.TryViewLocked(place.Value.Address, out EntryHead head, out _))
                    found.Add(new ReadOnlySpan<byte>(head.Key, head.KeyBytes).ToArray());
            }
        }
        finally
        {
            core.Pile.Blocks.Exit(critical);
        }
    }

    /// <summary>Prepares the retry of a call that lacked space or a comparison. The caller is outside of critical regions.</summary>
    /// <returns>The number of the next attempt.</returns>
    internal static int PrepareRetry(this TableCore core, in KeyProbe key, bool hasSpace, int attempt)
    {
        if (!hasSpace)
            return core.Pile.Blocks.Reclaimer.Reclaim(attempt);
        Debug.Assert(key.Matcher != null, "Only a comparer's keys are compared outside, with no lock held.");
        key.Matcher!.Learn();
        return attempt;
    }

    /// <summary>
    /// Leaves the critical region to run a read's comparisons, and enters it again. The caller is in the region afterwards in any case, and
    /// must exit.
    /// </summary>
    internal static void LeaveToCompare(this TableCore core, CriticalRegion critical, KeyMatcher matcher)
    {
        Debug.Assert(critical == PileRegions.Current && critical.IsOpen, "The caller is in this region, and enters it again.");
        core.Pile.Blocks.Exit(critical);
        try
        {
            matcher.Learn();
            _ = core.EnterReader();
        }
        catch
        {
            critical.Enter(); // balances the caller's exit; nothing is accessed
            throw;
        }
    }
}
