using System;
using System.Threading;
using BigPile.Allocation;
using BigPile.Caching.Entries;
using BigPile.Caching.Index;
using BigPile.Caching.Keys;
using BigPile.Caching.Metrics;
using BigPile.Concurrency;
using BigPile.Layout;

namespace BigPile.Caching;

/// <summary>Putting.</summary>
internal sealed unsafe partial class TableCore
{
    private const long EntriesBetweenGrowths = 31;

    /// <summary>Puts a value.</summary>
    /// <returns>What happened; <see langword="null"/> when the condition was not met.</returns>
    internal PutResult? Put(
        in KeyProbe key, ReadOnlySpan<byte> value, ValueKind kind, in EntrySpec spec, Condition condition, out EntryInfo info)
    {
        KeyLimits.CheckLength(key.Bytes.Length);
        PutResult? result = Put(key, value, kind, spec, condition, flushes: 0, out info);
        if (result is not (null or PutResult.Collision))
            CacheDurations.NotePayload(Name, value.Length); // outside of the pile: listeners are the application's code
        return result;
    }

    private PutResult? Put(
        in KeyProbe key, ReadOnlySpan<byte> value, ValueKind kind, in EntrySpec spec, Condition condition, int flushes, out EntryInfo info)
    {
        bool hasRoom = true;
        ThreadPresence presence = EnterToChange();
        try
        {
            return PutInside(presence, key, value, kind, spec, condition, movedOut: null, out info);
        }
        catch (PileFullException) when (Pile.Space.Room.CanMakeRoom(presence, flushes))
        {
            hasRoom = false; // there will be some once what was freed is durably so
        }
        catch (KeyNotComparedException)
        {
            // no lock is held any more
        }
        finally
        {
            Pile.Space.ExitAfterFree(presence);
        }
        flushes = PrepareAgain(key, hasRoom, flushes);
        return Put(key, value, kind, spec, condition, flushes, out info);
    }

    private PutResult? PutInside(
        ThreadPresence presence, in KeyProbe key, ReadOnlySpan<byte> value, ValueKind kind, in EntrySpec spec, Condition condition,
        MovedOut? movedOut, out EntryInfo info)
    {
        _index.Prefetch(key.Hash);
        long now = _clock.Now;
        long payloadBytes = (long)EntryHead.BytesFor(spec) + key.Bytes.Length + value.Length;
        bool isLimited = _evictor != null && kind != ValueKind.Tombstone;
        bool hasEvicted = false;
        while (true)
        {
            var reserved = default(Reservation);
            Promise promise = isLimited ? TryReserve(key, payloadBytes, spec.Priority, condition, ref now, out reserved) : Promise.Given;
            if (promise != Promise.Given)
            {
                info = default;
                if (promise == Promise.ConditionNotMet)
                    return null;
                _counters.Add(presence, Counter.Collisions);
                return PutResult.Collision;
            }
            hasEvicted |= reserved.HasEvicted;
            var change = new Change(payloadBytes, isLimited, reserved, movedOut);
            try
            {
                change.Slot = WriteEntry(key, value, kind, spec, payloadBytes);
                SwingLocking(presence, key, spec, kind, condition, now, ref change);
            }
            finally
            {
                Settle(change, payloadBytes);
            }
            if (change.IsRetry)
                continue;
            info = new EntryInfo(change.Version, value.Length) { ExpiryTicks = spec.ExpiresAt == long.MaxValue ? 0 : spec.ExpiresAt };
            if (change.IsNewInIndex)
                Follow(presence, key.Hash, spec.Priority, kind);
            if (change.Result == PutResult.Inserted && hasEvicted)
                change.Result = PutResult.Overwritten;
            if (change.Result == PutResult.Overwritten)
                _counters.Add(presence, Counter.Overwrites);
            return change.Result;
        }
    }

    private Slot WriteEntry(in KeyProbe key, ReadOnlySpan<byte> value, ValueKind kind, in EntrySpec spec, long payloadBytes)
    {
        Slot slot = Pile.Entries.Take(payloadBytes);
        PrefetchEntry(key.Hash); // of a replacement; the bucket has had time to come
        byte* payload = slot.Start + BlockHeader.SizeBytes;
        EntryHead.Write(payload, Id, key.Bytes.Length, kind, spec);
        byte* at = payload + EntryHead.BytesFor(spec);
        key.Bytes.CopyTo(new Span<byte>(at, key.Bytes.Length));
        if (Fault.HeaderFirst)
            Pile.Entries.Publish(slot, payloadBytes);
        KillPoint.CopyHalf(value, at + key.Bytes.Length, KillWindow.PutHalfOfPayload);
        value.CopyTo(new Span<byte>(at + key.Bytes.Length, value.Length));
        return slot;
    }

    /// <summary>Has the index lead to a written entry, under the lock of its bucket.</summary>
    private void SwingLocking(
        ThreadPresence presence, in KeyProbe key, in EntrySpec spec, ValueKind kind, Condition condition, long now, ref Change change)
    {
        Bucket* bucket = _index.Lock(key.Hash, out _);
        try
        {
            if (TryFindLocked(bucket, key, out Bucket* line, out int slot, out EntryHead old, out long oldBytes))
                ReplaceLocked(presence, key, spec, kind, condition, now, bucket, line, slot, old, oldBytes, ref change);
            else if (!IsMetLocked(condition, key.Hash, version: 0, isNone: true))
                change.Result = null;
            else if (change.IsLimited
                && !change.Reserved.IsEnough(Pile.Space.RoomBytesOf(change.PayloadBytes), hasOld: false, oldRoomBytes: 0))
                change.IsRetry = true; // the key was there when room was reserved
            else
                InsertLocked(presence, key, spec, kind, now, bucket, ref change);
        }
        finally
        {
            bucket->Unlock();
        }
    }

    private void ReplaceLocked(
        ThreadPresence presence, in KeyProbe key, in EntrySpec spec, ValueKind kind, Condition condition, long now, Bucket* bucket,
        Bucket* line,
        int slot, in EntryHead old, long oldBytes, ref Change change)
    {
        bool isDead = IsDead(old, ref now);
        bool isNone = isDead || old.Kind == ValueKind.Tombstone;
        if (!IsMetLocked(condition, key.Hash, old.Version, isNone))
        {
            change.Result = null;
            return;
        }
        bool wasTombstone = old.Kind == ValueKind.Tombstone;
        long oldRoomBytes = wasTombstone || _evictor == null ? 0 : Pile.Space.RoomBytesOf(oldBytes);
        if (change.IsLimited && !change.Reserved.IsEnough(Pile.Space.RoomBytesOf(change.PayloadBytes), !wasTombstone, oldRoomBytes))
        {
            change.IsRetry = true; // the key had a larger entry when room was reserved
            return;
        }
        EntryPriority oldPriority = old.Priority;
        ulong oldAddress = Bucket.Load(line, slot).Address;
        PilePointer owned = OwnedPointer(old);
        Counter reason = isDead ? ReasonOf(old) : Counter.Replacements;
        if (isDead)
            Events.Note(old, oldBytes, reason);
        bool changesPriority = !wasTombstone && oldPriority != spec.Priority;
        if (Fault.OwnedFreedFirst && Pile.Entries.TryDeleteObject(owned))
            KillPoint.Pass(KillWindow.OwnedBeforeEntryFreed);
        change.IsNewInIndex = wasTombstone || changesPriority;
        if (change.IsNewInIndex)
            line->SetInMain(slot, false); // it is entered into the queues of its new priority, where nothing finds it by the old mark
        PublishLocked(key, spec, now, line, slot, ref change);
        if (Fault.FreedOutsideLock)
            bucket->Unlock();
        KillPoint.Pass(KillWindow.EntryBeforeOldFreed);
        bool isHandedOn = owned.IsValid && owned == OwnedPointer(new EntryHead(change.Slot.Start + BlockHeader.SizeBytes));
        Free(oldAddress, isHandedOn ? default : owned);
        if (Fault.FreedOutsideLock)
            _ = _index.Lock(key.Hash, out _);
        if (_countsUses && !isNone)
            line->CountUse(slot);
        if (!wasTombstone)
            CountGone(presence, oldBytes);
        if (_evictor != null)
            TakeOver(change, kind, spec.Priority, wasTombstone, oldPriority, oldRoomBytes);
        if (isDead)
            _counters.Add(presence, reason);
        if (kind != ValueKind.Tombstone)
            CountPut(presence, change.PayloadBytes, isNone);
        else if (!isNone)
            _counters.Add(presence, Counter.Removals);
        change.Result = isNone ? PutResult.Inserted : PutResult.Replaced;
    }

    // What is reserved and what the old entry had is the new one's; the rest goes back.
    private void TakeOver(
        in Change change, ValueKind kind, EntryPriority priority, bool wasTombstone, EntryPriority oldPriority, long oldRoomBytes)
    {
        bool isTombstone = kind == ValueKind.Tombstone;
        long roomBytes = isTombstone ? 0 : Pile.Space.RoomBytesOf(change.PayloadBytes);
        int entries = (change.Reserved.HasEntry ? 1 : 0) + (wasTombstone ? 0 : 1) - (isTombstone ? 0 : 1);
        _usage.Release(entries, change.Reserved.RoomBytes + oldRoomBytes - roomBytes);
        if (oldPriority == priority)
        {
            _usage.Note(priority, roomBytes - oldRoomBytes);
            return;
        }
        _usage.Note(oldPriority, -oldRoomBytes);
        _usage.Note(priority, roomBytes);
    }

    private void InsertLocked(
        ThreadPresence presence, in KeyProbe key, in EntrySpec spec, ValueKind kind, long now, Bucket* bucket, ref Change change)
    {
        change.Result = PutResult.Inserted;
        Bucket* line = _index.FindRoomLocked(bucket, IsRebuilding ? int.MaxValue : _maxLines, out int slot);
        if (line == null)
        {
            line = EjectLocked(presence, bucket, spec.Priority, ref now, out slot, out bool wasAlive);
            if (line == null)
            {
                change.Result = PutResult.Collision;
                _counters.Add(presence, Counter.Collisions);
                return;
            }
            if (wasAlive)
                change.Result = PutResult.Overwritten;
        }
        line->SetFrequency(slot, 0);
        line->SetInMain(slot, false);
        PublishLocked(key, spec, now, line, slot, ref change);
        if (kind != ValueKind.Tombstone)
            CountPut(presence, change.PayloadBytes, isNew: true);
        if (change.IsLimited)
            _usage.Note(spec.Priority, Pile.Space.RoomBytesOf(change.PayloadBytes));
        change.IsNewInIndex = true;
    }

    private void PublishLocked(in KeyProbe key, in EntrySpec spec, long now, Bucket* line, int slot, ref Change change)
    {
        change.Version = NextVersion(now);
        EntryHead.SetVersion(change.Slot.Start + BlockHeader.SizeBytes, change.Version);
        KillPoint.Pass(KillWindow.PutBeforeHeader);
        if (Fault.ObjectBeforeEntry)
            change.MovedOut?.Publish(Pile);
        Pile.Entries.Publish(change.Slot, change.PayloadBytes);
        change.IsPublished = true;
        if (!Fault.ObjectBeforeEntry)
            change.MovedOut?.Publish(Pile);
        KillPoint.Pass(KillWindow.EntryBeforeSwing);
        if (!spec.IsPlain && (spec.ExpiresAt != long.MaxValue || !spec.Tags.IsEmpty))
        {
            line->MarkExpiry();
            if (!_hasMortals)
                Volatile.Write(ref _hasMortals, true);
        }
        if (spec.Priority != EntryPriority.Normal && !_hasPriorities)
            Volatile.Write(ref _hasPriorities, true);
        Bucket.Store(line, slot, new IndexSlot(key.Hash, change.Slot.Address));
    }

    private void CountPut(ThreadPresence presence, long payloadBytes, bool isNew)
    {
        CountNew(presence, payloadBytes);
        _counters.Add(presence, isNew ? Counter.Inserts : Counter.Replacements);
    }

    // What was reserved and not used goes back, and so does the room of an entry that nobody will see.
    private void Settle(in Change change, long payloadBytes)
    {
        if (change.IsPublished)
            return;
        if (!change.Slot.IsNone)
            Pile.Entries.Abandon(change.Slot, payloadBytes);
        if (change.IsLimited)
            _usage.Release(change.Reserved.HasEntry ? 1 : 0, change.Reserved.RoomBytes);
    }

    private void Follow(ThreadPresence presence, ulong hash, EntryPriority priority, ValueKind kind)
    {
        if (kind != ValueKind.Tombstone)
            _evictor?.Enter(hash, priority, Interlocked.Read(ref _usage.Entries));
        if (!_options.FixedIndex && _counters.IsTurn(presence, EntriesBetweenGrowths))
            _index.GrowFor(_counters.Entries);
    }

    /// <summary>One put on its way.</summary>
    private record struct Change(long PayloadBytes, bool IsLimited, Reservation Reserved, MovedOut? MovedOut)
    {
        internal Slot Slot;
        internal ulong Version;
        internal PutResult? Result;
        internal bool IsPublished;
        internal bool IsNewInIndex;
        internal bool IsRetry;
    }
}
