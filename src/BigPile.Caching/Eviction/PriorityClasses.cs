using System;
using BigPile.Checking;

namespace BigPile.Caching.Eviction;

/// <summary>What a shard has of each priority that occurs.</summary>
/// <remarks>Thread safety: as of a field; the owner has a lock, and asks without it for sizes only.</remarks>
internal sealed class PriorityClasses(ShardEntries entries, FrequencySketch sketch) : IDisposable
{
    private const int ClassCount = (int)EntryPriority.High + 1;

    private readonly EvictionClass?[] _classes = new EvictionClass?[ClassCount];
    private TableCapacity _capacity = new(1, 1);

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

    /// <summary>About what all entries weigh together. May be asked without the lock.</summary>
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

    /// <summary>The hashes in all queues; some may be of entries that are gone.</summary>
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

    /// <summary>The one with the most hashes, if there is any.</summary>
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

    /// <summary><see cref="SizeBytes"/>, with what is taken when something is evicted from each as it is now.</summary>
    /// <param name="capacity">The entries that there is room for then.</param>
    internal long NeededBytes(long capacity)
    {
        long sum = 0;
        foreach (EvictionClass? one in _classes)
            sum += one?.NeededBytes(capacity) ?? 0;
        return sum;
    }

    /// <summary>Sets what there is room for.</summary>
    internal void SetCapacity(TableCapacity capacity)
    {
        _capacity = capacity;
        foreach (EvictionClass? one in _classes)
            one?.SetCapacity(capacity);
    }

    /// <summary>The entries of a priority, if there ever were some.</summary>
    internal EvictionClass? Find(EntryPriority priority) => _classes[(int)priority];

    /// <summary>The entries of a priority.</summary>
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

    /// <summary>Evicts an entry of the lowest priority up to one, if there is one.</summary>
    /// <param name="most">The priority.</param>
    /// <param name="smallWeight">What the entry weighs for which there has to be room in the small queue of that one; 0: none.</param>
    /// <param name="pinnedAddress">The address of the block of an entry that stays; 0: none.</param>
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

    /// <summary>Counts the oldest entries of each in the sketch.</summary>
    internal void CountOldest(int most)
    {
        foreach (EvictionClass? one in _classes)
            one?.CountOldest(most);
    }

    /// <summary>Tells all hashes with their priorities, and whether they are in the main queue.</summary>
    internal void ForEach(Action<uint, EntryPriority, bool> visit)
    {
        for (int i = 0; i < ClassCount; i++)
        {
            var priority = (EntryPriority)i;
            _classes[i]?.ForEach((fingerprint, isMain) => visit(fingerprint, priority, isMain));
        }
    }

    /// <summary>Looks whether each is whole.</summary>
    internal void CheckInvariants(string place)
    {
        Invariant.Require(_capacity is { Entries: >= 1, Weight: >= 1 }, $"{place} of the evictor has room for {_capacity}.");
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
