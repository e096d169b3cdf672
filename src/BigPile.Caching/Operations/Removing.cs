using System.Diagnostics;
using BigPile.Access;
using BigPile.Caching.Entries;
using BigPile.Caching.Index;
using BigPile.Caching.Keys;
using BigPile.Caching.Metrics;
using BigPile.Caching.Tables;
using BigPile.Memory.Concurrency;

namespace BigPile.Caching.Operations;

/// <summary>Removes keys. While older blocks of a key may still turn up, a tombstone keeps them from coming back.</summary>
internal static class Removing
{
    /// <summary>Removes a key.</summary>
    /// <returns>Whether it was present.</returns>
    internal static bool Remove(this TableCore core, in KeyProbe key, Condition condition) =>
        core.Spill is { } spill ? core.RemoveSpilling(spill, key, condition) : core.RemoveOnce(key, condition);

    /// <summary>Removes a key from memory, regardless of spilled entries.</summary>
    /// <returns>Whether it was present.</returns>
    internal static bool RemoveOnce(this TableCore core, in KeyProbe key, Condition condition)
    {
        // Read before the region: once false it stays false, and if it becomes false now, PutTombstone drops its tombstone again.
        if (core.IsRebuilding)
            return core.PutTombstone(key, condition);
        using (ChangeScope scope = core.EnterWriter())
        {
            try
            {
                return core.RemoveInRegion(scope.Critical, key, condition);
            }
            catch (KeyNotComparedException)
            {
                // no lock is held any more
            }
        }
        key.Matcher!.Learn();
        return core.RemoveOnce(key, condition);
    }

    private static bool RemoveInRegion(this TableCore core, CriticalRegion critical, in KeyProbe key, Condition condition)
    {
        Debug.Assert(!core.IsRebuilding, "While older blocks may turn up, a removal leaves a tombstone.");
        long now = core.Clock.BeforeLock;
        using LockedBucket bucket = core.Index.Lock(key.Hash);
        // Also where the key is missing: a factory that read its source before must not bring the value back. A removal with a condition
        // that finds nothing changes nothing, and outdates nobody.
        if (condition.IsNone)
            core.Flights.OutdateLocked(IndexSlot.TagOf(key.Hash), ulong.MaxValue);
        if (!core.TryFindLocked(bucket, key, out LockedEntry entry))
        {
            // The index may have lost the entry: the comparison must not insert it again.
            core.RecordRemovedLocked(IndexSlot.TagOf(key.Hash));
            return false;
        }
        Liveness liveness = core.LivenessOf(entry.Head, ref now);
        bool isLive = liveness == Liveness.Live;
        if (isLive && !condition.IsMetLocked(core.Flights, key.Hash, entry.Head.Version, isMissing: false))
            return false;
        core.DropLocked(critical, entry, isLive ? Counter.Removals : liveness.Reason());
        return isLive;
    }

    /// <summary>
    /// Replaces a key by a tombstone while older blocks of it may still turn up, so that none comes back, even if the process is killed now
    /// and the next one finds them.
    /// </summary>
    private static bool PutTombstone(this TableCore core, in KeyProbe key, Condition condition)
    {
        try
        {
            core.HasTombstones = true; // before the put: EndRebuild looks for tombstones if it is set
            bool wasThere = core.Put(key, default, ValueKind.Tombstone, EntrySpec.Plain, condition, out _) == PutResult.Replaced;
            if (!core.IsRebuilding)
                core.DropTombstone(key); // the walk that drops tombstones may have passed before
            return wasThere;
        }
        catch (PileFullException)
        {
            // A tombstone needs space, a removal must not. After the walk it needs none.
            if (!core.WaitForRebuild())
                throw;
            return core.RemoveOnce(key, condition); // no tombstone is needed any more
        }
    }

    private static bool WaitForRebuild(this TableCore core)
    {
        const int PollMs = 20;
        // A failed walk is repeated and completes nothing, so its failure has to be looked for.
        while (!core.Readiness.Completion.Wait(PollMs))
        {
            if (core.Readiness.Failure != null)
                return false;
        }
        return true;
    }

    private static void DropTombstone(this TableCore core, in KeyProbe key)
    {
        using (ChangeScope scope = core.EnterWriter())
        {
            try
            {
                using LockedBucket bucket = core.Index.Lock(key.Hash);
                if (core.TryFindLocked(bucket, key, out LockedEntry entry) && entry.Head.Kind == ValueKind.Tombstone)
                    core.DropLocked(scope.Critical, entry, Counter.Removals);
                return;
            }
            catch (KeyNotComparedException)
            {
                // no lock is held any more
            }
        }
        key.Matcher!.Learn();
        core.DropTombstone(key);
    }
}
