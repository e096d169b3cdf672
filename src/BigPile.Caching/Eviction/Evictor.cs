using System;
using System.Diagnostics;
using System.Threading;

namespace BigPile.Caching.Eviction;

/// <summary>Chooses what goes when a table is at its limit.</summary>
/// <remarks>
/// A large table has 16 shards, told by the lowest bits of the hash; a small one has a single shard, because a few hundred entries in
/// sixteen parts are evicted badly. How many entries a limit in bytes lets in is not known before they are there: such a table begins with
/// one shard, which is divided once it has many. Divided, its queues say the same as before; what it remembered of evictions is forgotten.
/// Lock order: one shard's lock at a time; the new shards are known to nobody while they are filled under the lock of the one before.
/// Thread safety: all members may be called concurrently.
/// </remarks>
internal sealed class Evictor : IDisposable
{
    private const int ManyShardBits = 4;
    private const long EntriesForManyShards = 1 << 17;
    private const long FewestInManyShards = EntriesForManyShards / 4;
    private const int EvictionsBetweenBalances = 64; // at the balance, by a shard
    private const long BytesOfDivision = (1 << ManyShardBits) * 32 << 10; // begun nodes of queues, and a copy of the hashes

    private readonly IEvictionHost _host;
    private EvictionShard[] _shards; // replaced once at most, under the lock of its only one
    private readonly ShardBalance _balance = new();
    private TableCapacity _capacity;
    private int _turn;

    /// <summary>Makes one without entries.</summary>
    /// <param name="host">The table.</param>
    /// <param name="expected">What it is expected to have room for.</param>
    /// <param name="isCertain">Whether it has, so that many shards need not wait for many entries.</param>
    internal Evictor(IEvictionHost host, TableCapacity expected, bool isCertain = true)
    {
        _host = host;
        _capacity = expected;
        long entries = isCertain ? expected.Entries : Math.Min(expected.Entries, host.Entries);
        _shards = MakeShards(entries >= EntriesForManyShards ? ManyShardBits : 0);
        Debug.Assert((_shards.Length & (_shards.Length - 1)) == 0, "The low bits of a hash tell its shard.");
    }

    internal long SizeBytes => SumOf(static shard => shard.SizeBytes, out _);

    /// <summary>The same with what it takes once the table is full as it is now.</summary>
    internal long NeededBytes
    {
        get
        {
            long sum = SumOf(static shard => shard.NeededBytes, out int shards);
            return shards == 1 ? sum + DivisionBytes : sum;
        }
    }

    // Comes up by and by, so that no put has to make room for all of it.
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

    /// <summary>Whether it has many shards where there is room for too few entries.</summary>
    internal bool IsTooDivided(TableCapacity capacity) => Shards.Length != 1 && capacity.Entries < FewestInManyShards;

    /// <summary>Sets what a table has room for, before the table is full and tells better. Nobody else is at work.</summary>
    internal void SetCapacity(TableCapacity capacity)
    {
        _capacity = capacity;
        foreach (EvictionShard shard in Shards)
            shard.SetCapacity(capacity);
    }

    /// <summary>Brings what is needed to enter a hash towards the processor. Takes no lock.</summary>
    internal void Prefetch(ulong hash, EntryPriority priority)
    {
        if (priority != EntryPriority.NeverEvict)
            ShardOf(hash).Prefetch(hash, priority);
    }

    /// <summary>In which queue a new entry will be that there is room for, if it can be told at once. Takes no lock.</summary>
    internal EntryQueue QueueBelowCapacity(ulong hash, EntryPriority priority) =>
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
        EntryQueue queue = EntryQueue.Small;
        while (priority != EntryPriority.NeverEvict
            && !ShardOf(hash).TryAdmit(hash, priority, weight, !TakesFromOthers(hash, out _), now, out queue, out hasEvicted))
        {
            // it was divided
        }
        return queue;
    }

    /// <summary>Enters a new entry. No lock of a bucket is held.</summary>
    /// <param name="hash">Its hash.</param>
    /// <param name="priority">Its priority.</param>
    /// <param name="weight">What it weighs.</param>
    /// <param name="queue">What was decided on before, if it was; then its mark in the index says so already.</param>
    internal void Enter(ulong hash, EntryPriority priority, double weight, EntryQueue queue)
    {
        if (priority == EntryPriority.NeverEvict)
            return;
        while (!ShardOf(hash).TryEnter(hash, priority, weight, queue))
            continue; // it was divided
        EvictionShard[] shards = Shards;
        if (shards.Length == 1 && _capacity.Entries >= EntriesForManyShards && _host.Entries >= EntriesForManyShards)
            Divide(shards[0]);
    }

    /// <summary>Enters an entry that was there before.</summary>
    internal void EnterFound(ulong hash, EntryPriority priority, bool isInMain)
    {
        while (priority != EntryPriority.NeverEvict && !ShardOf(hash).TryEnterFound(hash, priority, isInMain))
            continue; // it was divided
    }

    /// <summary>
    /// Evicts one entry that is worth no more than a priority, from the shard of a hash if there is one, unless it has too little. No lock
    /// of a bucket is held.
    /// </summary>
    /// <param name="hash">The hash.</param>
    /// <param name="most">The priority.</param>
    /// <param name="now">The time; 0 where it may be read under locks.</param>
    /// <param name="smallWeight">What the new entry weighs for which there has to be room in the small queue; 0: none.</param>
    /// <param name="pinnedAddress">The address of the block of an entry that stays; 0: none.</param>
    /// <returns><see langword="false"/> when there is none.</returns>
    internal bool TryEvict(ulong hash, EntryPriority most, long now, double smallWeight = 0, ulong pinnedAddress = 0)
    {
        EvictionShard[] shards = Shards;
        int first = (int)hash & (shards.Length - 1);
        if (shards.Length != 1 && shards[first].IsTurn(EvictionsBetweenBalances))
            _balance.Update(shards);
        if (TakesFromOthers(hash, out int richest))
            (first, smallWeight) = (richest, 0);
        for (int i = 0; i < shards.Length; i++)
        {
            if (shards[(first + i) & (shards.Length - 1)].TryEvict(most, smallWeight, pinnedAddress, now))
                return true;
        }
        return shards != Shards && TryEvict(hash, most, now, smallWeight, pinnedAddress);
    }

    /// <summary>
    /// Evicts one entry that is worth no more than a priority, for nobody: from each shard in turn, as a new entry takes the place of one
    /// of its own shard, and one that became small would stay so for long.
    /// </summary>
    /// <returns><see langword="false"/> when there is none.</returns>
    internal bool TryEvictInTurn(EntryPriority most, long now) =>
        TryEvict((ulong)(uint)Interlocked.Increment(ref _turn), most, now);

    /// <summary>About what the entries of each shard weigh together. For tests.</summary>
    internal double[] Weights() => Array.ConvertAll(Shards, static shard => shard.Weight);

    /// <summary>Looks whether the queues are whole. Nobody else is at work.</summary>
    /// <exception cref="InvalidOperationException">Something is wrong; the message says what.</exception>
    internal void CheckInvariants()
    {
        foreach (EvictionShard shard in Shards)
            shard.CheckInvariants();
    }

    /// <summary>Counts what is in the queues. Nobody else may be at work.</summary>
    internal EvictionCensus TakeCensus()
    {
        var census = new EvictionCensus();
        foreach (EvictionShard shard in Shards)
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
        foreach (EvictionShard shard in Shards)
            shard.Clear();
    }

    public void Dispose()
    {
        foreach (EvictionShard shard in Shards)
            shard.Dispose();
    }

    // A shard that was divided meanwhile has nothing any more.
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
            shards[i] = new EvictionShard(_host, i, shardBits);
            shards[i].SetCapacity(_capacity);
        }
        return shards;
    }

    // What fails half-way, as there is no memory, leaves the one shard as it was. It is the one that was seen to be alone: by now another
    // thread may have put many in its place.
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
            // a single shard for many entries is slower with many threads, and nothing else
        }
        finally
        {
            if (!isDivided)
                Array.ForEach(parts, static part => part.Dispose());
        }
    }
}
