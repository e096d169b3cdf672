using System;
using System.Diagnostics;

namespace BigPile.Caching.Eviction;

/// <summary>Chooses what goes when a table is at its limit.</summary>
/// <remarks>
/// A large table has 16 shards, told by the lowest bits of the hash, so that the 32 bits that a queue holds find their bucket in a table
/// of any size; a small one has a single shard, because a few hundred entries in sixteen parts are evicted badly.
/// Thread safety: all members may be called concurrently.
/// </remarks>
internal sealed class Evictor : IDisposable
{
    private const int ManyShardBits = 4;
    private const long EntriesForManyShards = 1 << 17;

    private readonly EvictionShard[] _shards;

    internal Evictor(IEvictionHost host, TableRoom expected)
    {
        int shardBits = expected.Entries >= EntriesForManyShards ? ManyShardBits : 0;
        _shards = new EvictionShard[1 << shardBits];
        for (int i = 0; i < _shards.Length; i++)
            _shards[i] = new EvictionShard(host, i, shardBits);
        SetRoom(expected);
        Debug.Assert((_shards.Length & (_shards.Length - 1)) == 0, "The low bits of a hash tell its shard.");
    }

    internal long SizeBytes
    {
        get
        {
            long sum = 0;
            foreach (EvictionShard shard in _shards)
                sum += shard.SizeBytes;
            return sum;
        }
    }

    /// <summary>The same with what it takes once the table is full as it is now.</summary>
    internal long NeededBytes
    {
        get
        {
            long sum = 0;
            foreach (EvictionShard shard in _shards)
                sum += shard.NeededBytes;
            return sum;
        }
    }

    /// <summary>Sets what there is room for, before the table is full and tells better. Nobody else is at work.</summary>
    internal void SetRoom(TableRoom room)
    {
        foreach (EvictionShard shard in _shards)
            shard.SetRoom(room);
    }

    /// <summary>Brings what is needed to enter a hash towards the processor. Takes no lock.</summary>
    internal void Prefetch(ulong hash, EntryPriority priority)
    {
        if (priority != EntryPriority.NeverEvict)
            ShardOf(hash).Prefetch(hash, priority);
    }

    /// <summary>In which queue a new entry will be that there is room for, if it can be told at once. Takes no lock.</summary>
    internal EntryQueue QueueWithRoom(ulong hash, EntryPriority priority) =>
        priority != EntryPriority.NeverEvict && ShardOf(hash).IsFilling ? EntryQueue.Filling : EntryQueue.Undecided;

    /// <summary>
    /// Decides in which queue a new entry will be that there is no room for yet, and evicts another one of its shard, if it may. No lock of
    /// a bucket is held.
    /// </summary>
    /// <param name="hash">The hash of the new entry.</param>
    /// <param name="priority">Its priority.</param>
    /// <param name="weight">What it weighs.</param>
    /// <param name="now">The time; 0 where it may be read under locks.</param>
    /// <param name="hasEvicted">Whether one was evicted.</param>
    internal EntryQueue Admit(ulong hash, EntryPriority priority, double weight, long now, out bool hasEvicted)
    {
        hasEvicted = false;
        return priority == EntryPriority.NeverEvict
            ? EntryQueue.Small
            : ShardOf(hash).Admit(hash, priority, weight, now, out hasEvicted);
    }

    /// <summary>Enters a new entry. No lock of a bucket is held.</summary>
    /// <param name="hash">Its hash.</param>
    /// <param name="priority">Its priority.</param>
    /// <param name="weight">What it weighs.</param>
    /// <param name="queue">What was decided on before, if it was; then its mark in the index says so already.</param>
    internal void Enter(ulong hash, EntryPriority priority, double weight, EntryQueue queue)
    {
        if (priority != EntryPriority.NeverEvict)
            ShardOf(hash).Enter(hash, priority, weight, queue);
    }

    /// <summary>Enters an entry that was there before.</summary>
    internal void EnterFound(ulong hash, EntryPriority priority, bool isInMain)
    {
        if (priority != EntryPriority.NeverEvict)
            ShardOf(hash).EnterFound(hash, priority, isInMain);
    }

    /// <summary>
    /// Evicts one entry that is worth no more than a priority, from the shard of a hash if there is one. No lock of a bucket is held.
    /// </summary>
    /// <param name="hash">The hash.</param>
    /// <param name="most">The priority.</param>
    /// <param name="now">The time; 0 where it may be read under locks.</param>
    /// <param name="smallWeight">What the new entry weighs for which there has to be room in the small queue; 0: none.</param>
    /// <param name="sparedAddress">The address of the block of an entry that stays; 0: none.</param>
    /// <returns><see langword="false"/> when there is none.</returns>
    internal bool TryEvict(ulong hash, EntryPriority most, long now, double smallWeight = 0, ulong sparedAddress = 0)
    {
        int own = (int)hash & (_shards.Length - 1);
        for (int i = 0; i < _shards.Length; i++)
        {
            if (_shards[(own + i) & (_shards.Length - 1)].TryEvict(most, smallWeight, sparedAddress, now))
                return true;
        }
        return false;
    }

    /// <summary>Looks whether the queues are whole. Nobody else is at work.</summary>
    /// <exception cref="InvalidOperationException">Something is wrong; the message says what.</exception>
    internal void CheckInvariants()
    {
        foreach (EvictionShard shard in _shards)
            shard.CheckInvariants();
    }

    /// <summary>Counts what is in the queues. Nobody else may be at work.</summary>
    internal EvictionCensus TakeCensus()
    {
        var census = new EvictionCensus();
        foreach (EvictionShard shard in _shards)
            shard.AddTo(census);
        return census;
    }

    /// <summary>Takes an entry out of a census.</summary>
    /// <returns>Whether its queue had it.</returns>
    internal bool TryTake(EvictionCensus census, ulong hash, EntryPriority priority, bool isMain) =>
        ShardOf(hash).TryTake(census, hash, priority, isMain);

    /// <summary>Forgets everything. For tests.</summary>
    internal void Clear()
    {
        foreach (EvictionShard shard in _shards)
            shard.Clear();
    }

    public void Dispose()
    {
        foreach (EvictionShard shard in _shards)
            shard.Dispose();
    }

    private EvictionShard ShardOf(ulong hash) => _shards[(int)hash & (_shards.Length - 1)];
}
