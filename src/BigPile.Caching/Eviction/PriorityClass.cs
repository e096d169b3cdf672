using System;
using System.Diagnostics;
using BigPile.Caching.Eviction.Policies;
using BigPile.Caching.Index;

namespace BigPile.Caching.Eviction;

/// <summary>The entries of one priority in a shard, with their policy, whose visits it carries out in the index.</summary>
/// <remarks>
/// A pinned entry is gone for the policy until the eviction is over: pushed again at once, it would be the next of a short queue over and
/// over. Thread safety: none; the shard has a lock, and locks of buckets are taken under it.
/// </remarks>
internal sealed class PriorityClass : IPolicyHost, IDisposable
{
    private readonly ShardEntries _entries;
    private readonly EntryPriority _priority;

    // Of the eviction under way; guarded by the shard's lock.
    private ulong _pinnedAddress; // block address of the entry that must not be evicted; 0: none
    private (uint Fingerprint, bool IsInMain)? _pinned; // that entry, if a visit met it
    private long _now;

    internal PriorityClass(ShardEntries entries, EntryPriority priority, Func<IPolicyHost, IEvictionPolicy> makePolicy)
    {
        _entries = entries;
        _priority = priority;
        Policy = makePolicy(this);
    }

    internal IEvictionPolicy Policy { get; }

    /// <summary>Evicts one entry, if there is one to evict.</summary>
    /// <param name="pinnedAddress">The block address of an entry that must not be evicted; 0: none.</param>
    /// <param name="now">The time.</param>
    internal bool TryEvict(ulong pinnedAddress, long now)
    {
        (_pinnedAddress, _now) = (pinnedAddress, now);
        bool isEvicted = Policy.TryEvict();
        if (_pinned is { } pinned)
            Policy.Enter(pinned.Fingerprint, pinned.IsInMain, weight: 0);
        (_pinnedAddress, _pinned) = (0, null);
        return isEvicted;
    }

    public unsafe Visited Visit(uint fingerprint, bool isInMain, VisitRule rule)
    {
        var wanted = new QueuedEntry(fingerprint, isInMain, _priority);
        using LockedBucket bucket = _entries.Index.Lock(_entries.HashOf(fingerprint));
        if (!_entries.TryFindLocked(bucket, wanted, _pinnedAddress, out SlotPlace place))
        {
            if (_pinnedAddress != 0 && _entries.TryFindLocked(bucket, wanted, pinnedAddress: 0, out _))
                _pinned = (fingerprint, isInMain);
            return new Visited(VisitOutcome.Gone, 0, 0);
        }
        int uses = place.Line->Frequency(place.Slot);
        double weight = isInMain && uses > rule.EvictUpTo ? 0 : _entries.Host.WeightLocked(place);
        if (uses <= rule.EvictUpTo)
        {
            _entries.Host.EvictLocked(place, _now);
            Debug.Assert(place.Value.IsEmpty, "The evicted entry's slot is empty.");
            return new Visited(VisitOutcome.Evicted, uses, weight);
        }
        bool isPromoted = uses >= rule.PromoteFrom;
        if (isPromoted || (rule.TakesUse && uses != 0))
            place.Line->SetFrequency(place.Slot, isPromoted ? 0 : uses - 1);
        if (isPromoted)
            place.Line->SetInMain(place.Slot, true);
        return new Visited(isPromoted ? VisitOutcome.Promoted : VisitOutcome.Kept, uses, weight);
    }

    public int CountOf(uint fingerprint, bool isInMain) => _entries.CountOf(new QueuedEntry(fingerprint, isInMain, _priority));

    public bool IsUsed(uint fingerprint) => _entries.IsUsed(fingerprint, _priority);

    public void PrefetchBucket(uint fingerprint) => _entries.PrefetchBucket(fingerprint);

    public void PrefetchBlock(uint fingerprint) => _entries.PrefetchBlock(fingerprint);

    public void Dispose() => Policy.Dispose();
}
