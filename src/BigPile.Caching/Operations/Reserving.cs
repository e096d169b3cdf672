using System;
using System.Diagnostics;
using System.Threading;
using BigPile.Caching.Entries;
using BigPile.Caching.Eviction;
using BigPile.Caching.Eviction.Policies;
using BigPile.Caching.Index;
using BigPile.Caching.Keys;
using BigPile.Caching.Tables;

namespace BigPile.Caching.Operations;

/// <summary>Reserves entries and bytes of a limited table for puts.</summary>
/// <remarks>
/// A put reserves before it writes, and evicts until the reservation fits, so no put takes the usage above a limit. A put that will be
/// refused evicts nothing: its condition, and whether enough is evictable, are checked first.
/// </remarks>
internal static class Reserving
{
    // The evictor's queues may grow by this much during an eviction. Reserving it in advance avoids an eviction that still does not
    // suffice.
    private const long GrowthOfQueuesBytes = 2 * HashQueue.NodeBytes;

    private const int MostForNothing = 16; // evictions for a block that the pile may still refuse

    /// <summary>Reserves for an entry, and evicts others until it fits; but none where that can't suffice.</summary>
    /// <returns>Where there is a failure, nothing is reserved.</returns>
    internal static Reservation.Promise TryReserve(
        this TableCore core, in KeyProbe key, in EntrySpec spec, Condition condition, ref PutContext change)
    {
        Debug.Assert(core.Evictor != null, "Only a limited table takes reservations.");
        core.Evictor.Prefetch(key.Hash, spec.Priority);
        long footprintBytes = core.Pile.Blocks.FootprintBytesOf(change.PayloadBytes);
        long limitBytes = core.BlockLimitBytes;
        // As for a new key, whose lookup is saved. If the key has an entry, TakeOver releases what is too much.
        change.Reserved = new Reservation(HasEntry: true, footprintBytes, HasEvicted: false);
        if (!core.Usage.TryTake(takesEntry: true, footprintBytes, limitBytes))
            return core.TryReserveAtLimit(key, spec.Priority, condition, limitBytes, ref change);
        if (change.Queue == EntryQueue.Undecided)
            change.Queue = core.Evictor.QueueBelowCapacity(key.Hash, spec.Priority); // Undecided: Enter chooses
        return Reservation.Promise.Given;
    }

    // The key's own entry passes its footprint to the new one. It must not be evicted before, as the put may still fail.
    private static Reservation.Promise TryReserveAtLimit(
        this TableCore core, in KeyProbe key, EntryPriority priority, Condition condition, long limitBytes, ref PutContext change)
    {
        long footprintBytes = change.Reserved.FootprintBytes;
        change.Reserved = default; // nothing is held, and so nothing is released if what follows fails
        if (!core.TryFindOwn(key, priority, condition, ref change.Now, out OwnEntry own))
            return Reservation.Promise.ConditionNotMet;
        if (own.LacksPlace)
            return Reservation.Promise.Refused;
        // A replacement reserves the difference only. ReplaceLocked sees whether the old entry is still that large; if not, the put starts
        // over.
        long moreBytes = Math.Max(0, footprintBytes - own.FootprintBytes);
        bool hasSpace = core.Usage.TryTake(takesEntry: !own.IsThere, moreBytes, limitBytes);
        bool hasEvicted = !hasSpace;
        // Before the first eviction: a put that will be refused evicts nothing.
        if (!hasSpace && !core.CanEvictEnough(moreBytes, limitBytes, priority, own))
            return Reservation.Promise.Refused;
        // A block that replaces a few entries is allocated after their eviction, as theirs may be all the space that the pile has. One that
        // replaces many is allocated before, so that not all of them are evicted for nothing.
        if (!hasSpace && core.Options.MaxBytes != null && moreBytes > MostForNothing * core.MeanEntryBytes())
            core.TakeBlockFirst(key.Hash, priority, own, ref change);
        if (change.Failure != null)
            return Reservation.Promise.Refused;
        if (!hasSpace && !core.TryEvictEnough(key.Hash, priority, own, moreBytes, ref change))
            return Reservation.Promise.Refused;
        Debug.Assert(moreBytes >= 0, "A smaller value returns the difference once it is in the index.");
        change.Reserved = new Reservation(HasEntry: !own.IsThere, moreBytes, hasEvicted);
        return Reservation.Promise.Given;
    }

    // A new entry is admitted before anything is evicted for it: the victim is what it was compared with.
    private static bool TryEvictEnough(
        this TableCore core, ulong hash, EntryPriority priority, in OwnEntry own, long moreBytes, ref PutContext change)
    {
        if (!own.IsThere && change.Queue == EntryQueue.Undecided)
        {
            change.Queue = core.Admit(core.Evictor!, hash, priority, core.WeightOf(change.PayloadBytes), change.Now, out bool hasEvicted);
            if (hasEvicted && core.Usage.TryTake(takesEntry: true, moreBytes, core.BlockLimitBytes))
                return true;
        }
        // Other puts may take what an eviction frees, so it goes on until the reservation succeeds. The key's own entry is pinned.
        do
        {
            if (!core.TryEvict(core.Evictor!, hash, priority, change.Now, own.Address))
                return false;
        }
        while (!core.Usage.TryTake(takesEntry: !own.IsThere, moreBytes, core.BlockLimitBytes));
        return true;
    }

    private static void TakeBlockFirst(
        this TableCore core, ulong hash, EntryPriority priority, in OwnEntry own, ref PutContext change)
    {
        change.Slot = core.Pile.Entries.Take(change.PayloadBytes, out change.Failure);
        if (change.Failure is not PileFullException)
            return;
        // Evicting a few entries may free enough.
        for (int i = 0; i < MostForNothing && core.TryEvict(core.Evictor!, hash, priority, change.Now, own.Address); i++)
            continue;
        change.Slot = core.Pile.Entries.Take(change.PayloadBytes, out change.Failure);
    }

    private static bool CanEvictEnough(this TableCore core, long moreBytes, long limitBytes, EntryPriority priority, in OwnEntry own)
    {
        if (moreBytes == 0)
            return true;
        bool isOwnEvictable = own.IsThere && own.Priority <= priority && own.Priority != EntryPriority.NeverEvict;
        long evictableBytes = core.Usage.EvictableBytes(priority) - (isOwnEvictable ? own.FootprintBytes : 0);
        return Interlocked.Read(ref core.Usage.FootprintBytes) - evictableBytes + moreBytes + GrowthOfQueuesBytes <= limitBytes;
    }

    /// <summary>Finds the key's own entry.</summary>
    /// <returns>Whether the condition is met.</returns>
    private static bool TryFindOwn(
        this TableCore core, in KeyProbe key, EntryPriority priority, Condition condition, ref long now, out OwnEntry own)
    {
        own = default;
        ulong hash = key.Hash;
        // An early answer, under the lock for this search only. SwapLocking asks again under the lock that counts.
        using LockedBucket bucket = core.Index.Lock(hash);
        if (!core.TryFindLocked(bucket, key, out LockedEntry entry))
        {
            own = own with { LacksPlace = !core.HasPlaceLocked(bucket, priority, ref now) };
            return condition.IsMetLocked(core.Flights, hash, version: 0, isMissing: true);
        }
        if (entry.Head.Kind != ValueKind.Tombstone)
            own = new OwnEntry(IsThere: true, core.Pile.Blocks.FootprintBytesOf(entry.PayloadBytes), entry.Head.Priority, entry.Address);
        return condition.IsMetLocked(core.Flights, hash, entry.Head.Version, core.IsNoneLocked(entry.Head, ref now));
    }

    /// <summary>The entry that the key of a put has already.</summary>
    private readonly record struct OwnEntry(bool IsThere, long FootprintBytes, EntryPriority Priority, ulong Address)
    {
        /// <summary>Whether there is none, and its bucket has neither a free slot nor a victim.</summary>
        internal bool LacksPlace { get; init; }
    }
}
