using System.Diagnostics;
using System.Runtime.CompilerServices;
using BigPile.Caching.Entries;
using BigPile.Caching.Index;
using BigPile.Caching.Liveness;
using BigPile.Caching.Metrics;
using BigPile.Checking;
using BigPile.Memory.Checking;

#pragma warning disable CS8500 // pointers to structs with references: on the stack, where the callers' frames keep what they refer to

namespace BigPile.Caching.Tables;

/// <summary>Step 5 of a put: whether it is made, and the slot of the index that will lead to the new entry.</summary>
internal unsafe ref partial struct Upsert
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private bool TryFindPlace(in LockedBucket bucket, out Replaced old)
    {
        Debug.Assert(!_isPublished && !_block.IsNone, "The entry is written, and invisible.");
        old = default;
        if (_request->IsPromotion && _table.Liveness.Of(new EntryHead(Payload), ref _now).IsDead())
            return false; // removed by its tag since it was read: the last chance to see it, as the sweep may have passed
        return _table.Entries.TryFindLocked(bucket, *_key, out LockedEntry entry)
            ? TryReplace(entry, out old)
            : TryInsert(bucket);
    }

    private bool TryReplace(in LockedEntry entry, out Replaced old)
    {
        EntryState state = _table.Liveness.Of(entry.Head, ref _now);
        old = new Replaced(_table, entry, state);
        if (!_request->Condition.IsMetLocked(_table.Flights, _key->Hash, old.Version, old.IsNone))
            return false;
        _isStale = _isLimited && !_reserved.IsEnough(FootprintBytes, old.Own.IsThere, old.Own.FootprintBytes);
        if (_isStale) // reserved beside a larger entry, which was replaced meanwhile
            return false;
        // Only a conditional put builds on the old entry, so only it must not outlive that entry's removal by tag.
        if (_request->Condition.IsOfVersion && !old.IsNone && IsRemovedByNow(entry.Head))
            return false;
        if (old.Owned.IsValid && old.Owned == new EntryHead(Payload).Owned) // a renewed pointer entry
            old.TransferOwned();
        if (!_table.Heap.CanDeleteObject(old.Owned, out _failure))
            return false; // the last chance: the old entry can't be freed without the object that it owns
        if (state.HasEnded())
            TellEnded(entry, state);
        _place = entry.Place;
        _entersQueue = !old.Own.IsThere || old.Own.Priority != _spec->Priority;
        if (_entersQueue)
            _place.SetInMain(IsForMain);
        if (Mutation.OwnedFreedFirst && _table.Heap.TryDeleteObject(old.Owned))
            CrashPoints.Pass(CrashPoint.OwnedBeforeEntryFreed);
        _result = old.IsNone ? PutResult.Inserted : PutResult.Replaced;
        return true;
    }

    private bool TryInsert(in LockedBucket bucket)
    {
        if (!_request->Condition.IsMetLocked(_table.Flights, _key->Hash, version: 0, isMissing: true))
            return false; // another version is expected, or the flight is outdated
        _isStale = _isLimited && !_reserved.IsEnough(FootprintBytes, hasOld: false, oldFootprintBytes: 0);
        if (_isStale) // reserved as a replacement, and the key was removed meanwhile
            return false;
        var result = PutResult.Inserted;
        // While the index is incomplete a full bucket grows instead of evicting.
        int maxLines = _table.Visibility.IsRebuilding ? int.MaxValue : _table.MaxLines;
        if (!_table.Index.TryFindEmptyLocked(bucket, maxLines, out _place, out _failure))
        {
            if (_failure != null)
                return false;
            if (!_table.Victim.TryEvictLocked(_critical, bucket, _spec->Priority, ref _now, out _place, out bool wasAlive))
                return Refuse();
            if (wasAlive)
                result = PutResult.Overwritten;
        }
        if (!_request->Basis.IsEmpty && IsBasisRemovedByNow()) // behind the eviction, which has a record of its own in the lane
            return false; // the spilled entry was removed by its tag, or by a clear
        _result = result;
        _place.SetFrequency(0); // the uses of the slot's former entry
        _place.SetInMain(IsForMain);
        _entersQueue = true;
        return true;
    }

    // The new entry must not get a version above the mark of a removal that this did not see. So its version is drawn first: a removal not
    // seen here then has a higher one.
    private bool IsRemovedByNow(in EntryHead followed)
    {
        DrawVersion();
        if (!_table.Tags.IsRemoved(followed))
            return false;
        _version = 0;
        return true;
    }

    private bool IsBasisRemovedByNow()
    {
        fixed (byte* payload = _request->Basis)
            return IsRemovedByNow(new EntryHead(payload));
    }

    private bool Refuse()
    {
        _result = PutResult.Collision;
        _version = 0; // drawn perhaps, but not used
        if (!_request->IsPromotion)
            _table.Counters.Add(_critical, Counter.Collisions);
        return false;
    }
}
