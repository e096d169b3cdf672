using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using BigPile.Access;
using BigPile.Caching.Entries;
using BigPile.Caching.Index;
using BigPile.Caching.Keys;
using BigPile.Caching.Metrics;
using BigPile.Caching.Spill;
using BigPile.Checking;
using BigPile.Memory.Checking;
using BigPile.Memory.Concurrency;

namespace BigPile.Caching.Tables;

/// <summary>Finds, drops and counts entries. The lock of their bucket is held.</summary>
internal static unsafe class LockedEntries
{
    /// <summary>Reads the entry at an address.</summary>
    /// <returns><see langword="false"/> when there is none: the page was found damaged after the pile was opened.</returns>
    internal static bool TryViewLocked(this TableCore core, ulong address, out EntryHead head, out long payloadBytes)
    {
        BlockSnapshot view = core.Pile.Entries.View(address);
        payloadBytes = view.IsNone ? 0 : view.PayloadBytes;
        bool isWhole = payloadBytes >= EntryHead.ShortBytes;
        head = isWhole ? new EntryHead(view.Payload) : default;
        return isWhole && head.TableId == core.Id && head.FitsIn(payloadBytes);
    }

    /// <summary>
    /// Reads the entry of a slot without comparing a key. After a damaged page was dropped, the block may hold another entry; the hash tag
    /// tells.
    /// </summary>
    internal static bool TryViewLocked(this TableCore core, SlotPlace place, out LockedEntry entry)
    {
        Unsafe.SkipInit(out entry);
        entry.Place = place;
        IndexSlot slot = place.Value;
        return core.TryViewLocked(slot.Address, out entry.Head, out entry.PayloadBytes)
            && (!core.CopiesToRenew || slot.MayBe(core.Hash.Of(new ReadOnlySpan<byte>(entry.Head.Key, entry.Head.KeyBytes))));
    }

    /// <summary>Finds the entry of a key in its bucket.</summary>
    internal static bool TryFindLocked(this TableCore core, in LockedBucket bucket, in KeyProbe key, out LockedEntry entry)
    {
        Unsafe.SkipInit(out entry);
        foreach (SlotPlace place in bucket.Matching(key.Hash))
        {
            // What a damaged slot leads to may be anything: table, length and key are compared.
            entry.Place = place;
            if (core.TryViewLocked(place.Value.Address, out entry.Head, out entry.PayloadBytes)
                && HasKey(entry.Head, entry.PayloadBytes, key))
                return true;
        }
        return false;
    }

    /// <summary>Whether an entry has this key. The bytes may be changing: a lock-free read validates afterwards.</summary>
    internal static bool HasKey(in EntryHead head, long payloadBytes, in KeyProbe key)
    {
        if (!head.FitsIn(payloadBytes))
            return false;
        var stored = new ReadOnlySpan<byte>(head.Key, head.KeyBytes);
        return key.Matcher == null ? stored.SequenceEqual(key.Bytes) : key.Matcher.Matches(stored);
    }

    /// <summary>Removes an entry from the index and frees its block.</summary>
    /// <exception cref="PileFullException">
    /// The entry owns an object whose deletion the full shadow header table can't take, and the device refuses the flush that would empty
    /// it. Nothing has changed.
    /// </exception>
    internal static void DropLocked(this TableCore core, CriticalRegion critical, in LockedEntry entry, Counter reason)
    {
        IndexSlot value = entry.Place.Value;
        Debug.Assert(!value.IsEmpty, "An entry that is dropped is in the index.");
        if (!core.Pile.Entries.CanDeleteObject(entry.Owned, out PileException? failure))
            throw failure; // nothing is changed yet
        // Before the slot is cleared: after a kill the flag in the index says that keys were removed.
        core.RecordRemovedLocked(value.Tag);
        // Before the slot is cleared: a factory that began earlier must not keep an older value.
        core.Flights.OutdateLocked(value.Tag, entry.Head.Version);
        // The copy can be found before the slot is cleared: at every instant the key is in memory or pending.
        PendingDemotion? pending = reason == Counter.Evictions ? core.BeginDemotionLocked(entry) : null;
        // An entry that is demoted to the file is not gone: listeners hear of it when the file refuses it.
        if (pending == null)
            core.Events.OnRemoved(entry.Head, entry.PayloadBytes, reason);
        PilePointer owned = entry.Owned; // read before the block is freed, as all that follows
        bool isTombstone = entry.Head.Kind == ValueKind.Tombstone;
        EntryPriority priority = entry.Head.Priority;
        BlockCount added = default(BlockCount) - core.CountOf(entry);
        Intent* intent = core.BeginDropIntent(critical, entry, added);
        if (Mutation.FreedFirst)
            Free(core.Pile, value.Address, owned);
        if (Mutation.FreedFirst)
            CrashPoints.Pass(CrashPoint.RemoveBeforeFreed);
        // Removed. A read that has copied the entry by now finds another word in IsStillLoaded, and starts over.
        entry.Place.Store(default);
        if (pending != null)
            core.QueueDemotionLocked(entry.Head, pending); // while the block can still be read
        CrashPoints.Pass(CrashPoint.RemoveBeforeFreed);
        // After the slot, so that no slot leads to a freed block. A kill in between leaves the intent, and recovery frees the block.
        if (!Mutation.FreedFirst)
            Free(core.Pile, value.Address, owned);
        if (!isTombstone)
            core.CountDropped(critical, priority, added, reason);
        core.EndIntent(intent);
    }

    /// <summary>Records that a key was removed or missing, while the index is compared with the pile.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static void RecordRemovedLocked(this TableCore core, ulong tag)
    {
        if (core.RemovedKeys is { } removed)
            core.RecordRemovedLocked(removed, tag);
    }

    // The flag tells the next process that there are such keys; the set serves this one.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void RecordRemovedLocked(this TableCore core, RemovedKeys removed, ulong tag)
    {
        if (!core.HasFlag(IndexHead.RemovedFlag))
            core.SetFlag(IndexHead.RemovedFlag, true);
        removed.Add(tag, core.Pile.Engine.Versions.Last);
    }

    private static void CountDropped(
        this TableCore core, CriticalRegion critical, EntryPriority priority, in BlockCount added, Counter reason)
    {
        core.Counters.Count(critical, added);
        if (core.Evictor != null)
        {
            core.Usage.Release(1, -added.FootprintBytes);
            core.Usage.AddToPriority(priority, added.FootprintBytes);
        }
        core.Counters.Add(critical, reason);
    }

    /// <summary>Frees an entry's block and the object that it owns.</summary>
    internal static void Free(Pile pile, ulong address, PilePointer owned)
    {
        if (Mutation.OwnedFreedLast)
            pile.Entries.Free(address);
        // The object first: a kill in between leaves an entry whose pointer is dead, which is dropped when it is met. The other order would
        // leak the object for good.
        if (owned.IsValid)
        {
            if (!Mutation.OwnedKept && !Mutation.OwnedFreedLast)
                _ = pile.Entries.TryDeleteObject(owned);
            CrashPoints.Pass(CrashPoint.OwnedBeforeEntryFreed);
            if (Mutation.OwnedFreedLast)
                _ = pile.Entries.TryDeleteObject(owned);
        }
        if (!Mutation.OwnedFreedLast)
            pile.Entries.Free(address);
    }

    internal static void CountNew(this TableCore core, CriticalRegion critical, long payloadBytes) =>
        core.Counters.Count(critical, core.CountOf(payloadBytes));

    /// <summary>Counts an entry as removed and returns its footprint to the limits.</summary>
    internal static void CountGone(this TableCore core, CriticalRegion critical, long payloadBytes)
    {
        BlockCount gone = core.CountOf(payloadBytes);
        core.Counters.Count(critical, default(BlockCount) - gone);
        if (core.Evictor != null)
            core.Usage.Release(1, gone.FootprintBytes);
    }
}
