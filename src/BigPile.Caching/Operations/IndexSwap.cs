using System;
using System.Diagnostics;
using BigPile.Caching.Entries;
using BigPile.Caching.Index;
using BigPile.Caching.Keys;
using BigPile.Caching.Metrics;
using BigPile.Caching.Tables;
using BigPile.Checking;
using BigPile.Layout;
using BigPile.Memory.Checking;

namespace BigPile.Caching.Operations;

/// <summary>The part of a put under the bucket's lock: swaps the index slot to the entry that was written.</summary>
internal static unsafe class IndexSwap
{
    /// <summary>Points the index to a written entry, if the request's condition holds and there is space.</summary>
    internal static void SwapLocking(this TableCore core, in KeyProbe key, in EntrySpec spec, in PutRequest request, ref PutContext change)
    {
        Debug.Assert(!change.IsPublished && !change.Slot.IsNone, "The entry is written, and invisible.");
        // From here on no other thread puts, removes, evicts or renews an entry of this bucket. Reads go on.
        using LockedBucket bucket = core.Index.Lock(key.Hash);
        if (request.IsPromotion && core.LivenessOf(new EntryHead(change.Slot.Start + BlockHeader.SizeBytes), ref change.Now).IsDead())
            change.Result = null; // removed by its tag since it was read: the last chance to see it, as the sweep may have passed
        else if (core.TryFindLocked(bucket, key, out LockedEntry old))
            core.ReplaceLocked(key, spec, request, old, ref change);
        else if (!request.Condition.IsMetLocked(core.Flights, key.Hash, version: 0, isMissing: true))
            change.Result = null; // another version is expected, or the flight is outdated
        else if (change.IsLimited && !core.HasEnough(change, hasOld: false, oldFootprintBytes: 0))
            change.IsRetry = true; // reserved as a replacement, and the key was removed meanwhile
        else if (!request.Basis.IsEmpty && core.IsGoneByNow(request.Basis, ref change))
            change.Result = null; // the spilled entry was removed by its tag, or by a clear
        else
            core.InsertLocked(key, spec, request, bucket, ref change);
    }

    // A replacement must not get a version above the mark of a removal that it did not see. So its version is drawn first: a removal not
    // seen here then has a higher one.
    private static bool IsGoneByNow(this TableCore core, in EntryHead followed, ref PutContext change)
    {
        change.Version = core.NextVersion(change.Now);
        if (!core.Tags.IsRemoved(followed))
            return false;
        change.Version = 0;
        return true;
    }

    private static bool IsGoneByNow(this TableCore core, ReadOnlySpan<byte> followed, ref PutContext change)
    {
        fixed (byte* payload = followed)
            return core.IsGoneByNow(new EntryHead(payload), ref change);
    }

    private static bool HasEnough(this TableCore core, in PutContext change, bool hasOld, long oldFootprintBytes) =>
        change.Reserved.IsEnough(core.Pile.Blocks.FootprintBytesOf(change.PayloadBytes), hasOld, oldFootprintBytes);

    private static void ReplaceLocked(
        this TableCore core, in KeyProbe key, in EntrySpec spec, in PutRequest request, in LockedEntry old, ref PutContext change)
    {
        Liveness liveness = core.LivenessOf(old.Head, ref change.Now);
        bool isDead = liveness.IsDead();
        bool wasTombstone = old.Head.Kind == ValueKind.Tombstone;
        bool isNone = liveness != Liveness.Live; // what the caller is told: the key was missing
        if (!request.Condition.IsMetLocked(core.Flights, key.Hash, old.Head.Version, isNone))
        {
            change.Result = null;
            return;
        }
        long oldFootprintBytes = wasTombstone || core.Evictor == null ? 0 : core.Pile.Blocks.FootprintBytesOf(old.PayloadBytes);
        if (change.IsLimited && !core.HasEnough(change, !wasTombstone, oldFootprintBytes))
        {
            change.IsRetry = true; // reserved beside a larger entry, which was replaced meanwhile
            return;
        }
        // Only a conditional put builds on the old entry, so only it must not outlive that entry's removal by tag.
        if (request.Condition.IsOfVersion && !isNone && core.IsGoneByNow(old.Head, ref change))
        {
            change.Result = null;
            return;
        }
        PilePointer owned = OwnedToFree(old, change); // read now: the old block may be reused once freed
        if (!core.Pile.Entries.CanDeleteObject(owned, out change.Failure))
            return; // the last chance: the old entry can't be freed without the object that it owns
        Counter reason = isDead ? liveness.Reason() : Counter.Replacements;
        if (isDead)
            core.Events.OnRemoved(old.Head, old.PayloadBytes, reason);
        EntryPriority oldPriority = old.Head.Priority; // read now, as above
        change.IsNewInIndex = wasTombstone || oldPriority != spec.Priority;
        change.Added = (request.IsTombstone ? default : core.CountOf(change.PayloadBytes)) - core.CountOf(old);
        core.ExchangeLocked(key, spec, request, old, owned, ref change);
        if (core.CountsUses && !isNone)
            old.Place.Line->CountUse(old.Place.Slot);
        // While the intent is open: after a kill recovery sets the counters to what they were, or will be.
        core.CountPut(request, change, isNone);
        core.EndIntent(change.Intent);
        // After the old block was freed: the usage never falls below what is there.
        if (core.Evictor != null)
            core.TakeOver(spec, request, change, new OldEntry(wasTombstone, oldPriority, oldFootprintBytes));
        if (isDead)
            core.Counters.Add(change.Critical, reason);
        if (request.IsTombstone && !isNone)
            core.Counters.Add(change.Critical, Counter.Removals);
        change.Result = isNone ? PutResult.Inserted : PutResult.Replaced;
    }

    /// <summary>Publishes the new entry in the old one's slot, and frees the old block.</summary>
    private static void ExchangeLocked(
        this TableCore core, in KeyProbe key, in EntrySpec spec, in PutRequest request, in LockedEntry old, PilePointer owned,
        ref PutContext change)
    {
        ulong oldAddress = old.Address;
        if (Mutation.OwnedFreedFirst && core.Pile.Entries.TryDeleteObject(owned))
            CrashPoints.Pass(CrashPoint.OwnedBeforeEntryFreed);
        if (change.IsNewInIndex)
            old.Place.Line->SetInMain(old.Place.Slot, change.IsForMain); // it enters a queue of its new priority
        Debug.Assert(oldAddress != change.Slot.Address, "The new entry has a block of its own.");
        // From here on the intent names both blocks. After a kill, recovery keeps the one that the slot leads to, and frees the other.
        if (core.Intents != null)
            core.BeginPutIntent(request, oldAddress, old.Head.Version, ref change);
        core.PublishLocked(key, spec, request, old.Place, ref change); // then both blocks are live; the slot decides
        Debug.Assert(Mutation.VersionFromLive || change.Version > old.Head.Version, "Of two blocks with one key the higher version wins.");
        if (request.Externalized != null && spec.SlidingTicks != 0) // an externalized value keeps its lifetime
            core.ReadBuffer.TransferLocked(old.Head.Version, change.Version, key.Hash);
        if (Mutation.FreedOutsideLock)
            core.Index.Locks.Exit(core.Index.Locate(key.Hash));
        CrashPoints.Pass(CrashPoint.EntryBeforeOldFreed);
        // Under the lock: freed later, the old block could outlive a removal by another thread, and come back after a kill.
        LockedEntries.Free(core.Pile, oldAddress, owned);
        if (Mutation.FreedOutsideLock)
            _ = core.Index.Lock(key.Hash);
    }

    // A renewed pointer entry owns the same object, which must not go with the old entry.
    private static PilePointer OwnedToFree(in LockedEntry old, in PutContext change)
    {
        PilePointer owned = old.Owned;
        bool isHandedOn = owned.IsValid && owned == new EntryHead(change.Slot.Start + BlockHeader.SizeBytes).Owned;
        return isHandedOn ? default : owned;
    }

    // The new entry takes over the reservation and the old entry's footprint. The rest is released.
    private static void TakeOver(this TableCore core, in EntrySpec spec, in PutRequest request, in PutContext change, OldEntry old)
    {
        long footprintBytes = request.IsTombstone ? 0 : core.Pile.Blocks.FootprintBytesOf(change.PayloadBytes);
        int entries = (change.Reserved.HasEntry ? 1 : 0) + (old.WasTombstone ? 0 : 1) - (request.IsTombstone ? 0 : 1);
        Debug.Assert(
            entries >= 0 && change.Reserved.FootprintBytes + old.FootprintBytes >= footprintBytes, "It releases no more than it held.");
        core.Usage.Release(entries, change.Reserved.FootprintBytes + old.FootprintBytes - footprintBytes);
        if (old.Priority == spec.Priority)
        {
            core.Usage.AddToPriority(old.Priority, footprintBytes - old.FootprintBytes);
            return;
        }
        core.Usage.AddToPriority(old.Priority, -old.FootprintBytes);
        core.Usage.AddToPriority(spec.Priority, footprintBytes);
    }

    private static void InsertLocked(
        this TableCore core, in KeyProbe key, in EntrySpec spec, in PutRequest request, in LockedBucket bucket, ref PutContext change)
    {
        change.Result = PutResult.Inserted;
        // While the index is incomplete a full bucket grows instead of evicting.
        int maxLines = core.IsRebuilding ? int.MaxValue : core.MaxLines;
        if (!core.Index.TryFindEmptyLocked(bucket, maxLines, out SlotPlace place, out change.Failure))
        {
            if (change.Failure != null)
                return; // nothing is published, and ReleaseUnpublished returns the slot
            if (!core.TryEvictVictimLocked(change.Critical, bucket, spec.Priority, ref change.Now, out place, out bool wasAlive))
            {
                change.Result = PutResult.Collision;
                change.Version = 0; // drawn perhaps, but not used
                if (!request.IsPromotion)
                    core.Counters.Add(change.Critical, Counter.Collisions);
                return;
            }
            if (wasAlive)
                change.Result = PutResult.Overwritten;
        }
        place.Line->SetFrequency(place.Slot, 0); // the uses of the slot's former entry
        place.Line->SetInMain(place.Slot, change.IsForMain);
        change.Added = request.IsTombstone ? default : core.CountOf(change.PayloadBytes);
        if (core.Intents != null)
            core.BeginPutIntent(request, oldAddress: 0, oldVersion: 0, ref change);
        core.PublishLocked(key, spec, request, place, ref change);
        core.CountPut(request, change, isNew: true);
        core.EndIntent(change.Intent);
        if (change.IsLimited)
            core.Usage.AddToPriority(spec.Priority, core.Pile.Blocks.FootprintBytesOf(change.PayloadBytes));
        change.IsNewInIndex = true; // Follow enters it into a queue
    }

    private static void BeginPutIntent(
        this TableCore core, in PutRequest request, ulong oldAddress, ulong oldVersion, ref PutContext put) =>
        put.Intent = core.BeginIntent(
            put.Critical, put.Slot.Address, oldAddress, oldVersion, ownsNew: request.Externalized != null, put.Added);

    /// <summary>Publishes the new entry, and points a slot to it.</summary>
    private static void PublishLocked(
        this TableCore core, in KeyProbe key, in EntrySpec spec, in PutRequest request, SlotPlace place, ref PutContext change)
    {
        Debug.Assert(!change.IsPublished, "An entry is published once, with one version.");
        // Drawn under the lock: of two puts of a key, the later swap has the higher version. An exception here leaves an intent, which
        // ReleaseUnpublished ends.
        if (change.Version == 0)
            change.Version = request.IsPromotion ? request.KeptVersion : core.NextVersion(change.Now);
        if (!request.IsPromotion)
            EntryHead.SetVersion(change.Slot.Start + BlockHeader.SizeBytes, change.Version); // still invisible
        if (Mutation.SlotFirst)
            place.Store(new IndexSlot(key.Hash, change.Slot.Address));
        CrashPoints.Pass(CrashPoint.PutBeforeHeader);
        if (Mutation.ObjectBeforeEntry)
            request.Externalized?.Publish(core.Pile);
        // Release; pairs with the load of the header in EntryBlocks.View. Before the slot points to it: a kill in between leaves two blocks
        // of the key, and the intent or the higher version decides.
        core.Pile.Entries.Publish(change.Slot, change.PayloadBytes);
        change.IsPublished = true; // from here on the slot is not abandoned
        // After the entry: a kill in between leaves a dead pointer, never an unreferenced object.
        if (!Mutation.ObjectBeforeEntry)
            request.Externalized?.Publish(core.Pile);
        CrashPoints.Pass(CrashPoint.EntryBeforeSwap);
        // Flags before the slot: a sweep that reads the line without its lock, or a kill, never finds the entry unmarked.
        if (!spec.IsPlain && (spec.ExpiresAt != long.MaxValue || !spec.Tags.IsEmpty))
        {
            place.Line->MarkExpiry();
            core.MarkExpirable();
            core.Flights.OutdateLocked(IndexSlot.TagOf(key.Hash), change.Version); // a read that finds it dead outdates no run
        }
        if (spec.Priority != EntryPriority.Normal && !core.HasPriorities)
            core.HasPriorities = true;
        Debug.Assert(change.Slot.Address != 0, "No block is at address 0, which stands for an empty slot.");
        // The swap: one store with release, which pairs with the loads of Searching and ReadPlain. A read that has copied the old entry by
        // now finds another word in IsStillLoaded, and starts over.
        place.Store(new IndexSlot(key.Hash, change.Slot.Address));
    }

    private static void CountPut(this TableCore core, in PutRequest request, in PutContext change, bool isNew)
    {
        core.Counters.Count(change.Critical, change.Added);
        if (!request.IsTombstone && !request.IsPromotion)
            core.Counters.Add(change.Critical, isNew ? Counter.Inserts : Counter.Replacements);
    }

    /// <summary>A replaced entry, after its block is freed.</summary>
    private readonly record struct OldEntry(bool WasTombstone, EntryPriority Priority, long FootprintBytes);
}
