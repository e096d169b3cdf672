using System;
using BigPile.Memory.Checking;

namespace BigPile.Caching.Eviction;

/// <summary>The eviction classes of a shard, one for each priority that occurs.</summary>
/// <remarks>Thread safety: none; the owner has a lock. Only sizes and weights may be read without it.</remarks>
internal sealed class PriorityClasses(ShardEntries entries, FrequencySketch sketch) : IDisposable
{
    private const int ClassCount = (int)EntryPriority.High + 1;

    private readonly EvictionClass?[] _classes = new EvictionClass?[ClassCount]; // by priority; made when first needed
    private TableCapacity _capacity = new(1, 1); // of the shard, for all classes together

    internal long SizeBytes
    {
        get
        {
            long sum = 0;
            foreach (EvictionClass? one in _classes)
                sum += one?.SizeBytes ?? 0;
            return sum;
        }
    }

    /// <summary>The estimated total weight of all entries. May be read without the lock.</summary>
    internal double Weight
    {
        get
        {
            double sum = 0;
            foreach (EvictionClass? one in _classes)
                sum += one?.Weight ?? 0;
            return sum;
        }
    }

    /// <summary>The number of fingerprints in all queues, including those of entries that no longer exist.</summary>
    internal long Count
    {
        get
        {
            long count = 0;
            foreach (EvictionClass? one in _classes)
                count += one?.Count ?? 0;
            return count;
        }
    }

    /// <summary>The class with the most fingerprints; null if all are empty.</summary>
    internal EvictionClass? Longest
    {
        get
        {
            EvictionClass? longest = null;
            foreach (EvictionClass? one in _classes)
            {
                if ((one?.Count ?? 0) > (longest?.Count ?? 0))
                    longest = one;
            }
            return longest;
        }
    }

    /// <summary><see cref="SizeBytes"/>, and the memory that the first eviction from each class would allocate.</summary>
    /// <param name="capacity">The capacity at that time, in entries.</param>
    internal long NeededBytes(long capacity)
    {
        long sum = 0;
        foreach (EvictionClass? one in _classes)
            sum += one?.NeededBytes(capacity) ?? 0;
        return sum;
    }

    /// <summary>Sets the capacity of the shard.</summary>
    internal void SetCapacity(TableCapacity capacity)
    {
        _capacity = capacity;
        foreach (EvictionClass? one in _classes)
            one?.SetCapacity(capacity);
    }

    /// <summary>The class of a priority; null if no entry ever had it.</summary>
    internal EvictionClass? Find(EntryPriority priority) => _classes[(int)priority];

    /// <summary>The class of a priority, made if needed.</summary>
    internal EvictionClass Get(EntryPriority priority)
    {
        EvictionClass? one = _classes[(int)priority];
        if (one != null)
            return one;
        _classes[(int)priority] = one = new EvictionClass(entries, sketch, priority);
        one.SetCapacity(_capacity);
        return one;
    }

    /// <summary>Whether there are entries of a lower priority.</summary>
    internal bool HasLower(EntryPriority priority)
    {
        for (int i = 0; i < (int)priority; i++)
        {
            if (_classes[i] is { Count: > 0 })
                return true;
        }
        return false;
    }

    /// <summary>Evicts an entry of the lowest priority that has one to evict, up to a highest priority.</summary>
    /// <param name="most">The highest priority.</param>
    /// <param name="smallWeight">The weight of a new entry that the small queue of that priority has to make space for; 0: none.</param>
    /// <param name="pinnedAddress">The block address of an entry that must not be evicted; 0: none.</param>
    /// <param name="now">The time.</param>
    internal bool TryEvict(EntryPriority most, double smallWeight, ulong pinnedAddress, long now)
    {
        for (int i = 0; i <= Math.Min((int)most, ClassCount - 1); i++)
        {
            double weight = i == (int)most ? smallWeight : 0;
            if (_classes[i] is { Count: > 0 } one && one.TryEvict(weight, pinnedAddress, now))
                return true;
        }
        return false;
    }

    /// <summary>Adds the oldest fingerprints of each class to the sketch.</summary>
    internal void CountOldest(int most)
    {
        foreach (EvictionClass? one in _classes)
            one?.CountOldest(most);
    }

    /// <summary>Visits all fingerprints with their priorities, and whether they are in the main queue.</summary>
    internal void ForEach(Action<uint, EntryPriority, bool> visit)
    {
        for (int i = 0; i < ClassCount; i++)
        {
            var priority = (EntryPriority)i;
            _classes[i]?.ForEach((fingerprint, isMain) => visit(fingerprint, priority, isMain));
        }
    }

    /// <summary>Checks the invariants of each class.</summary>
    internal void CheckInvariants(string place)
    {
        Invariant.Require(_capacity is { Entries: >= 1, Weight: >= 1 }, $"{place} of the evictor has a capacity of {_capacity}.");
        for (int i = 0; i < ClassCount; i++)
            _classes[i]?.CheckInvariants($"{place}, priority {(EntryPriority)i}");
    }

    internal void Clear()
    {
        foreach (EvictionClass? one in _classes)
            one?.Clear();
    }

    public void Dispose()
    {
        foreach (EvictionClass? one in _classes)
            one?.Dispose();
    }
}
