using System;
using BigPile.Caching.Capacity;
using BigPile.Caching.Entries;
using BigPile.Caching.Index;

#pragma warning disable CS8500 // pointers to structs with references: on the stack, where the callers' frames keep what they refer to

namespace BigPile.Caching.Tables;

/// <summary>Steps 1 and 2 of a put: space in the table's limits, and in the pile.</summary>
internal unsafe ref partial struct Upsert
{
    private readonly bool IsEvictable => _table.Limits.GivesWay && _spec->Priority != EntryPriority.NeverEvict;

    private readonly long FootprintBytes => _table.Heap.FootprintBytesOf(_payloadBytes);

    private bool TryReserve()
    {
        TableLimits limits = _table.Limits;
        limits.Prefetch(_key->Hash, _spec->Priority);
        // As for a new key, whose lookup is saved. If the key has an entry, Exchange releases what is too much.
        _reserved = new Reservation(HasEntry: true, FootprintBytes);
        if (limits.TryReserve(_key->Hash, _spec->Priority, FootprintBytes, ref _queue))
            return true;
        _reserved = default; // nothing is held, and so nothing is released if what follows fails
        return TryReserveAtLimit(limits);
    }

    private bool TryReserveAtLimit(TableLimits limits)
    {
        if (!TryFindOwn(out OwnEntry own, out bool lacksPlace))
            return false; // the condition is not met
        // A replacement reserves the difference only. TryFindPlace sees whether the old entry is still that large.
        long moreBytes = Math.Max(0, FootprintBytes - own.FootprintBytes);
        if (lacksPlace)
            return Refuse();
        if (!limits.TryTake(takesEntry: !own.IsThere, moreBytes))
        {
            if (!limits.CanEvictFor(moreBytes, _spec->Priority, own))
                return Refuse();
            if (limits.ReplacesMany(moreBytes) && !TryTakeBlockFirst(own))
                return false;
            if (!limits.TryEvictFor(
                _key->Hash, _spec->Priority, own, moreBytes, limits.WeightOf(_payloadBytes), _now, ref _queue))
                return Refuse();
            _hasEvicted = true;
        }
        _reserved = new Reservation(HasEntry: !own.IsThere, moreBytes);
        return true;
    }

    // An early answer, under the lock for this search only. TryFindPlace asks again under the lock that counts.
    private bool TryFindOwn(out OwnEntry own, out bool lacksPlace)
    {
        own = default;
        using LockedBucket bucket = _table.Index.Lock(_key->Hash);
        if (!_table.Entries.TryFindLocked(bucket, *_key, out LockedEntry entry))
        {
            lacksPlace = !_table.Victim.HasPlaceLocked(bucket, _spec->Priority, ref _now);
            return _request->Condition.IsMetLocked(_table.Flights, _key->Hash, version: 0, isMissing: true);
        }
        lacksPlace = false;
        if (entry.Head.Kind != ValueKind.Tombstone)
            own = new OwnEntry(IsThere: true, _table.Heap.FootprintBytesOf(entry.PayloadBytes), entry.Head.Priority, entry.Address);
        return _request->Condition.IsMetLocked(
            _table.Flights, _key->Hash, entry.Head.Version, _table.Liveness.IsNoneLocked(entry.Head, ref _now));
    }

    private bool TryTakeBlock()
    {
        if (_block.IsNone) // else TryTakeBlockFirst took it
            _block = _table.Heap.Take(_critical, _payloadBytes, IsEvictable, out _failure);
        if (_failure is PileFullException && IsRefused())
            _failure = null; // nothing gives way to it
        return !_block.IsNone;
    }

    private bool IsRefused() => !TryFindOwn(out _, out bool lacksPlace) || (lacksPlace && !Refuse());

    private bool TryTakeBlockFirst(in OwnEntry own)
    {
        _block = _table.Heap.Take(_critical, _payloadBytes, IsEvictable, out _failure);
        if (_failure is not PileFullException)
            return _failure == null;
        _table.Limits.EvictFew(_key->Hash, _spec->Priority, own, _now); // that may free enough
        _block = _table.Heap.Take(_critical, _payloadBytes, IsEvictable, out _failure);
        return _failure == null;
    }
}
