using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Runtime.InteropServices;
using System.Threading;
using BigPile.Caching.Eviction.Policies;

namespace BigPile.Caching.Eviction;

/// <summary>Chooses the victims when a table is at its limit.</summary>
/// <remarks>
/// A large table has 16 shards, by the lowest bits of the hash. A small one has a single shard, because the policy works badly on a few
/// hundred entries in sixteen parts. How many entries fit a limit in bytes is not known in advance: such a table begins with one shard,
/// which is divided when it has many entries. The division keeps the queues, and drops ghosts, sketch and duels.
/// Lock order: one shard's lock at a time; a division fills the new shards, still unpublished, under the lock of the old one.
/// Thread safety: all members may be called concurrently.
/// </remarks>
internal sealed class Evictor : IDisposable
{
    private const int ManyShardBits = 4;
    private const long EntriesForManyShards = 1 << 17;
    private const long FewestInManyShards = EntriesForManyShards / 4;
    private const int EvictionsBetweenBalances = 64; // of one shard, between updates of the balance
    private const long BytesOfDivision = (1 << ManyShardBits) * 32 << 10; // partly filled nodes of queues, and a copy of the fingerprints

    private readonly IEvictionHost _host;
    private readonly Func<IPolicyHost, IEvictionPolicy> _makePolicy;
    private EvictionShard[] _shards; // replaced at most once, under the lock of its only element
    private readonly ShardBalance _balance = new();
    private TableCapacity _capacity; // of the table, as configured; written with exclusive access
    private int _turn; // the shard of the next TryEvictInTurn; incremented atomically

    /// <summary>Makes an evictor without entries.</summary>
    /// <param name="host">The table.</param>
    /// <param name="expected">The expected capacity.</param>
    /// <param name="isCertain">Whether the capacity is certain: then a large table has many shards from the start.</param>
    /// <param name="makePolicy">Makes the policy of one priority in one shard; the usual one by default.</param>
    internal Evictor(
        IEvictionHost host, TableCapacity expected, bool isCertain = true, Func<IPolicyHost, IEvictionPolicy>? makePolicy = null)
    {
        _host = host;
        _makePolicy = makePolicy ?? (static host => new DuelingS3Fifo(host));
        _capacity = expected;
        long entries = isCertain ? expected.Entries : Math.Min(expected.Entries, host.Entries);
        _shards = MakeShards(entries >= EntriesForManyShards ? ManyShardBits : 0);
        Debug.Assert((_shards.Length & (_shards.Length - 1)) == 0, "The low bits of a hash are its shard's number.");
    }

    internal long SizeBytes => SumOf(static shard => shard.SizeBytes, out _);

    /// <summary><see cref="SizeBytes"/>, and the memory that it would allocate if the table were full now.</summary>
    internal long NeededBytes
    {
        get
        {
            long sum = SumOf(static shard => shard.NeededBytes, out int shards);
            return shards == 1 ? sum + DivisionBytes : sum;
        }
    }

    // Grows gradually with the entries, so that no single put has to evict for all of it.
    private long DivisionBytes
    {
        get
        {
            const long From = EntriesForManyShards / 2;
            long part = Math.Clamp(_host.Entries - From, 0, From);
            return BytesOfDivision * part / From;
        }
    }

    private EvictionShard[] Shards => Volatile.Read(ref _shards);

    /// <summary>Whether it has many shards, and a capacity is too small for that.</summary>
    internal bool IsTooDivided(TableCapacity capacity) => Shards.Length != 1 && capacity.Entries < FewestInManyShards;

    /// <summary>Sets the capacity until the table is full and knows it better. The caller has exclusive access.</summary>
    internal void SetCapacity(TableCapacity capacity)
    {
        _capacity = capacity;
        foreach (EvictionShard shard in Shards)
            shard.SetCapacity(capacity);
    }

    /// <summary>Prefetches what entering a hash reads. Takes no lock.</summary>
    internal void Prefetch(ulong hash, EntryPriority priority)
    {
        if (priority != EntryPriority.NeverEvict)
            ShardOf(hash).Prefetch(hash, priority);
    }

    /// <summary>The queue of a new entry that is within the capacity, if it can be chosen without a lock.</summary>
    internal EntryQueue QueueBelowCapacity(ulong hash, EntryPriority priority) =>
        priority != EntryPriority.NeverEvict && ShardOf(hash).IsFilling ? EntryQueue.Main : EntryQueue.Undecided;

    /// <summary>
    /// Chooses the queue of a new entry that exceeds the capacity, and evicts another entry of its shard, unless that is poor. The caller
    /// holds no bucket's lock.
    /// </summary>
    /// <param name="hash">The hash of the new entry.</param>
    /// <param name="priority">Its priority.</param>
    /// <param name="weight">Its weight.</param>
    /// <param name="now">The time; 0: it may be read under locks.</param>
    /// <param name="hasEvicted">Whether an entry was evicted.</param>
    internal EntryQueue Admit(ulong hash, EntryPriority priority, double weight, long now, out bool hasEvicted)
    {
        hasEvicted = false;
        EntryQueue queue = EntryQueue.Small;
        while (priority != EntryPriority.NeverEvict
            && !ShardOf(hash).TryAdmit(hash, priority, weight, !TakesFromOthers(hash, out _), now, out queue, out hasEvicted))
        {
            // the shard was divided: retry with the new one
        }
        return queue;
    }

    /// <summary>Enters a new entry. The caller holds no bucket's lock.</summary>
    /// <param name="hash">Its hash.</param>
    /// <param name="priority">Its priority.</param>
    /// <param name="weight">Its weight.</param>
    /// <param name="queue">Its queue, if chosen before: then its main-queue bit in the index is set already.</param>
    internal void Enter(ulong hash, EntryPriority priority, double weight, EntryQueue queue)
    {
        if (priority == EntryPriority.NeverEvict)
            return;
        while (!ShardOf(hash).TryEnter(hash, priority, weight, queue))
            continue; // the shard was divided
        EvictionShard[] shards = Shards;
        if (shards.Length == 1 && _capacity.Entries >= EntriesForManyShards && _host.Entries >= EntriesForManyShards)
            Divide(shards[0]);
    }

    /// <summary>Enters an entry that is older than the queues.</summary>
    internal void EnterFound(ulong hash, EntryPriority priority, bool isInMain)
    {
        while (priority != EntryPriority.NeverEvict && !ShardOf(hash).TryEnterFound(hash, priority, isInMain))
            continue; // the shard was divided
    }

    /// <summary>
    /// Evicts one entry of at most a priority: from the shard of a hash, from the richest one if that is poor, or else from any other. The
    /// caller holds no bucket's lock.
    /// </summary>
    /// <param name="hash">The hash.</param>
    /// <param name="most">The highest priority that may be evicted.</param>
    /// <param name="now">The time; 0: it may be read under locks.</param>
    /// <param name="pinnedAddress">The block address of an entry that must not be evicted; 0: none.</param>
    /// <returns><see langword="false"/> when there is none.</returns>
    internal bool TryEvict(ulong hash, EntryPriority most, long now, ulong pinnedAddress = 0)
    {
        EvictionShard[] shards = Shards;
        int first = (int)hash & (shards.Length - 1);
        if (shards.Length != 1 && shards[first].IsTurn(EvictionsBetweenBalances))
            _balance.Update(shards);
        if (TakesFromOthers(hash, out int richest))
            first = richest;
        for (int i = 0; i < shards.Length; i++)
        {
            if (shards[(first + i) & (shards.Length - 1)].TryEvict(most, pinnedAddress, now))
                return true;
        }
        return shards != Shards && TryEvict(hash, most, now, pinnedAddress);
    }

    /// <summary>
    /// Evicts one entry of at most a priority to lower the usage, from each shard in turn. New entries replace entries of their own shard,
    /// so a shard that all such evictions shrank would stay small for long.
    /// </summary>
    /// <returns><see langword="false"/> when there is none.</returns>
    internal bool TryEvictInTurn(EntryPriority most, long now) =>
        TryEvict((ulong)(uint)Interlocked.Increment(ref _turn), most, now);

    /// <summary>The estimated total weight of each shard. For tests.</summary>
    internal double[] Weights() => Array.ConvertAll(Shards, static shard => shard.Weight);

    /// <summary>Checks the invariants of all shards. The caller has exclusive access.</summary>
    /// <exception cref="InvalidOperationException">An invariant does not hold; the message says which.</exception>
    internal void CheckInvariants()
    {
        foreach (EvictionShard shard in Shards)
            shard.CheckInvariants();
    }

    /// <summary>Takes a census of the queues. The caller has exclusive access.</summary>
    internal EvictionCensus TakeCensus()
    {
        var census = new EvictionCensus();
        foreach (EvictionShard shard in Shards)
            shard.AddTo(census);
        return census;
    }

    /// <summary>Removes an entry from a census.</summary>
    /// <returns>Whether the census had it in its queue.</returns>
    internal bool TryTake(EvictionCensus census, ulong hash, EntryPriority priority, bool isMain) =>
        ShardOf(hash).TryTake(census, hash, priority, isMain);

    /// <summary>Forgets everything. For tests.</summary>
    internal void Clear()
    {
        foreach (EvictionShard shard in Shards)
            shard.Clear();
    }

    public void Dispose()
    {
        foreach (EvictionShard shard in Shards)
            shard.Dispose();
    }

    // Repeated if a division comes in between: a divided shard is empty.
    private long SumOf(Func<EvictionShard, long> figure, out int count)
    {
        EvictionShard[] shards;
        long sum;
        do
        {
            shards = Shards;
            sum = 0;
            foreach (EvictionShard shard in shards)
                sum += figure(shard);
        }
        while (shards != Shards);
        count = shards.Length;
        return sum;
    }

    private bool TakesFromOthers(ulong hash, out int richest)
    {
        int last = Shards.Length - 1;
        richest = 0;
        return last != 0 && _balance.IsPoor((int)hash & last, out richest);
    }

    private EvictionShard ShardOf(ulong hash)
    {
        EvictionShard[] shards = Shards;
        return shards[(int)hash & (shards.Length - 1)];
    }

    private EvictionShard[] MakeShards(int shardBits)
    {
        var shards = new EvictionShard[1 << shardBits];
        for (int i = 0; i < shards.Length; i++)
        {
            shards[i] = new EvictionShard(_host, i, shardBits, _makePolicy);
            shards[i].SetCapacity(_capacity);
        }
        return shards;
    }

    // If memory runs out halfway, the old shard is unchanged. The caller passes the shard that it found alone, since another thread may
    // have divided it by now.
    private void Divide(EvictionShard only)
    {
        EvictionShard[] parts = MakeShards(ManyShardBits);
        bool isDivided = false;
        try
        {
            isDivided = only.TryDivide(parts, () => Volatile.Write(ref _shards, parts));
        }
        catch (OutOfMemoryException)
        {
            // harmless: a single shard for many entries is only slower with many threads
        }
        finally
        {
            if (!isDivided)
                Array.ForEach(parts, static part => part.Dispose());
        }
    }
}

/// <summary>How often each fingerprint is in each queue. A check of a table compares it with the index.</summary>
/// <remarks>Thread safety: none.</remarks>
internal sealed class EvictionCensus
{
    private readonly Dictionary<(int Shard, EntryPriority Priority, bool IsMain, uint Fingerprint), int> _counts = [];

    internal void Add(int shard, EntryPriority priority, bool isMain, uint fingerprint) =>
        CollectionsMarshal.GetValueRefOrAddDefault(_counts, (shard, priority, isMain, fingerprint), out _)++;

    /// <summary>Subtracts one.</summary>
    /// <returns><see langword="false"/> if there is none.</returns>
    internal bool TryTake(int shard, EntryPriority priority, bool isMain, uint fingerprint) =>
        CollectionsMarshal.GetValueRefOrAddDefault(_counts, (shard, priority, isMain, fingerprint), out _)-- > 0;
}
