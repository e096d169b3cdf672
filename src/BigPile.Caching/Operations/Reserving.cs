using System;
using System.Diagnostics;
using System.Threading;
using BigPile.Caching.Entries;
using BigPile.Caching.Eviction;
using BigPile.Caching.Index;
using BigPile.Caching.Keys;
using BigPile.Caching.Tables;

namespace BigPile.Caching.Operations;

/// <summary>Reserves room for what is put into a limited table.</summary>
/// <remarks>
/// Room is reserved before an entry is written, and evicted until the reservation fits; so the table's own figure is never above a limit.
/// What will be refused evicts nothing: the condition of a change is looked at before, and whether what may go is enough. A replacement
/// reserves the difference only; under the lock it is seen whether that was right, and if not, all begins anew.
/// The pile may be full, too. A block that takes the place of a few entries is taken behind their eviction, as theirs may be all that the
/// pile has; for one that takes the place of many it is taken before, or behind a few, so that not all of them go for nothing.
/// </remarks>
internal static class Reserving
{
    // What evicts may take that much while it makes room, and leave less: that is not found out behind an eviction.
    private const long GrowthOfQueuesBytes = 2 * HashQueue.NodeBytes;

    private const int MostForNothing = 16;

    /// <summary>
    /// Reserves room for an entry, and evicts others until there is some; but none where that can't help, or for nothing.
    /// </summary>
    internal static Reservation.Promise TryReserve(
        this TableCore core, in KeyProbe key, in EntrySpec spec, Condition condition, ref PutChange change)
    {
        Debug.Assert(core.Evictor != null, "Only a limited table promises room.");
        core.Evictor.Prefetch(key.Hash, spec.Priority);
        long footprintBytes = core.Pile.Blocks.FootprintBytesOf(change.PayloadBytes);
        long limitBytes = core.BlockLimitBytes;
        change.Reserved = new Reservation(HasEntry: true, footprintBytes, HasEvicted: false);
        if (!core.Usage.TryTake(takesEntry: true, footprintBytes, limitBytes))
            return core.TryReserveAtLimit(key, spec.Priority, condition, limitBytes, ref change);
        if (change.Queue == EntryQueue.Undecided)
            change.Queue = core.Evictor.QueueBelowCapacity(key.Hash, spec.Priority);
        return Reservation.Promise.Given;
    }

    // The key's own entry gives its room to the new one. It must not go before, as the put may come to nothing yet.
    private static Reservation.Promise TryReserveAtLimit(
        this TableCore core, in KeyProbe key, EntryPriority priority, Condition condition, long limitBytes, ref PutChange change)
    {
        long footprintBytes = change.Reserved.FootprintBytes;
        change.Reserved = default;
        if (!core.TryFindOwn(key, priority, condition, ref change.Now, out OwnEntry own))
            return Reservation.Promise.ConditionNotMet;
        if (own.LacksPlace)
            return Reservation.Promise.Refused;
        long moreBytes = Math.Max(0, footprintBytes - own.FootprintBytes);
        bool hasSpace = core.Usage.TryTake(takesEntry: !own.IsThere, moreBytes, limitBytes);
        bool hasEvicted = !hasSpace;
        if (!hasSpace && !core.CanEvictEnough(moreBytes, limitBytes, priority, own))
            return Reservation.Promise.Refused;
        if (!hasSpace && core.Options.MaxBytes != null && moreBytes > MostForNothing * core.MeanEntryBytes())
            core.TakeBlockFirst(key.Hash, priority, own, ref change);
        if (!hasSpace && !core.TryEvictEnough(key.Hash, priority, own, moreBytes, ref change))
            return Reservation.Promise.Refused;
        Debug.Assert(moreBytes >= 0, "A smaller value gives its rest back once it is in the index, and not before.");
        change.Reserved = new Reservation(HasEntry: !own.IsThere, moreBytes, hasEvicted);
        return Reservation.Promise.Given;
    }

    // A new entry is decided on before anything is evicted for it: what it replaces is what it was compared with.
    private static bool TryEvictEnough(
        this TableCore core, ulong hash, EntryPriority priority, in OwnEntry own, long moreBytes, ref PutChange change)
    {
        double weight = core.WeightOf(change.PayloadBytes);
        if (!own.IsThere && change.Queue is EntryQueue.Undecided or EntryQueue.Filling)
        {
            change.Queue = core.Admit(core.Evictor!, hash, priority, weight, change.Now, out bool hasEvicted);
            if (hasEvicted && core.Usage.TryTake(takesEntry: true, moreBytes, core.BlockLimitBytes))
                return true;
        }
        double smallWeight = change.Queue == EntryQueue.Small ? weight : 0;
        do
        {
            if (!core.TryEvict(core.Evictor!, hash, priority, change.Now, smallWeight, own.Address))
                return false;
        }
        while (!core.Usage.TryTake(takesEntry: !own.IsThere, moreBytes, core.BlockLimitBytes));
        return true;
    }

    private static void TakeBlockFirst(
        this TableCore core, ulong hash, EntryPriority priority, in OwnEntry own, ref PutChange change)
    {
        try
        {
            change.Slot = core.Pile.Entries.Take(change.PayloadBytes);
            return;
        }
        catch (PileFullException)
        {
            // another one as large may be about to go
        }
        for (int i = 0; i < MostForNothing && core.TryEvict(core.Evictor!, hash, priority, change.Now, 0, own.Address); i++)
            continue;
        change.Slot = core.Pile.Entries.Take(change.PayloadBytes);
    }

    private static bool CanEvictEnough(this TableCore core, long moreBytes, long limitBytes, EntryPriority priority, in OwnEntry own)
    {
        if (moreBytes == 0)
            return true;
        bool isOwnEvictable = own.IsThere && own.Priority <= priority && own.Priority != EntryPriority.NeverEvict;
        long evictableBytes = core.Usage.EvictableBytes(priority) - (isOwnEvictable ? own.FootprintBytes : 0);
        return Interlocked.Read(ref core.Usage.FootprintBytes) - evictableBytes + moreBytes + GrowthOfQueuesBytes <= limitBytes;
    }

    /// <summary>Looks whether a key has an entry.</summary>
    /// <returns>Whether the condition is met.</returns>
    private static bool TryFindOwn(
        this TableCore core, in KeyProbe key, EntryPriority priority, Condition condition, ref long now, out OwnEntry own)
    {
        own = default;
        ulong hash = key.Hash;
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

    /// <summary>An entry that the key of a put has already.</summary>
    private readonly record struct OwnEntry(bool IsThere, long FootprintBytes, EntryPriority Priority, ulong Address)
    {
        /// <summary>Whether there is none, and its bucket has no place for one, nor may make one.</summary>
        internal bool LacksPlace { get; init; }
    }
}
