using System;
using BigPile.Caching.Eviction.Policies;

namespace BigPile.Perf.Policies;

/// <summary>The eviction policy of a table, without the table: the same code, and a simulation in the place of the index.</summary>
internal sealed class OwnPolicy(int keys, long capacity, KeyWeights weights) : IPolicy, IPolicyHost, IDisposable
{
    private const int MaxUses = 3; // as the index counts them

    private readonly Place[] _places = new Place[keys];
    private readonly byte[] _uses = new byte[keys];
    private IEvictionPolicy? _policy;
    private long _count;
    private long _used;
    private bool _wasFull;

    private enum Place : byte
    {
        Absent,
        Small,
        Main,
    }

    private IEvictionPolicy Policy => _policy ??= new DuelingS3Fifo(this);

    public bool Access(int key)
    {
        if (_places[key] != Place.Absent)
        {
            _uses[key] = (byte)Math.Min(_uses[key] + 1, MaxUses);
            return true;
        }
        long weight = weights.Of(key);
        if (weight > capacity)
            return false;
        bool isFull = _used + weight > capacity;
        _wasFull |= isFull;
        // As a table does, which counts the entries that fit when it is full.
        Policy.SetCapacity(new TableCapacity(Math.Max(1, _count), Math.Max(1, _used)));
        bool isInMain = !_wasFull || Policy.Admit((uint)key, weight, isFull);
        while (_used + weight > capacity)
            Require.That(Policy.TryEvict(), "Nothing can be evicted, and entries are there.");
        _places[key] = isInMain ? Place.Main : Place.Small;
        _uses[key] = 0;
        Count(1, weight);
        Policy.Enter((uint)key, isInMain, weight);
        return false;
    }

    public Visited Visit(uint fingerprint, bool isInMain, VisitRule rule)
    {
        if (_places[fingerprint] != (isInMain ? Place.Main : Place.Small))
            return new Visited(VisitOutcome.Gone, 0, 0);
        int uses = _uses[fingerprint];
        long weight = weights.Of((int)fingerprint);
        if (uses <= rule.EvictUpTo)
        {
            _places[fingerprint] = Place.Absent;
            Count(-1, -weight);
            return new Visited(VisitOutcome.Evicted, uses, weight);
        }
        bool isPromoted = uses >= rule.PromoteFrom;
        if (isPromoted)
            (_places[fingerprint], _uses[fingerprint]) = (Place.Main, 0);
        else if (rule.TakesUse && uses != 0)
            _uses[fingerprint]--;
        return new Visited(isPromoted ? VisitOutcome.Promoted : VisitOutcome.Kept, uses, weight);
    }

    public int CountOf(uint fingerprint, bool isInMain) => _places[fingerprint] == (isInMain ? Place.Main : Place.Small) ? 1 : 0;

    public bool IsUsed(uint fingerprint) => _places[fingerprint] != Place.Absent && _uses[fingerprint] != 0;

    public void PrefetchBucket(uint fingerprint)
    {
    }

    public void PrefetchBlock(uint fingerprint)
    {
    }

    public void CheckInvariants()
    {
        Policy.CheckInvariants("the own policy");
        Require.That(_used <= capacity, $"{_used} is more than the capacity of {capacity}.");
        Require.That(Policy.Count == _count, $"The policy knows {Policy.Count} keys, and {_count} are there.");
        Policy.ForEach((fingerprint, isInMain, _) => Require.That(
            _places[fingerprint] == (isInMain ? Place.Main : Place.Small), $"The key {fingerprint} is not in the queue that has it."));
    }

    public void Dispose() => _policy?.Dispose();

    private void Count(int entries, long weight)
    {
        _count += entries;
        _used += weight;
    }
}
