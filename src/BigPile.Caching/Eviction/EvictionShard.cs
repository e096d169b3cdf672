using System;
using System.Diagnostics;
using BigPile.Caching.Eviction.Policies;
using BigPile.Memory;
using BigPile.Memory.Checking;
using BigPile.Memory.Concurrency;

namespace BigPile.Caching.Eviction;

/// <summary>A shard of a table's evictor: a lock, and a policy for each priority that occurs.</summary>
/// <remarks>
/// Lock order: the shard's lock, then a bucket's; never the other way round. Policies hold fingerprints of hashes instead of addresses,
/// so a replaced value does not change them, and an entry is found through its bucket without reading its block. The fingerprint of a
/// removed entry stays until it is visited; if there are too many, each new entry drops a few, and now and then all that are there twice.
/// Invariant: each entry has a fingerprint in the policy of its priority, with its main-queue bit, or it is never evicted; so a change of
/// either must enter it again.
/// A divided shard is empty, and its operations return <see langword="false"/>: the caller asks the evictor for the new shard.
/// </remarks>
internal sealed class EvictionShard : CacheLineIsolated, IDisposable
{
    private const int ChecksAtOnce = 4;
    private const int DeadAllowance = 64;
    private const int EmptyShare = 2; // below half of the capacity the table counts as filling again

    private readonly ShardEntries _entries;
    private readonly int _number; // the low bits of its hashes
    private readonly int _shardBits; // logarithm of the number of shards
    private readonly PriorityClasses _classes; // guarded by _lock
    private TableCapacity _table; // of the whole table; guarded by _lock
    private TableCapacity _capacity = new(1, 1); // of this shard; written under _lock, Entries read without
    private volatile bool _wasFull; // the table was at its limit once; written under _lock, read without
    private long _mostWithRepeats; // fingerprints beyond which repeated ones are dropped again; 0: unknown; guarded by _lock
    private bool _isDivided; // its entries are in other shards, for ever; guarded by _lock
    private uint _turns; // calls of IsTurn, about; any thread writes
    private TinySpinLock _lock;

    internal EvictionShard(IEvictionHost host, int number, int shardBits, Func<IPolicyHost, IEvictionPolicy> makePolicy)
    {
        _number = number;
        _shardBits = shardBits;
        _entries = new ShardEntries(host, number, shardBits);
        _classes = new PriorityClasses(_entries, makePolicy);
    }

    /// <summary>The estimated total weight of its entries. May be read without the lock.</summary>
    internal double Weight => _classes.Weight;

    internal long SizeBytes => _classes.SizeBytes;

    /// <summary><see cref="SizeBytes"/>, and the memory that it would allocate if the table were full now.</summary>
    internal long NeededBytes => _classes.NeededBytes(Math.Max(1, LiveEntries));

    /// <summary>Whether the table is filling up, for the first time or again. May be read without the lock.</summary>
    internal bool IsFilling => !_wasFull || LiveEntries < _capacity.Entries / EmptyShare;

    private long LiveEntries => _entries.Host.Entries >> _shardBits;

    /// <summary>Sets the capacity of the table. The lock is held, or no other thread uses the shard.</summary>
    internal void SetCapacity(TableCapacity table)
    {
        if (table == _table)
            return;
        _table = table;
        _capacity = new TableCapacity(Math.Max(1, table.Entries >> _shardBits), Math.Max(1, table.Weight / (1 << _shardBits)));
        _classes.SetCapacity(_capacity);
    }

    /// <summary>Prefetches what a policy reads of a hash. Takes no lock.</summary>
    internal void Prefetch(ulong hash, EntryPriority priority)
    {
        _classes.Find(priority)?.Policy.Prefetch(_entries.FingerprintOf(hash));
    }

    /// <summary>Chooses the queue of a new entry that exceeds the capacity, and evicts an entry of this shard for it, if any.</summary>
    /// <param name="hash">The hash of the entry.</param>
    /// <param name="priority">Its priority.</param>
    /// <param name="weight">Its weight.</param>
    /// <param name="mayEvict">Whether this shard evicts for it.</param>
    /// <param name="now">The time.</param>
    /// <param name="queue">The queue.</param>
    /// <param name="hasEvicted">Whether an entry was evicted.</param>
    /// <returns><see langword="false"/> when the shard was divided.</returns>
    internal bool TryAdmit(
        ulong hash, EntryPriority priority, double weight, bool mayEvict, long now, out EntryQueue queue, out bool hasEvicted)
    {
        queue = EntryQueue.Undecided;
        hasEvicted = false;
        using TinySpinLock.Scope held = _lock.EnterScope();
        if (_isDivided)
            return false;
        MakeReadyLocked();
        bool isForMain = _classes.Get(priority).Policy.Admit(_entries.FingerprintOf(hash), weight, isFull: true);
        queue = isForMain ? EntryQueue.Main : EntryQueue.Small;
        hasEvicted = mayEvict && _classes.TryEvict(priority, pinnedAddress: 0, now);
        return true;
    }

    /// <summary>Enters a new entry of the table.</summary>
    /// <returns><see langword="false"/> when the shard was divided.</returns>
    internal bool TryEnter(ulong hash, EntryPriority priority, double weight, EntryQueue queue)
    {
        Debug.Assert((hash & ((1UL << _shardBits) - 1)) == (uint)_number, "The hash is of this shard.");
        using TinySpinLock.Scope held = _lock.EnterScope();
        if (_isDivided)
            return false;
        uint fingerprint = _entries.FingerprintOf(hash);
        IEvictionPolicy policy = _classes.Get(priority).Policy;
        // Undecided: the table was full before, and removals have made space. The entry is within the capacity, and in the index.
        bool isForMain = queue == EntryQueue.Undecided ? policy.Admit(fingerprint, weight, isFull: false) : queue == EntryQueue.Main;
        if (queue == EntryQueue.Undecided && isForMain)
            _entries.MarkMain(fingerprint, priority);
        policy.Enter(fingerprint, isForMain, weight);
        long live = LiveEntries;
        if (_classes.Count > live + live / 4 + DeadAllowance)
            DropSomeLocked(live);
        else
            _mostWithRepeats = 0;
        return true;
    }

    /// <summary>Enters an entry that is older than the queues.</summary>
    /// <returns><see langword="false"/> when the shard was divided.</returns>
    internal bool TryEnterFound(ulong hash, EntryPriority priority, bool isInMain)
    {
        using TinySpinLock.Scope held = _lock.EnterScope();
        if (_isDivided)
            return false;
        _classes.Get(priority).Policy.Enter(_entries.FingerprintOf(hash), isInMain, weight: 0);
        return true;
    }

    /// <summary>
    /// Divides the shard: moves its fingerprints to other shards by the low bits of their hashes, and publishes those.
    /// </summary>
    /// <param name="others">The new shards, unpublished.</param>
    /// <param name="makeKnown">Publishes them. Called under the lock, so before any caller is told that this shard is divided.</param>
    /// <returns><see langword="false"/> when the shard was divided before.</returns>
    internal bool TryDivide(EvictionShard[] others, Action makeKnown)
    {
        Debug.Assert(_shardBits == 0, "Only a single shard is divided.");
        using TinySpinLock.Scope held = _lock.EnterScope();
        if (_isDivided)
            return false;
        _classes.ForEach((fingerprint, priority, isInMain, weight) =>
        {
            ulong hash = _entries.HashOf(fingerprint);
            EvictionShard other = others[(int)hash & (others.Length - 1)];
            other._classes.Get(priority).Policy.Enter(other._entries.FingerprintOf(hash), isInMain, weight);
        });
        foreach (EvictionShard other in others)
            other._wasFull = _wasFull;
        makeKnown();
        _isDivided = true;
        _classes.Dispose();
        return true;
    }

    /// <summary>Evicts one entry of at most a priority, but not the one at the pinned address.</summary>
    /// <returns><see langword="false"/> when there is none, or the shard was divided.</returns>
    internal bool TryEvict(EntryPriority most, ulong pinnedAddress, long now)
    {
        using TinySpinLock.Scope held = _lock.EnterScope();
        if (_isDivided)
            return false;
        MakeReadyLocked();
        return _classes.TryEvict(most, pinnedAddress, now);
    }

    /// <summary>Returns true about every so many calls. Takes no lock: concurrent calls may be lost.</summary>
    internal bool IsTurn(int calls) => ++_turns % (uint)calls == 0;

    /// <summary>Checks the invariants of the shard. The caller has exclusive access.</summary>
    internal void CheckInvariants()
    {
        Invariant.Require(_lock.TryEnter(), $"Shard {_number} of the evictor is locked, and nobody is at work.");
        _lock.Exit();
        _classes.CheckInvariants($"Shard {_number}");
    }

    /// <summary>Adds the queues to a census. The caller has exclusive access.</summary>
    internal void AddTo(EvictionCensus census) =>
        _classes.ForEach((fingerprint, priority, isInMain, _) => census.Add(_number, priority, isInMain, fingerprint));

    /// <summary>Removes an entry from a census.</summary>
    /// <returns>Whether the census had it in its queue.</returns>
    internal bool TryTake(EvictionCensus census, ulong hash, EntryPriority priority, bool isMain) =>
        census.TryTake(_number, priority, isMain, _entries.FingerprintOf(hash));

    internal void Clear()
    {
        using TinySpinLock.Scope held = _lock.EnterScope();
        _classes.Clear();
        _wasFull = false;
    }

    public void Dispose() => _classes.Dispose();

    // Called when the table is at its limit: only then the number of entries that fit a limit in bytes is known.
    private void MakeReadyLocked()
    {
        SetCapacity(_entries.Host.Capacity);
        _wasFull = true;
    }

    // Called while more than one fingerprint in five is of no use: a few checks for each new entry drop about as many of removed ones as
    // come in. If there are more nevertheless, they are those of keys that were removed and put again, which seem to be alive.
    private void DropSomeLocked(long live)
    {
        for (int i = 0; i < ChecksAtOnce; i++)
        {
            if (_classes.Longest is not { } longest)
                return;
            longest.Policy.CheckOne();
        }
        if (_classes.Count <= Math.Max(_mostWithRepeats, live + live / 2 + 2 * DeadAllowance))
            return;
        _classes.DropRepeats();
        _mostWithRepeats = _classes.Count + _classes.Count / 4 + DeadAllowance;
    }
}

/// <summary>The queue of a new entry.</summary>
internal enum EntryQueue
{
    /// <summary>Not decided yet.</summary>
    Undecided,
    Small,
    Main,
}
