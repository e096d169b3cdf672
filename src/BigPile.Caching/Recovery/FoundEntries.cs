using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Access;
using BigPile.Caching.Entries;
using BigPile.Caching.Index;
using BigPile.Caching.Intents;
using BigPile.Caching.Metrics;
using BigPile.Caching.Tables;
using BigPile.Checking;
using BigPile.Concurrency;
using BigPile.Memory.Checking;
using BigPile.Memory.Concurrency;
using BigPile.Tables;

namespace BigPile.Caching.Recovery;

/// <summary>Rebuilds the index from the entries of the pile, as a walk finds them.</summary>
internal sealed unsafe class FoundEntries(TableEngine table)
{
    private const int EntriesBetweenGrowths = 32; // so a growth is asked for about as often as by puts

    private int _foundSinceGrowth; // entries since the index last grew for them; approximate

    internal int TableId => table.Id;

    /// <summary>Reads the table id of an entry. The caller is in a critical region.</summary>
    internal static bool TryReadTableId(TableHeap heap, ulong address, out int tableId)
    {
        BlockSnapshot view = heap.View(address);
        bool isThere = !view.IsNone;
        tableId = isThere && view.PayloadBytes >= EntryHead.ShortBytes ? new EntryHead(view.Payload).TableId : 0;
        return isThere;
    }

    /// <summary>Inserts an entry that a walk found. Of two with one key, the older is freed. The caller is in a critical region.</summary>
    /// <returns><see langword="false"/> when it is not an entry.</returns>
    internal bool AddFound(CriticalRegion critical, ulong address)
    {
        BlockSnapshot view = table.Heap.View(address);
        if (view.IsNone)
            return true; // freed since the walk found it
        var found = default(Found);
        if (!TrySee(address, view, EntryHead.Of(view), ref found))
            return table.Heap.View(address).IsNone; // freed meanwhile is no failure
        if (found.Address != 0)
            _ = AddFound(critical, found);
        return true;
    }

    /// <summary>
    /// Reads an entry that a walk found, under no lock, and prefetches its bucket. A tag mark is inserted at once. The caller is in a
    /// critical region, and stays in it until the entry is inserted.
    /// </summary>
    /// <param name="address">The address of the block.</param>
    /// <param name="view">The block.</param>
    /// <param name="head">Its head.</param>
    /// <param name="found">Receives what is to be inserted.</param>
    /// <returns><see langword="false"/> when it is not an entry of the table, or was freed.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool TrySee(ulong address, in BlockSnapshot view, in EntryHead head, ref Found found)
    {
        Debug.Assert(PileRegions.Current.IsOpen, "The critical region keeps the block.");
        found.Address = 0;
        if (head.TableId != table.Id || !head.FitsIn(view.PayloadBytes))
            return false;
        if (head.Kind == ValueKind.TagMark)
        {
            AddFoundMark(head, address);
            return true;
        }
        ulong hash = table.Hash.Of(new ReadOnlySpan<byte>(head.Key, head.KeyBytes)); // rechecked under the lock
        table.Index.Prefetch(hash);
        found.Address = address;
        found.Hash = hash;
        found.View = view;
        return true;
    }

    /// <summary>
    /// Inserts an entry that was read. Of two with one key, the older is freed. The caller has been in a critical region since it was read.
    /// </summary>
    /// <returns>Whether a new slot points to it.</returns>
    internal bool AddFound(CriticalRegion critical, in Found found)
    {
        Debug.Assert(critical == PileRegions.Current && critical.IsOpen, "The critical region keeps the block.");
        EntryHead head = found.Head;
        EntryPriority priority = head.Priority;
        table.Heap.Versions.RaiseTo(head.Version);
        bool isNew = AddFoundLocking(critical, found, head);
        // After the lock of the bucket: those of the evictor's shards come first.
        if (isNew)
            table.Limits.EnterFound(found.Hash, priority);
        return isNew;
    }

    private bool AddFoundLocking(CriticalRegion critical, in Found found, in EntryHead head)
    {
        using LockedBucket bucket = table.Index.Lock(found.Hash);
        // A put publishes under this lock, so the block is what the walk saw, or was put since and is in the index.
        return found.IsUnchanged() && AddFoundLocked(critical, bucket, found, head);
    }

    /// <summary>Inserts a tag mark that a walk found, or that was saved with the index. The caller is in a critical region.</summary>
    internal void AddFoundMark(in EntryHead head, ulong address)
    {
        Debug.Assert(head.Kind == ValueKind.TagMark, "A value taken for a mark would remove entries.");
        table.Tags.AddFound(head, address);
        table.Content.MarkExpirable();
    }

    /// <summary>Counts entries that a walk inserted, and lets the index grow from time to time.</summary>
    internal void RecordFound(int entries)
    {
        _foundSinceGrowth += entries; // approximate: lost updates do not matter, growth goes by the counters
        if (_foundSinceGrowth < EntriesBetweenGrowths)
            return;
        _foundSinceGrowth = 0;
        GrowForFound();
    }

    /// <summary>Grows the index for the entries found so far.</summary>
    internal void GrowForFound()
    {
        if (!table.Options.FixedIndex)
            table.Index.GrowFor(table.Counters.Entries);
    }

    /// <summary>Grows the index for entries that a walk is going to find, while the table is in use.</summary>
    internal void GrowAhead(long entries, CancellationToken stop)
    {
        bool isMore = !table.Options.FixedIndex;
        while (isMore)
        {
            stop.ThrowIfCancellationRequested();
            using ReadScope scope = table.Heap.EnterReader();
            isMore = table.Index.GrowAheadFor(entries);
        }
    }

    /// <summary>
    /// Ends the rebuild: limits apply from now on, tombstones are dropped, and at the end all entries become visible. If it fails, call it
    /// again; until then they are not visible.
    /// </summary>
    internal void Complete()
    {
        // IsRebuilding ends here, and removals leave no more tombstones. Those that exist go before what was put before the opening becomes
        // visible.
        table.EndRebuild();
        for (ulong number = 0; table.Content.HasTombstones && number < table.Index.BucketCount; number++)
            DropTombstones(number);
        table.Visibility.ShowAll();
        table.Index.Storage.MarkWhole(); // last: after a kill before it the walk is done again
    }

    /// <summary>Restores the tag marks that the index of an earlier process has. The table is not in use yet.</summary>
    /// <returns><see langword="false"/> when some are missing.</returns>
    internal bool TryRestoreMarks()
    {
        using ChangeScope scope = table.Heap.EnterWriter();
        return table.Tags.TryRestore();
    }

    /// <summary>Inserts an entry, or frees its block.</summary>
    /// <returns>Whether a new slot points to it.</returns>
    private bool AddFoundLocked(
        CriticalRegion critical, in LockedBucket bucket, in Found found, in EntryHead head)
    {
        bool isKnown = table.Entries.TryFindLocked(bucket, found.KeyOf(head), out LockedEntry other);
        if (isKnown && other.Address == found.Address)
            return false; // put since, or met before
        RemovedKeys? removed = table.RemovalLog.Removed;
        // An inspection runs: the index should have had it.
        if (removed != null)
        {
            ReportLostLocked(bucket, found.Hash, found.Address);
        }
        if (head.Kind == ValueKind.Pointer && !table.Entries.IsLive(head.Owned))
        {
            table.Heap.Free(found.Address); // a kill came while it was being put or freed
            return false;
        }
        if (isKnown)
            AddToKnownLocked(critical, found, head, other);
        else if (head.Version <= table.Tags.ClearedUpTo || removed?.MayHave(IndexSlot.TagOf(found.Hash), head.Version) == true)
            table.Entries.Free(found.Address, head.Owned);
        else
            return InsertFoundLocked(critical, bucket, found, head);
        return false;
    }

    private void AddToKnownLocked(
        CriticalRegion critical, in Found found, in EntryHead head, in LockedEntry other)
    {
        PilePointer owned = head.Owned;
        PilePointer otherOwned = other.Owned;
        // Of equal versions one is a copy, as of a renewal, and either may stay. Both may own the same object, which stays as well.
        if (head.Version <= other.Head.Version)
        {
            table.Entries.Free(found.Address, owned == otherOwned ? default : owned);
            return;
        }
        Debug.Assert(other.Address != found.Address, "An entry does not replace itself.");
        ulong otherAddress = other.Address;
        bool otherCounts = other.Head.Kind != ValueKind.Tombstone;
        // As in Upsert.Swap: flags, slot, and only then the free of the block that it led to. A kill before the free leaves both to the
        // next walk.
        table.Content.MarkLine(other.Place.Line, head);
        other.Place.Store(new IndexSlot(found.Hash, found.Address));
        if (otherCounts && table.RemovalLog.Removed == null)
        {
            table.Delete.CountGoneLocked(critical, other.PayloadBytes);
            table.Limits.AddOwned(other.Head.Priority, other.Head.Version, -table.Entries.OwnedBytesOf(other.Head, other.PayloadBytes));
        }
        CountFound(critical, head, found.PayloadBytes);
        CrashPoints.Pass(CrashPoint.RebuildBeforeOldFreed);
        table.Entries.Free(otherAddress, owned == otherOwned ? default : otherOwned);
    }

    private bool InsertFoundLocked(
        CriticalRegion critical, in LockedBucket bucket, in Found found, in EntryHead head)
    {
        bool hasSpace = table.Index.TryFindEmptyLocked(bucket, int.MaxValue, out SlotPlace place, out PileException? failure);
        if (failure != null)
            throw failure;
        Debug.Assert(hasSpace, "A bucket without a line limit always has space, or there is no memory.");
        Debug.Assert(place.Value.IsEmpty, "A found entry takes a free slot.");
        place.SetFrequency(0);
        place.SetInMain(false);
        table.Content.MarkLine(place.Line, head); // before the slot
        place.Store(new IndexSlot(found.Hash, found.Address));
        CountFound(critical, head, found.PayloadBytes);
        return true;
    }

    private void CountFound(CriticalRegion critical, in EntryHead head, long payloadBytes)
    {
        if (head.Kind == ValueKind.Tombstone)
            // A killed process left it during its own rebuild.
            table.Content.MarkTombstones();
        else if (table.RemovalLog.Removed == null) // else the counters include it already, and TableInspection.End counts all anew
        {
            table.Counters.Count(critical, table.Entries.CountOf(payloadBytes));
            table.Limits.AddOwned(head.Priority, head.Version, table.Entries.OwnedBytesOf(head, payloadBytes));
        }
    }

    private void DropTombstones(ulong number)
    {
        using ChangeScope scope = table.EnterWriter();
        using LockedBucket bucket = table.Index.LockBucket(number);
        foreach (SlotPlace place in bucket.Slots)
        {
            if (table.Entries.TryViewLocked(place, out LockedEntry entry) && entry.Head.Kind == ValueKind.Tombstone)
                table.Delete.DropLocked(scope.Critical, entry, Counter.Removals);
        }
    }

    /// <summary>Reports that no slot led to an entry that the walk found.</summary>
    private void ReportLostLocked(in LockedBucket bucket, ulong hash, ulong address)
    {
        table.ReportDamage("does not lead to an entry");
        DropDamagedLocked(bucket, hash, address);
    }

    // A slot with a damaged tag points to the entry as well, and no lookup finds it.
    private static void DropDamagedLocked(in LockedBucket bucket, ulong hash, ulong address)
    {
        foreach (SlotPlace place in bucket.Slots)
        {
            if (place.Value.Address == address && !place.Value.MayBe(hash))
                place.Store(default);
        }
    }
}
