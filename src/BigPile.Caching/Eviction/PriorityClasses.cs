using System;
using System.Linq;
using BigPile.Caching.Eviction.Policies;
using BigPile.Memory.Checking;

namespace BigPile.Caching.Eviction;

/// <summary>The classes of a shard, one for each priority that occurs.</summary>
/// <remarks>Thread safety: none; the owner has a lock. Only sizes and weights may be read without it.</remarks>
internal sealed class PriorityClasses(ShardEntries entries, Func<IPolicyHost, IEvictionPolicy> makePolicy) : IDisposable
{
    private const int ClassCount = (int)EntryPriority.High + 1;

    private readonly PriorityClass?[] _classes = new PriorityClass?[ClassCount]; // by priority; made when first needed
    private TableCapacity _capacity = new(1, 1); // of the shard, for all classes together

    /// <summary>Visits a fingerprint: its priority, whether it is in the main queue, and its estimated weight.</summary>
    internal delegate void Visitor(uint fingerprint, EntryPriority priority, bool isInMain, double weight);

    internal long SizeBytes => _classes.Sum(static one => one?.Policy.SizeBytes ?? 0);

    /// <summary>The estimated total weight of all entries. May be read without the lock.</summary>
    internal double Weight
    {
        get
        {
            double sum = 0;
            foreach (PriorityClass? one in _classes)
                sum += one?.Policy.Weight ?? 0;
            return sum;
        }
    }

    /// <summary>The number of fingerprints in all classes, including those of entries that no longer exist.</summary>
    internal long Count
    {
        get
        {
            long count = 0;
            foreach (PriorityClass? one in _classes)
                count += one?.Policy.Count ?? 0;
            return count;
        }
    }

    /// <summary>The class with the most fingerprints; null if all are empty.</summary>
    internal PriorityClass? Longest =>
        _classes.MaxBy(static one => one?.Policy.Count ?? 0) is { Policy.Count: > 0 } longest ? longest : null;

    /// <summary><see cref="SizeBytes"/>, and the memory that the first eviction from each class would allocate.</summary>
    /// <param name="capacity">The capacity at that time, in entries.</param>
    internal long NeededBytes(long capacity) => _classes.Sum(one => one?.Policy.NeededBytes(capacity) ?? 0);

    internal void SetCapacity(TableCapacity capacity)
    {
        _capacity = capacity;
        foreach (PriorityClass? one in _classes)
            one?.Policy.SetCapacity(capacity);
    }

    /// <summary>The class of a priority; null if no entry ever had it.</summary>
    internal PriorityClass? Find(EntryPriority priority) => _classes[(int)priority];

    /// <summary>The class of a priority, made if needed.</summary>
    internal PriorityClass Get(EntryPriority priority)
    {
        PriorityClass? one = _classes[(int)priority];
        if (one != null)
            return one;
        _classes[(int)priority] = one = new PriorityClass(entries, priority, makePolicy);
        one.Policy.SetCapacity(_capacity);
        return one;
    }

    /// <summary>Evicts an entry of the lowest priority that has one to evict, up to a highest priority.</summary>
    /// <param name="most">The highest priority.</param>
    /// <param name="pinnedAddress">The block address of an entry that must not be evicted; 0: none.</param>
    /// <param name="now">The time.</param>
    internal bool TryEvict(EntryPriority most, ulong pinnedAddress, long now)
    {
        for (int i = 0; i <= Math.Min((int)most, ClassCount - 1); i++)
        {
            if (_classes[i] is { Policy.Count: > 0 } one && one.TryEvict(pinnedAddress, now))
                return true;
        }
        return false;
    }

    /// <summary>Drops fingerprints that are queued more often than entries have them.</summary>
    internal void DropRepeats()
    {
        foreach (PriorityClass? one in _classes)
            one?.Policy.DropRepeats();
    }

    internal void ForEach(Visitor visit)
    {
        for (int i = 0; i < ClassCount; i++)
        {
            var priority = (EntryPriority)i;
            _classes[i]?.Policy.ForEach((fingerprint, isInMain, weight) => visit(fingerprint, priority, isInMain, weight));
        }
    }

    /// <summary>Checks the invariants of each policy.</summary>
    internal void CheckInvariants(string place)
    {
        Invariant.Require(_capacity is { Entries: >= 1, Weight: >= 1 }, $"{place} of the evictor has a capacity of {_capacity}.");
        for (int i = 0; i < ClassCount; i++)
            _classes[i]?.Policy.CheckInvariants($"{place}, priority {(EntryPriority)i}");
    }

    internal void Clear()
    {
        foreach (PriorityClass? one in _classes)
            one?.Policy.Clear();
    }

    public void Dispose()
    {
        foreach (PriorityClass? one in _classes)
            one?.Dispose();
    }
}
