using System;
using System.Collections.Generic;
using BigPile.Caching.Eviction;
using BigPile.Caching.Eviction.Policies;
using BigPile.Caching.Index;
using BigPile.Memory.Checking;

namespace BigPile.Caching.Tests.Eviction;

/// <summary>An index and an evictor without a pile. The hashes of keys follow from a seed, so a run can be repeated.</summary>
internal sealed class ReplayedTable : IEvictionHost, IDisposable
{
    private readonly Dictionary<int, ulong> _hashes = [];
    private readonly long _capacity;
    private readonly Func<int, int>? _weightOf;
    private readonly ulong _seed;
    private readonly Evictor _evictor;
    private long _weight;

    /// <summary>Makes a table with a limit of entries, or of their weight.</summary>
    internal ReplayedTable(
        long capacity, int seed, Func<int, int>? weightOf = null, Func<IPolicyHost, IEvictionPolicy>? makePolicy = null)
    {
        _capacity = capacity;
        _weightOf = weightOf;
        _seed = (ulong)seed;
        _evictor = new Evictor(this, new TableCapacity(Math.Min(capacity, 10_000), capacity), makePolicy: makePolicy);
    }

    public TableIndex Index { get; } = new(new MemoryIndexStorage(), 0);

    public long Entries => _hashes.Count;

    public TableCapacity Capacity =>
        _weightOf == null ? new TableCapacity(_capacity, _capacity) : new TableCapacity(Math.Max(1, Entries), Math.Max(1, _weight));

    /// <summary>The keys that were evicted, in their order.</summary>
    internal List<int> Evicted { get; } = [];

    /// <summary>The bytes that the evictor takes.</summary>
    internal long EvictionBytes => _evictor.SizeBytes;

    /// <summary>Gets a key, and puts it if it is missing.</summary>
    /// <returns>Whether it was a hit.</returns>
    internal bool Access(int key)
    {
        if (_hashes.TryGetValue(key, out ulong hash))
        {
            Use(hash, key);
            return true;
        }
        hash = HashOf(key);
        int weight = WeightOf(key);
        EntryQueue queue = _weight + weight > _capacity
            ? _evictor.Admit(hash, EntryPriority.Normal, weight, now: 0, out _)
            : _evictor.QueueBelowCapacity(hash, EntryPriority.Normal);
        while (_weight + weight > _capacity)
            Assert.True(_evictor.TryEvict(hash, EntryPriority.Normal, now: 0));
        Add(hash, key, weight, isInMain: queue == EntryQueue.Main);
        _evictor.Enter(hash, EntryPriority.Normal, weight, queue);
        return false;
    }

    /// <summary>Accesses keys in turn.</summary>
    /// <returns>The hit ratio.</returns>
    internal double Replay(ReadOnlySpan<int> keys)
    {
        int hits = 0;
        foreach (int key in keys)
            hits += Access(key) ? 1 : 0;
        _evictor.CheckInvariants();
        Invariant.Require(_weight <= _capacity, $"The entries weigh {_weight}, and {_capacity} are allowed.");
        return (double)hits / keys.Length;
    }

    public void Prefetch(IndexSlot slot)
    {
    }

    public bool MayHavePriorityLocked(SlotPlace place, EntryPriority priority) => priority == EntryPriority.Normal;

    public double WeightLocked(SlotPlace place) => WeightOf(KeyOf(place.Value));

    public void EvictLocked(SlotPlace place, long now)
    {
        int key = KeyOf(place.Value);
        Assert.True(_hashes.Remove(key));
        _weight -= WeightOf(key);
        Evicted.Add(key);
        place.Store(default);
    }

    public void Dispose()
    {
        _evictor.Dispose();
        Index.Dispose();
    }

    private static int KeyOf(IndexSlot slot) => (int)(slot.Address - 1);

    private static ulong AddressOf(int key) => (ulong)key + 1;

    private int WeightOf(int key) => _weightOf?.Invoke(key) ?? 1;

    private ulong HashOf(int key)
    {
        ulong mixed = ((ulong)key + 1) * 0x9E3779B97F4A7C15UL + _seed * 0xD1B54A32D192ED03UL;
        mixed = (mixed ^ (mixed >> 32)) * 0xD6E8FEB86659FD93UL;
        return mixed ^ (mixed >> 32);
    }

    private unsafe void Use(ulong hash, int key)
    {
        using LockedBucket bucket = Index.Lock(hash);
        foreach (SlotPlace place in bucket.Matching(hash))
        {
            if (place.Value.Address == AddressOf(key))
                place.Line->CountUse(place.Slot);
        }
    }

    private unsafe void Add(ulong hash, int key, int weight, bool isInMain)
    {
        using LockedBucket bucket = Index.Lock(hash);
        Assert.True(Index.TryFindEmptyLocked(bucket, int.MaxValue, out SlotPlace place, out _));
        place.Line->SetFrequency(place.Slot, 0);
        place.Line->SetInMain(place.Slot, isInMain);
        place.Store(new IndexSlot(hash, AddressOf(key)));
        _hashes.Add(key, hash);
        _weight += weight;
    }
}
