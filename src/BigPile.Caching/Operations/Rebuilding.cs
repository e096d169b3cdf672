using System;
using System.Diagnostics;
using BigPile.Caching.Entries;
using BigPile.Caching.Index;
using BigPile.Caching.Keys;
using BigPile.Caching.Metrics;
using BigPile.Caching.Tables;
using BigPile.Concurrency;
using BigPile.Tables;

namespace BigPile.Caching.Operations;

/// <summary>Takes in the entries again that a pile holds, as a walk comes by them.</summary>
internal static unsafe class Rebuilding
{
    /// <summary>Reads which table an entry belongs to. The caller is inside.</summary>
    internal static bool TryReadTableId(Pile pile, ulong address, out int tableId)
    {
        EntryView view = pile.Entries.View(address);
        bool isThere = !view.IsNone;
        tableId = isThere && view.PayloadBytes >= EntryHead.ShortBytes ? new EntryHead(view.Payload).TableId : 0;
        return isThere;
    }

    /// <summary>Whether the index leads to the entry at an address, as far as can be told without a lock. The caller is inside.</summary>
    internal static bool IsKnown(this TableCore core, ulong address)
    {
        if (!core.TryViewLocked(address, out EntryHead head, out _) || head.Kind == ValueKind.TagMark)
            return false;
        ulong hash = core.Hash.Of(new ReadOnlySpan<byte>(head.Key, head.KeyBytes));
        ulong wanted = new IndexSlot(hash, address).Word;
        foreach (SlotPlace place in new BucketSlots(core.Index, core.Index.Find(hash, out _)))
        {
            if (place.Value.Word == wanted)
                return true;
        }
        return false;
    }

    // A slot whose tag was damaged leads to the entry as well, and nobody finds it by its key.
    private static void DropDamagedLocked(in LockedBucket bucket, in KeyProbe key, ulong address)
    {
        foreach (SlotPlace place in bucket.Slots)
        {
            if (place.Value.Address == address && !place.Value.MayBe(key.Hash))
                place.Store(default);
        }
    }

    /// <summary>Takes in an entry that a walk found; of two with one key, the older is freed. The caller is inside.</summary>
    /// <returns><see langword="false"/> when it can't be an entry.</returns>
    internal static bool AddFound(this TableCore core, ThreadPresence presence, ulong address)
    {
        Debug.Assert(presence == ThreadPresence.Mine && presence.IsInside, "What the walk came by stays in its place meanwhile.");
        if (!core.TryViewLocked(address, out EntryHead head, out long payloadBytes))
            return core.Pile.Entries.View(address).IsNone; // freed since the walk came by
        if (head.Kind == ValueKind.TagMark)
        {
            core.AddFoundMark(head, address);
            return true;
        }
        ulong version = head.Version;
        core.Pile.Keeper.Versions.Note(version);
        byte[] copy = new ReadOnlySpan<byte>(head.Key, head.KeyBytes).ToArray();
        var key = new KeyProbe(copy, core.Hash.Of(copy));
        EntryPriority priority = head.Priority;
        if (core.AddFoundLocking(presence, key, address, version))
            core.Evictor?.EnterFound(key.Hash, priority, isInMain: false);
        return true;
    }

    private static bool AddFoundLocking(this TableCore core, ThreadPresence presence, in KeyProbe key, ulong address, ulong version)
    {
        using LockedBucket bucket = core.Index.Lock(key.Hash);
        // A put publishes under this lock; so what is here now is what the walk saw, or was put since and is in the index.
        return core.TryViewLocked(address, out EntryHead head, out long payloadBytes) && head.Version == version
            && LockedEntries.HasKey(head, payloadBytes, key)
            && core.AddFoundLocked(presence, bucket, key, new Found(address, head, payloadBytes));
    }

    /// <summary>Takes in a mark of a removed tag that a walk found, or that was saved with the index. The caller is inside.</summary>
    internal static void AddFoundMark(this TableCore core, in EntryHead head, ulong address)
    {
        Debug.Assert(head.Kind == ValueKind.TagMark, "A value that is taken for a mark would remove what it never meant.");
        core.Tags.AddFound(head, address);
        core.HasMortals = true;
    }

    /// <summary>Lets the index grow for what a walk found so far.</summary>
    internal static void GrowForFound(this TableCore core)
    {
        if (!core.Options.FixedIndex)
            core.Index.GrowFor(core.Counters.Entries);
    }

    /// <summary>
    /// States that the walk is over: limits count from now on, the marks of keys that were removed meanwhile go, and at the end all entries
    /// are shown. What fails is to be called again; until then they are not.
    /// </summary>
    internal static void EndRebuild(this TableCore core)
    {
        core.BeginLimits();
        for (ulong number = 0; core.HasTombstones && number < core.Index.BucketCount; number++)
            core.DropTombstones(number);
        core.ShowAll();
        core.Index.Place.MarkWhole();
    }

    /// <summary>Takes in the marks that the index of an earlier process leads to. Nobody uses the table yet.</summary>
    /// <returns><see langword="false"/> when some are missing.</returns>
    internal static bool TryRestoreMarks(this TableCore core)
    {
        ThreadPresence presence = core.Pile.Gate.EnterToChange();
        try
        {
            return core.Tags.TryRestore();
        }
        finally
        {
            core.Pile.Space.ExitAfterFree(presence);
        }
    }

    /// <summary>Takes in an entry, or frees its block.</summary>
    /// <returns>Whether a slot leads to it that did not before.</returns>
    private static bool AddFoundLocked(
        this TableCore core, ThreadPresence presence, in LockedBucket bucket, in KeyProbe key, in Found found)
    {
        bool isKnown = core.TryFindLocked(bucket, key, out LockedEntry other);
        if (isKnown && other.Address == found.Address)
            return false;
        if (core.IsChecked)
        {
            core.NoteDamage("does not lead to an entry");
            DropDamagedLocked(bucket, key, found.Address);
        }
        PilePointer owned = found.Head.Owned;
        if (found.Head.Kind == ValueKind.Pointer && !core.IsLive(owned))
        {
            core.Pile.Entries.Free(found.Address); // a crash came while it was being put or freed
            return false;
        }
        if (isKnown)
            core.AddToKnownLocked(presence, key, found, other);
        else if (found.Head.Version <= core.Tags.ClearedUpTo)
            LockedEntries.Free(core.Pile, found.Address, owned);
        else
            return core.InsertFoundLocked(presence, bucket, key, found);
        return false;
    }

    private static void AddToKnownLocked(
        this TableCore core, ThreadPresence presence, in KeyProbe key, in Found found, in LockedEntry other)
    {
        PilePointer owned = found.Head.Owned;
        PilePointer otherOwned = other.Owned;
        if (found.Head.Version <= other.Head.Version)
        {
            LockedEntries.Free(core.Pile, found.Address, owned == otherOwned ? default : owned);
            if (core.IsChecked)
                core.CountGone(presence, found.PayloadBytes, entries: 1);
            return;
        }
        Debug.Assert(other.Address != found.Address, "An entry is not freed for itself.");
        ulong otherAddress = other.Address;
        bool otherCounts = other.Head.Kind != ValueKind.Tombstone;
        core.MarkLine(other.Place.Line, found.Head);
        other.Place.Store(new IndexSlot(key.Hash, found.Address));
        if (otherCounts)
            core.CountGone(presence, other.PayloadBytes, entries: 1);
        core.CountFound(presence, found);
        KillPoint.Pass(KillWindow.RebuildBeforeOldFreed);
        LockedEntries.Free(core.Pile, otherAddress, owned == otherOwned ? default : otherOwned);
    }

    private static bool InsertFoundLocked(
        this TableCore core, ThreadPresence presence, in LockedBucket bucket, in KeyProbe key, in Found found)
    {
        bool hasRoom = core.Index.TryFindRoomLocked(bucket, int.MaxValue, out SlotPlace place);
        Debug.Assert(hasRoom, "A bucket without a limit always has room, or there is no memory.");
        Debug.Assert(place.Value.IsEmpty, "An entry that is found takes nobody's place.");
        place.Line->SetFrequency(place.Slot, 0);
        place.Line->SetInMain(place.Slot, false);
        core.MarkLine(place.Line, found.Head);
        place.Store(new IndexSlot(key.Hash, found.Address));
        core.CountFound(presence, found);
        return true;
    }

    private static void MarkLine(this TableCore core, Bucket* line, in EntryHead head)
    {
        if (head.MayBeDead)
        {
            line->MarkExpiry();
            core.HasMortals = true;
        }
        if (head.Priority != EntryPriority.Normal)
            core.HasPriorities = true;
    }

    private static void CountFound(this TableCore core, ThreadPresence presence, in Found found)
    {
        if (found.Head.Kind == ValueKind.Tombstone)
            core.HasTombstones = true;
        else if (!core.IsChecked) // else it is counted, and only the slot that led to it was lost
            core.CountNew(presence, found.PayloadBytes);
    }

    private static void DropTombstones(this TableCore core, ulong number)
    {
        ThreadPresence presence = core.EnterToChange();
        try
        {
            using LockedBucket bucket = core.Index.LockBucket(number);
            foreach (SlotPlace place in bucket.Slots)
            {
                if (core.TryViewLocked(place, out LockedEntry entry) && entry.Head.Kind == ValueKind.Tombstone)
                    core.DropLocked(presence, entry, Counter.Removals);
            }
        }
        finally
        {
            core.Pile.Space.ExitAfterFree(presence);
        }
    }

    /// <summary>An entry that a walk came by, and that the index may not know.</summary>
    private readonly struct Found(ulong address, in EntryHead head, long payloadBytes)
    {
        internal readonly ulong Address = address;
        internal readonly EntryHead Head = head;
        internal readonly long PayloadBytes = payloadBytes;
    }
}
