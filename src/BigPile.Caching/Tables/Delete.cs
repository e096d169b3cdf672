using System.Diagnostics;
using BigPile.Access;
using BigPile.Caching.Entries;
using BigPile.Caching.Feed;
using BigPile.Caching.Index;
using BigPile.Caching.Keys;
using BigPile.Caching.Liveness;
using BigPile.Caching.Metrics;
using BigPile.Caching.Spill;
using BigPile.Checking;
using BigPile.Memory.Checking;
using BigPile.Memory.Concurrency;

namespace BigPile.Caching.Tables;

/// <summary>Removes keys. While older blocks of a key may still turn up, a tombstone keeps them from coming back.</summary>
internal sealed unsafe class Delete(TableEngine table)
{
    /// <summary>Removes a key.</summary>
    /// <returns>Whether it was present.</returns>
    internal bool Remove(in KeyProbe key, Condition condition) =>
        table.Visibility.IsRebuilding ? DuringRebuild(key, condition) : Anywhere(key, condition);

    /// <summary>Removes a key from memory, regardless of spilled entries.</summary>
    /// <returns>Whether it was present.</returns>
    /// <exception cref="PileFullException">The index is being rebuilt, and there is no space for a tombstone.</exception>
    internal bool FromMemory(in KeyProbe key, Condition condition)
    {
        // Read before the region: once false it stays false, and if it becomes false now, PutTombstone drops its tombstone again.
        if (table.Visibility.IsRebuilding)
            return PutTombstone(key, condition);
        using (ChangeScope scope = table.EnterWriter())
        {
            try
            {
                return RemoveInRegion(scope.Critical, key, condition);
            }
            catch (KeyNotComparedException)
            {
                // no lock is held any more
            }
        }
        key.Matcher!.Learn();
        return FromMemory(key, condition);
    }

    private bool Anywhere(in KeyProbe key, Condition condition) =>
        table.Disk is { } disk ? disk.Remove(key, condition) : FromMemory(key, condition);

    private bool DuringRebuild(in KeyProbe key, Condition condition)
    {
        while (true)
        {
            bool wasRebuilding = table.Visibility.IsRebuilding;
            try
            {
                return Anywhere(key, condition);
            }
            catch (PileFullException) when (wasRebuilding)
            {
                // A tombstone needs space, a removal must not. After the rebuild it needs none.
                if (!TryWaitForRebuild())
                    throw;
            }
        }
    }

    private bool RemoveInRegion(CriticalRegion critical, in KeyProbe key, Condition condition)
    {
        Debug.Assert(!table.Visibility.IsRebuilding, "While older blocks may turn up, a removal leaves a tombstone.");
        long now = table.Clock.BeforeLock;
        using LockedBucket bucket = table.Index.Lock(key.Hash);
        // Also where the key is missing: a factory that read its source before must not bring the value back. A removal with a condition
        // that finds nothing changes nothing, and outdates nobody.
        if (condition.IsNone)
            table.Flights.OutdateLocked(IndexSlot.TagOf(key.Hash), ulong.MaxValue);
        if (!table.Entries.TryFindLocked(bucket, key, out LockedEntry entry))
        {
            // The index may have lost the entry: an inspection must not insert it again.
            table.RemovalLog.RecordLocked(IndexSlot.TagOf(key.Hash));
            return false;
        }
        EntryState state = table.Liveness.Of(entry.Head, ref now);
        bool isLive = state == EntryState.Live;
        if (isLive && !condition.IsMetLocked(table.Flights, key.Hash, entry.Head.Version, isMissing: false))
            return false;
        if (state == EntryState.Stale && !condition.IsNone)
            return false; // to the caller the key is missing
        // Also one that began while the entry was in the file: a promotion keeps a version from before it.
        if (isLive && !condition.IsNone)
            table.Flights.OutdateLocked(IndexSlot.TagOf(key.Hash), ulong.MaxValue);
        DropLocked(critical, entry, isLive ? Counter.Removals : state.Reason(), isCall: isLive);
        return isLive;
    }

    /// <summary>
    /// Replaces a key by a tombstone while older blocks of it may still turn up, so that none comes back, even if the process is killed now
    /// and the next one finds them.
    /// </summary>
    private bool PutTombstone(in KeyProbe key, Condition condition)
    {
        table.Content.MarkTombstones(); // before the put: the end of the rebuild looks for tombstones if it is set
        PutResult result = table.Put.Run(key, default, ValueKind.Tombstone, EntrySpec.Plain, condition, out _);
        if (result == PutResult.Collision) // the rebuild has ended: a full bucket grows until then
            return FromMemory(key, condition);
        if (!table.Visibility.IsRebuilding)
            DropTombstone(key); // the walk that drops tombstones may have passed before
        return result == PutResult.Replaced;
    }

    /// <summary>Waits for the end of the rebuild. No stripe lock is held: the rebuild's end may take it.</summary>
    /// <returns><see langword="false"/> when the walk has failed.</returns>
    internal bool TryWaitForRebuild()
    {
        const int PollMs = 20;
        // A failed walk is repeated and completes nothing, so its failure has to be looked for.
        while (!table.Readiness.Completion.Wait(PollMs))
        {
            if (table.Readiness.Failure != null)
                return false;
        }
        return true;
    }

    private void DropTombstone(in KeyProbe key)
    {
        using (ChangeScope scope = table.EnterWriter())
        {
            try
            {
                using LockedBucket bucket = table.Index.Lock(key.Hash);
                if (table.Entries.TryFindLocked(bucket, key, out LockedEntry entry) && entry.Head.Kind == ValueKind.Tombstone)
                    DropLocked(scope.Critical, entry, Counter.Removals);
                return;
            }
            catch (KeyNotComparedException)
            {
                // no lock is held any more
            }
        }
        key.Matcher!.Learn();
        DropTombstone(key);
    }

    /// <summary>Outdates the factories of a key whose spilled entry is removed.</summary>
    internal void OutdateFlights(in KeyProbe key)
    {
        using ReadScope scope = table.EnterReader();
        using LockedBucket bucket = table.Index.Lock(key.Hash);
        table.Flights.OutdateLocked(IndexSlot.TagOf(key.Hash), ulong.MaxValue);
    }

    /// <summary>Removes an entry from the index and frees its block. The bucket's lock is held.</summary>
    /// <param name="critical">The critical region of the calling thread.</param>
    /// <param name="entry">The entry.</param>
    /// <param name="reason">What counts it.</param>
    /// <param name="isCall">Whether a call removes it, which the feed tells; else, for a removal, a mark did, and was told.</param>
    /// <exception cref="PileFullException">
    /// The entry owns an object whose deletion the full shadow header table can't take, and the device refuses the flush that would empty
    /// it. Nothing has changed.
    /// </exception>
    internal void DropLocked(CriticalRegion critical, in LockedEntry entry, Counter reason, bool isCall = false)
    {
        IndexSlot value = entry.Place.Value;
        Debug.Assert(!value.IsEmpty, "An entry that is dropped is in the index.");
        if (!table.Heap.CanDeleteObject(entry.Owned, out PileException? failure))
            throw failure; // nothing is changed yet
        // 1. While an inspection runs, and before the slot is cleared: after a kill the flag in the index says that keys were removed.
        table.RemovalLog.RecordLocked(value.Tag);
        // 2. Before the slot is cleared: a factory that began earlier must not keep an older value.
        table.Flights.OutdateLocked(value.Tag, entry.Head.Version);
        // 3. The copy can be found before the slot is cleared: at every instant the key is in memory or pending.
        PendingDemotion? pending = reason == Counter.Evictions ? table.Disk?.Demotions.BeginLocked(entry) : null;
        // An entry that is demoted to the file is not gone: readers of the feed hear of it when the file refuses it.
        ChangeKind kind = pending == null && table.Feed.IsOn ? KindOf(reason, isCall) : ChangeKind.None;
        if (kind == ChangeKind.None)
        {
            DropLocked(critical, entry, reason, pending);
            return;
        }
        FeedLane* lane = table.Feed.Enter(critical);
        try
        {
            table.Feed.AppendGone(lane, kind, entry.Head, entry.PayloadBytes);
            DropLocked(critical, entry, reason, pending);
        }
        finally
        {
            table.Feed.Leave(lane, isMade: entry.Place.Value.IsEmpty);
        }
    }

    /// <summary>What readers of the feed are told of an entry that goes; None: it was told before, by a mark.</summary>
    internal static ChangeKind KindOf(Counter reason, bool isCall) => reason switch
    {
        Counter.Evictions => ChangeKind.Evicted,
        Counter.Expirations => ChangeKind.Expired,
        _ => isCall ? ChangeKind.Removed : ChangeKind.None,
    };

    private void DropLocked(CriticalRegion critical, in LockedEntry entry, Counter reason, PendingDemotion? pending)
    {
        IndexSlot value = entry.Place.Value;
        PilePointer owned = entry.Owned; // read before the block is freed, as all that follows
        long ownedBytes = owned.IsValid ? table.Entries.OwnedBytesOf(entry.Head, entry.PayloadBytes) : 0;
        bool isTombstone = entry.Head.Kind == ValueKind.Tombstone;
        EntryPriority priority = entry.Head.Priority;
        BlockCount added = default(BlockCount) - table.Entries.CountOf(entry);
        Intent* intent = table.Intents.BeginDrop(critical, entry, added); // 4. A kill from here on is repaired.
        if (Mutation.FreedFirst)
            table.Entries.Free(value.Address, owned);
        if (Mutation.FreedFirst)
            CrashPoints.Pass(CrashPoint.RemoveBeforeFreed);
        // 5. Removed. A read that has copied the entry by now finds another word in its slot, and starts over.
        entry.Place.Store(default);
        if (pending != null)
            table.Disk!.Demotions.QueueLocked(entry.Head, pending); // while the block can still be read
        CrashPoints.Pass(CrashPoint.RemoveBeforeFreed);
        // 6. After the slot, so that no slot leads to a freed block. A kill in between leaves the intent, and recovery frees the block.
        if (!Mutation.FreedFirst)
            table.Entries.Free(value.Address, owned);
        if (!isTombstone) // 7. Counters, while the intent is open; then its end.
        {
            table.Counters.Count(critical, added);
            table.Limits.Return(priority, -added.FootprintBytes);
            if (ownedBytes != 0)
                table.Limits.AddOwned(priority, entry.Head.Version, -ownedBytes);
            table.Counters.Add(critical, reason);
        }
        table.Intents.End(intent);
    }

    /// <summary>Clears a slot that leads to no entry: its page was found damaged after the opening. The bucket's lock is held.</summary>
    internal void DropLostLocked(CriticalRegion critical, SlotPlace place)
    {
        place.Store(default); // nothing is left to free
        CountGoneLocked(critical, 0);
        table.Feed.Lose(); // nobody knows its key
        if (table.Intents.AreLogged)
            table.ReportDamage("leads to an entry that there is not");
    }

    /// <summary>Counts an entry as removed, and returns its footprint to the limits. The bucket's lock is held.</summary>
    internal void CountGoneLocked(CriticalRegion critical, long payloadBytes)
    {
        BlockCount gone = table.Entries.CountOf(payloadBytes);
        table.Counters.Count(critical, default(BlockCount) - gone);
        table.Limits.Return(EntryPriority.Normal, gone.FootprintBytes);
    }
}
