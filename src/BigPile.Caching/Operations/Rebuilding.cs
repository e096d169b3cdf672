using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Access;
using BigPile.Caching.Entries;
using BigPile.Caching.Index;
using BigPile.Caching.Metrics;
using BigPile.Caching.Tables;
using BigPile.Checking;
using BigPile.Concurrency;
using BigPile.Memory.Checking;
using BigPile.Memory.Concurrency;

namespace BigPile.Caching.Operations;

/// <summary>Rebuilds the index from the entries of the pile, as a walk finds them.</summary>
internal static unsafe class Rebuilding
{
    private const int EntriesBetweenGrowths = 32; // so a growth is asked for about as often as by puts

    /// <summary>Reads the table id of an entry. The caller is in a critical region.</summary>
    internal static bool TryReadTableId(Pile pile, ulong address, out int tableId)
    {
        BlockSnapshot view = pile.Entries.View(address);
        bool isThere = !view.IsNone;
        tableId = isThere && view.PayloadBytes >= EntryHead.ShortBytes ? new EntryHead(view.Payload).TableId : 0;
        return isThere;
    }

    /// <summary>Inserts an entry that a walk found. Of two with one key, the older is freed. The caller is in a critical region.</summary>
    /// <returns><see langword="false"/> when it is not an entry.</returns>
    internal static bool AddFound(this TableCore core, CriticalRegion critical, ulong address)
    {
        BlockSnapshot view = core.Pile.Entries.View(address);
        if (view.IsNone)
            return true; // freed since the walk found it
        var found = default(Found);
        if (!core.TrySee(address, view, HeadOf(view), ref found))
            return core.Pile.Entries.View(address).IsNone; // freed meanwhile is no failure
        if (found.Address != 0)
            _ = core.AddFound(critical, found);
        return true;
    }

    /// <summary>The head of a block; all zero where the block is too short for an entry.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static EntryHead HeadOf(in BlockSnapshot view) =>
        view.PayloadBytes >= EntryHead.ShortBytes ? new EntryHead(view.Payload) : default;

    /// <summary>
    /// Reads an entry that a walk found, under no lock, and prefetches its bucket. A tag mark is inserted at once. The caller is in a
    /// critical region, and stays in it until the entry is inserted.
    /// </summary>
    /// <param name="core">The table that the entry should belong to.</param>
    /// <param name="address">The address of the block.</param>
    /// <param name="view">The block.</param>
    /// <param name="head">Its head.</param>
    /// <param name="found">Receives what is to be inserted.</param>
    /// <returns><see langword="false"/> when it is not an entry of the table, or was freed.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool TrySee(this TableCore core, ulong address, in BlockSnapshot view, in EntryHead head, ref Found found)
    {
        Debug.Assert(PileRegions.Current.IsOpen, "The critical region keeps the block.");
        found.Address = 0;
        if (head.TableId != core.Id || !head.FitsIn(view.PayloadBytes))
            return false;
        if (head.Kind == ValueKind.TagMark)
        {
            core.AddFoundMark(head, address);
            return true;
        }
        ulong hash = core.Hash.Of(new ReadOnlySpan<byte>(head.Key, head.KeyBytes)); // rechecked under the lock
        core.Index.Prefetch(hash);
        found.Address = address;
        found.Hash = hash;
        found.View = view;
        return true;
    }

    /// <summary>
    /// Inserts an entry that was read. Of two with one key, the older is freed. The caller has been in a critical region since it was read.
    /// </summary>
    /// <returns>Whether a new slot points to it.</returns>
    internal static bool AddFound(this TableCore core, CriticalRegion critical, in Found found)
    {
        Debug.Assert(critical == PileRegions.Current && critical.IsOpen, "The critical region keeps the block.");
        EntryHead head = found.Head;
        EntryPriority priority = head.Priority;
        core.Pile.Engine.Versions.RaiseTo(head.Version); // later puts get higher ones
        bool isNew = core.AddFoundLocking(critical, found, head);
        // After the lock of the bucket: those of the evictor's shards come first.
        if (isNew)
            core.Evictor?.EnterFound(found.Hash, priority, isInMain: false);
        return isNew;
    }

    private static bool AddFoundLocking(this TableCore core, CriticalRegion critical, in Found found, in EntryHead head)
    {
        using LockedBucket bucket = core.Index.Lock(found.Hash);
        // A put publishes under this lock, so the block is what the walk saw, or was put since and is in the index.
        return found.IsUnchanged() && core.AddFoundLocked(critical, bucket, found, head);
    }

    /// <summary>Inserts a tag mark that a walk found, or that was saved with the index. The caller is in a critical region.</summary>
    internal static void AddFoundMark(this TableCore core, in EntryHead head, ulong address)
    {
        Debug.Assert(head.Kind == ValueKind.TagMark, "A value taken for a mark would remove entries.");
        core.Tags.AddFound(head, address);
        core.MarkExpirable();
    }

    /// <summary>Counts entries that a walk inserted, and lets the index grow from time to time.</summary>
    internal static void RecordFound(this TableCore core, int entries)
    {
        core.FoundSinceGrowth += entries; // approximate: lost updates do not matter, growth goes by the counters
        if (core.FoundSinceGrowth < EntriesBetweenGrowths)
            return;
        core.FoundSinceGrowth = 0;
        core.GrowForFound();
    }

    /// <summary>Grows the index for the entries found so far.</summary>
    internal static void GrowForFound(this TableCore core)
    {
        if (!core.Options.FixedIndex)
            core.Index.GrowFor(core.Counters.Entries);
    }

    /// <summary>Grows the index for entries that a walk is going to find, while the table is in use.</summary>
    internal static void GrowAhead(this TableCore core, long entries, CancellationToken stop)
    {
        bool isMore = !core.Options.FixedIndex;
        while (isMore)
        {
            stop.ThrowIfCancellationRequested();
            using ReadScope scope = core.Pile.Blocks.EnterReader();
            isMore = core.Index.GrowAheadFor(entries);
        }
    }

    /// <summary>
    /// Ends the rebuild: limits apply from now on, tombstones are dropped, and at the end all entries become visible. If it fails, call it
    /// again; until then they are not visible.
    /// </summary>
    internal static void EndRebuild(this TableCore core)
    {
        // IsRebuilding ends here, and removals leave no more tombstones. Those that exist go before what was put before the opening becomes
        // visible.
        core.BeginLimits();
        for (ulong number = 0; core.HasTombstones && number < core.Index.BucketCount; number++)
            core.DropTombstones(number);
        core.MakeAllVisible();
        core.Index.Storage.MarkWhole(); // last: after a kill before it the walk is done again
    }

    /// <summary>Restores the tag marks that the index of an earlier process has. The table is not in use yet.</summary>
    /// <returns><see langword="false"/> when some are missing.</returns>
    internal static bool TryRestoreMarks(this TableCore core)
    {
        using ChangeScope scope = core.Pile.Blocks.EnterWriter();
        return core.Tags.TryRestore();
    }

    /// <summary>Inserts an entry, or frees its block.</summary>
    /// <returns>Whether a new slot points to it.</returns>
    private static bool AddFoundLocked(
        this TableCore core, CriticalRegion critical, in LockedBucket bucket, in Found found, in EntryHead head)
    {
        bool isKnown = core.TryFindLocked(bucket, found.KeyOf(head), out LockedEntry other);
        if (isKnown && other.Address == found.Address)
            return false; // put since, or met before
        RemovedKeys? removed = core.RemovedKeys;
        // A comparison runs: the index should have had it.
        if (removed != null)
        {
            core.ReportLostLocked(bucket, found.Hash, found.Address);
        }
        if (head.Kind == ValueKind.Pointer && !core.IsLive(head.Owned))
        {
            core.Pile.Entries.Free(found.Address); // a kill came while it was being put or freed
            return false;
        }
        if (isKnown)
            core.AddToKnownLocked(critical, found, head, other);
        else if (head.Version <= core.Tags.ClearedUpTo || removed?.MayHave(IndexSlot.TagOf(found.Hash), head.Version) == true)
            LockedEntries.Free(core.Pile, found.Address, head.Owned);
        else
            return core.InsertFoundLocked(critical, bucket, found, head);
        return false;
    }

    private static void AddToKnownLocked(
        this TableCore core, CriticalRegion critical, in Found found, in EntryHead head, in LockedEntry other)
    {
        PilePointer owned = head.Owned;
        PilePointer otherOwned = other.Owned;
        // Of equal versions one is a copy, as of a renewal, and either may stay. Both may own the same object, which stays as well.
        if (head.Version <= other.Head.Version)
        {
            LockedEntries.Free(core.Pile, found.Address, owned == otherOwned ? default : owned);
            return;
        }
        Debug.Assert(other.Address != found.Address, "An entry does not replace itself.");
        ulong otherAddress = other.Address;
        bool otherCounts = other.Head.Kind != ValueKind.Tombstone;
        // As in PublishLocked: flags, slot, and only then the free of the block that it led to. A kill before the free leaves both to the
        // next walk.
        core.MarkLine(other.Place.Line, head);
        other.Place.Store(new IndexSlot(found.Hash, found.Address));
        if (otherCounts && core.RemovedKeys == null)
            core.CountGone(critical, other.PayloadBytes);
        core.CountFound(critical, head, found.PayloadBytes);
        CrashPoints.Pass(CrashPoint.RebuildBeforeOldFreed);
        LockedEntries.Free(core.Pile, otherAddress, owned == otherOwned ? default : otherOwned);
    }

    private static bool InsertFoundLocked(
        this TableCore core, CriticalRegion critical, in LockedBucket bucket, in Found found, in EntryHead head)
    {
        bool hasSpace = core.Index.TryFindEmptyLocked(bucket, int.MaxValue, out SlotPlace place, out PileException? failure);
        if (failure != null)
            throw failure;
        Debug.Assert(hasSpace, "A bucket without a line limit always has space, or there is no memory.");
        Debug.Assert(place.Value.IsEmpty, "A found entry takes a free slot.");
        place.Line->SetFrequency(place.Slot, 0);
        place.Line->SetInMain(place.Slot, false);
        core.MarkLine(place.Line, head); // before the slot
        place.Store(new IndexSlot(found.Hash, found.Address));
        core.CountFound(critical, head, found.PayloadBytes);
        return true;
    }

    /// <summary>Marks line and table for what an entry may need: a sweep, or queues by priority.</summary>
    internal static void MarkLine(this TableCore core, Bucket* line, in EntryHead head)
    {
        if (head.MayBeDead)
        {
            if (!line->MayExpire)
                line->MarkExpiry();
            core.MarkExpirable();
        }
        if (head.Priority != EntryPriority.Normal && !core.HasPriorities)
            core.HasPriorities = true;
    }

    private static void CountFound(this TableCore core, CriticalRegion critical, in EntryHead head, long payloadBytes)
    {
        if (head.Kind == ValueKind.Tombstone)
            // A killed process left it during its own rebuild.
            core.HasTombstones = true;
        else if (core.RemovedKeys == null) // else the counters include it already, and EndInspection counts all anew
            core.CountNew(critical, payloadBytes);
    }

    private static void DropTombstones(this TableCore core, ulong number)
    {
        using ChangeScope scope = core.EnterWriter();
        using LockedBucket bucket = core.Index.LockBucket(number);
        foreach (SlotPlace place in bucket.Slots)
        {
            if (core.TryViewLocked(place, out LockedEntry entry) && entry.Head.Kind == ValueKind.Tombstone)
                core.DropLocked(scope.Critical, entry, Counter.Removals);
        }
    }
}
