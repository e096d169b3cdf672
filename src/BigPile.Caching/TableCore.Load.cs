using System;
using System.Threading;
using BigPile.Access;
using BigPile.Caching.Entries;
using BigPile.Caching.Index;
using BigPile.Caching.Keys;
using BigPile.Caching.Persistence;
using BigPile.Concurrency;
using BigPile.Layout;
using BigPile.Tables;

namespace BigPile.Caching;

/// <summary>Finding the entries again that a pile holds.</summary>
internal sealed unsafe partial class TableCore
{
    private bool _hasTombstones;

    /// <summary>How far the index is in knowing every entry of the pile.</summary>
    internal CacheReadiness Readiness { get; set; } = new();

    /// <summary>Reads which table an entry belongs to. The caller is inside.</summary>
    internal static bool TryReadTableId(Pile pile, ulong address, out int tableId)
    {
        EntryView view = pile.Entries.View(address);
        bool isThere = !view.IsNone;
        tableId = isThere && view.PayloadBytes >= EntryHead.ShortBytes ? new EntryHead(view.Payload).TableId : 0;
        return isThere;
    }

    /// <summary>Takes in an entry that a walk found; of two with one key, the older is freed. The caller is inside.</summary>
    /// <returns><see langword="false"/> when it can't be an entry.</returns>
    internal bool AddFound(ThreadPresence presence, ulong address)
    {
        if (!TryViewLocked(new IndexSlot(address), out EntryHead head, out long payloadBytes))
            return Pile.Entries.View(address).IsNone; // freed since the walk came by
        if (head.Kind == ValueKind.TagMark)
        {
            Tags.AddFound(head, address);
            _hasMortals = true;
            return true;
        }
        ulong version = head.Version;
        Pile.Versions.Note(version);
        byte[] copy = new ReadOnlySpan<byte>(head.Key, head.KeyBytes).ToArray();
        var key = new KeyProbe(copy, Hash.Of(copy));
        Bucket* bucket = _index.Lock(key.Hash, out _);
        try
        {
            // A put publishes under this lock; so what is here now is what the walk saw, or was put since and is in the index.
            if (TryViewLocked(new IndexSlot(address), out head, out payloadBytes) && head.Version == version
                && HasKey(head, payloadBytes, key))
                AddFoundLocked(presence, bucket, key, address, head, payloadBytes);
        }
        finally
        {
            bucket->Unlock();
        }
        return true;
    }

    private void AddFoundLocked(
        ThreadPresence presence, Bucket* bucket, in KeyProbe key, ulong address, in EntryHead head, long payloadBytes)
    {
        bool isKnown = TryFindLocked(bucket, key, out Bucket* line, out int slot, out EntryHead other, out long otherBytes);
        ulong otherAddress = isKnown ? Bucket.Load(line, slot).Address : 0;
        if (otherAddress == address)
            return;
        PilePointer owned = OwnedPointer(head);
        if (head.Kind == ValueKind.Pointer && !IsLive(owned))
        {
            Pile.Entries.Free(address); // a crash came while it was being put or freed
            return;
        }
        if (!isKnown)
        {
            if (head.Version <= Tags.ClearedUpTo)
                Free(address, owned);
            else
                InsertFoundLocked(presence, bucket, key, address, head, payloadBytes);
            return;
        }
        PilePointer otherOwned = OwnedPointer(other);
        if (head.Version <= other.Version)
        {
            Free(address, owned == otherOwned ? default : owned);
            return;
        }
        bool otherCounts = other.Kind != ValueKind.Tombstone;
        MarkLine(line, head);
        Bucket.Store(line, slot, new IndexSlot(key.Hash, address));
        if (otherCounts)
            CountGone(presence, otherBytes, entries: 1);
        CountFound(presence, head, payloadBytes);
        KillPoint.Pass(KillWindow.RebuildBeforeOldFreed);
        Free(otherAddress, owned == otherOwned ? default : otherOwned);
    }

    private void InsertFoundLocked(
        ThreadPresence presence, Bucket* bucket, in KeyProbe key, ulong address, in EntryHead head, long payloadBytes)
    {
        Bucket* line = _index.FindRoomLocked(bucket, int.MaxValue, out int slot);
        line->SetFrequency(slot, 0);
        line->SetInMain(slot, false);
        MarkLine(line, head);
        Bucket.Store(line, slot, new IndexSlot(key.Hash, address));
        CountFound(presence, head, payloadBytes);
    }

    private void MarkLine(Bucket* line, in EntryHead head)
    {
        if (head.MayBeDead)
        {
            line->MarkExpiry();
            _hasMortals = true;
        }
        if (head.Priority != EntryPriority.Normal)
            _hasPriorities = true;
    }

    private void CountFound(ThreadPresence presence, in EntryHead head, long payloadBytes)
    {
        if (head.Kind == ValueKind.Tombstone)
            _hasTombstones = true;
        else
            CountNew(presence, payloadBytes);
    }

    // An entry is nobody's object: what has the pointer then was never the table's.
    private bool IsLive(PilePointer pointer)
    {
        var size = default(SizeReader);
        return Pile.Reader.TryRead(pointer, ref size) && size.Kind != BlockKind.TableEntry;
    }

    /// <summary>Lets the index grow for what a walk found so far.</summary>
    internal void GrowForFound()
    {
        if (!_options.FixedIndex)
            _index.GrowFor(_counters.Entries);
    }

    /// <summary>
    /// States that the walk is over: limits count from now on, the marks of keys that were removed meanwhile go, and at the end all entries
    /// are shown. What fails is to be called again; until then they are not.
    /// </summary>
    internal void EndRebuild()
    {
        BeginLimits();
        for (ulong number = 0; Volatile.Read(ref _hasTombstones) && number < _index.BucketCount; number++)
            DropTombstones(number);
        ShowAll();
    }

    private void DropTombstones(ulong number)
    {
        ThreadPresence presence = EnterToChange();
        try
        {
            Bucket* bucket = _index.LockBucket(number);
            try
            {
                for (Bucket* line = bucket; line != null; line = _index.Next(line))
                    DropTombstonesLocked(presence, line);
            }
            finally
            {
                bucket->Unlock();
            }
        }
        finally
        {
            Pile.Space.ExitAfterFree(presence);
        }
    }

    private void DropTombstonesLocked(ThreadPresence presence, Bucket* line)
    {
        for (int slot = 0; slot < Bucket.SlotCount; slot++)
        {
            IndexSlot value = Bucket.Load(line, slot);
            if (!value.IsEmpty && TryViewSlotLocked(value, out EntryHead head, out long payloadBytes) && head.Kind == ValueKind.Tombstone)
                DropLocked(presence, line, slot, head, payloadBytes, Counter.Removals);
        }
    }

    /// <summary>What is saved of a table beside its index.</summary>
    internal IndexSummary Summarize() => new()
    {
        TableId = Id,
        Entries = _counters[Counter.Entries],
        RoomBytes = _counters[Counter.RoomBytes],
        PayloadBytes = _counters[Counter.PayloadBytes],
        HasMortals = _hasMortals,
        HasPriorities = _hasPriorities,
        BucketCount = _index.BucketCount,
        OverflowEnd = _index.Overflow.End,
        OverflowFirstFree = _index.Overflow.FirstFree,
        OverflowUsed = _index.Overflow.Used,
    };

    /// <summary>Takes over what was saved; the lines are to be filled by the caller.</summary>
    internal void Restore(in IndexSummary summary)
    {
        _index.RestoreSize(summary.BucketCount);
        if (summary.OverflowEnd > 1)
            _index.Overflow.Store.EnsureAll(summary.OverflowEnd);
        _index.Overflow.Restore(summary.OverflowEnd, summary.OverflowFirstFree, summary.OverflowUsed);
        _counters.Reset(Counter.Entries, summary.Entries);
        _counters.Reset(Counter.RoomBytes, summary.RoomBytes);
        _counters.Reset(Counter.PayloadBytes, summary.PayloadBytes);
        _hasMortals = summary.HasMortals;
        _hasPriorities = summary.HasPriorities;
    }

    /// <summary>Takes in a mark of a removed tag whose block was saved with the index.</summary>
    internal void RestoreMark(ulong address)
    {
        if (TryViewLocked(new IndexSlot(address), out EntryHead head, out _) && head.Kind == ValueKind.TagMark)
            Tags.AddFound(head, address);
    }
}
