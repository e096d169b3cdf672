using System;
using System.Collections.Generic;
using System.Diagnostics;
using BigPile.Caching.Entries;
using BigPile.Caching.Index;
using BigPile.Caching.Keys;
using BigPile.Caching.Tables;
using BigPile.Concurrency;

namespace BigPile.Caching.Operations;

/// <summary>Has keys compared by code of the application, which never runs inside the pile or under a lock.</summary>
internal static unsafe class Comparing
{
    /// <summary>Copies the keys that a lookup of a hash may meet.</summary>
    internal static void CopyKeys(this TableCore core, ulong hash, List<byte[]> found)
    {
        CriticalRegion critical = core.EnterReader();
        try
        {
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

    /// <summary>Does what a call lacked inside, once it is outside.</summary>
    /// <returns>How often it has flushed by now.</returns>
    internal static int PrepareRetry(this TableCore core, in KeyProbe key, bool hasSpace, int attempt)
    {
        if (!hasSpace)
            return core.Pile.Blocks.Reclaimer.Reclaim(attempt);
        Debug.Assert(key.Matcher != null, "Only a comparer's keys are looked at outside, with no lock held.");
        key.Matcher!.Learn();
        return attempt;
    }

    /// <summary>
    /// Leaves the pile for a read's comparisons, and comes back. Whatever happens, the caller is inside afterwards, and has to leave.
    /// </summary>
    internal static void LeaveToCompare(this TableCore core, CriticalRegion critical, KeyMatcher matcher)
    {
        Debug.Assert(critical == CriticalRegion.Current && critical.IsInRegion, "Whoever leaves is inside, and comes back by the same word.");
        core.Pile.Blocks.Exit(critical);
        try
        {
            matcher.Learn();
            _ = core.EnterReader();
        }
        catch
        {
            critical.Enter(); // touches nothing
            throw;
        }
    }
}
