using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using BigPile.Caching.Entries;
using BigPile.Caching.Index;
using BigPile.Caching.Keys;
using BigPile.Caching.Metrics;
using BigPile.Caching.Spill;
using BigPile.Concurrency;
using BigPile.Tables;

namespace BigPile.Caching.Tables;

/// <summary>Finding and dropping the entries of a bucket that is locked, and counting them.</summary>
internal static unsafe class LockedEntries
{
    /// <summary>The block that is at an address.</summary>
    /// <returns><see langword="false"/> when there is none: its page turned out to be damaged after it was opened.</returns>
    internal static bool TryViewLocked(this TableCore core, ulong address, out EntryHead head, out long payloadBytes)
    {
        EntryView view = core.Pile.Entries.View(address);
        payloadBytes = view.IsNone ? 0 : view.PayloadBytes;
        bool isWhole = payloadBytes >= EntryHead.ShortBytes;
        head = isWhole ? new EntryHead(view.Payload) : default;
        return isWhole && head.TableId == core.Id && head.FitsIn(payloadBytes);
    }

    /// <summary>
    /// The entry of a slot that was not found by a key. Where a damaged page was dropped, another entry may be in the slot's block by
    /// now; its tag tells.
    /// </summary>
    internal static bool TryViewLocked(this TableCore core, SlotPlace place, out LockedEntry entry)
    {
        Unsafe.SkipInit(out entry);
        entry.Place = place;
        IndexSlot slot = place.Value;
        return core.TryViewLocked(slot.Address, out entry.Head, out entry.PayloadBytes)
            && (!core.CopiesToRenew || slot.MayBe(core.Hash.Of(new ReadOnlySpan<byte>(entry.Head.Key, entry.Head.KeyBytes))));
    }

    /// <summary>Finds the entry of a key in its locked bucket.</summary>
    internal static bool TryFindLocked(this TableCore core, in LockedBucket bucket, in KeyProbe key, out LockedEntry entry)
    {
        Unsafe.SkipInit(out entry);
        foreach (SlotPlace place in bucket.Matching(key.Hash))
        {
            entry.Place = place;
            if (core.TryViewLocked(place.Value.Address, out entry.Head, out entry.PayloadBytes)
                && HasKey(entry.Head, entry.PayloadBytes, key))
                return true;
        }
        return false;
    }

    /// <summary>Whether the key of an entry is one; its bytes may be changing.</summary>
    internal static bool HasKey(in EntryHead head, long payloadBytes, in KeyProbe key)
    {
        if (!head.FitsIn(payloadBytes))
            return false;
        var stored = new ReadOnlySpan<byte>(head.Key, head.KeyBytes);
        return key.Matcher == null ? stored.SequenceEqual(key.Bytes) : key.Matcher.Matches(stored);
    }

    /// <summary>Takes an entry out of the index and frees its block.</summary>
    internal static void DropLocked(this TableCore core, CriticalRegion critical, in LockedEntry entry, Counter reason)
    {
        IndexSlot value = entry.Place.Value;
        Debug.Assert(!value.IsEmpty, "An entry that is dropped is in the index.");
        core.RecordRemovedLocked(value.Tag);
        core.Flights.OutdateLocked(value.Tag, entry.Head.Version);
        PendingDemotion? pending = reason == Counter.Evictions ? core.BeginDemotionLocked(entry) : null;
        if (pending == null)
            core.Events.OnRemoved(entry.Head, entry.PayloadBytes, reason);
        PilePointer owned = entry.Owned;
        bool isTombstone = entry.Head.Kind == ValueKind.Tombstone;
        EntryPriority priority = entry.Head.Priority;
        BlockCount added = default(BlockCount) - core.CountOf(entry);
        Intent* intent = core.BeginDropIntent(critical, entry, added);
        if (Mutation.FreedFirst)
            Free(core.Pile, value.Address, owned);
        if (Mutation.FreedFirst)
            CrashPoints.Pass(CrashPoint.RemoveBeforeFreed);
        entry.Place.Store(default);
        if (pending != null)
            core.QueueDemotionLocked(entry.Head, pending);
        CrashPoints.Pass(CrashPoint.RemoveBeforeFreed);
        if (!Mutation.FreedFirst)
            Free(core.Pile, value.Address, owned);
        if (!isTombstone)
            core.CountDropped(critical, priority, added, reason);
        core.EndIntent(intent);
    }

    /// <summary>Notes that a key is no more, or was not there, while the index is compared with the pile.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static void RecordRemovedLocked(this TableCore core, ulong tag)
    {
        if (core.RemovedKeys is { } removed)
            core.RecordRemovedLocked(removed, tag);
    }

    // For this process, and that there are such keys for the next one.
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

    /// <summary>Frees the block of an entry, and the object that it owned.</summary>
    /// <remarks>
    /// The object goes first: a kill between leaves an entry that leads nowhere, which is dropped when it is found. An entry that went
    /// first would leave an object that nothing leads to, for ever.
    /// </remarks>
    internal static void Free(Pile pile, ulong address, PilePointer owned)
    {
        if (Mutation.OwnedFreedLast)
            pile.Entries.Free(address);
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

    /// <summary>Counts an entry off, and gives its room back to the limits.</summary>
    internal static void CountGone(this TableCore core, CriticalRegion critical, long payloadBytes)
    {
        BlockCount gone = core.CountOf(payloadBytes);
        core.Counters.Count(critical, default(BlockCount) - gone);
        if (core.Evictor != null)
            core.Usage.Release(1, gone.FootprintBytes);
    }
}
