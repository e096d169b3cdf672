using System;
using System.Diagnostics;
using BigPile.Checking;
using BigPile.Concurrency;
using BigPile.Memory;

namespace BigPile.Caching.Eviction;

/// <summary>A part of a table's evictor: its own lock, a sketch, and queues for each priority that occurs.</summary>
/// <remarks>
/// Lock order: the shard's lock, then a bucket's; who holds a bucket's lock never asks for the shard's. The queues hold pieces of hashes
/// and not addresses: a replaced value leaves them as they are, and an entry is found by its bucket without a look at its block. A hash
/// whose entry is gone is dropped when its turn comes; when there are too many of those, every new entry clears a few. So every entry must
/// have a hash in the queue that its priority and its mark in the index say, or nothing ever finds it: who changes one of them enters it.
/// The sketch takes its memory when the shard is full for the first time, and is told then what the queues have.
/// A shard that was divided has nothing any more and says so: whoever comes to it with a hash asks the evictor again.
/// </remarks>
internal sealed class EvictionShard : CacheLineIsolated, IDisposable
{
    private const int ChecksAtOnce = 4;
    private const int DeadAllowance = 64;
    private const int MostToldToSketch = 1 << 18; // a pause of a millisecond or two, once
    private const int EmptyShare = 2; // a table with less than half of what fits fills up again
    private const int MostGrowth = 2;
    private const int MostShrinkage = 4;

    private readonly ShardEntries _entries;
    private readonly int _number;
    private readonly int _shardBits;
    private readonly FrequencySketch _sketch = new();
    private readonly PriorityClasses _classes;
    private TableCapacity _table;
    private TableCapacity _capacity = new(1, 1);
    private volatile bool _wasFull;
    private bool _isDivided;
    private uint _turns;
    private TinySpinLock _lock;

    internal EvictionShard(IEvictionHost host, int number, int shardBits)
    {
        _number = number;
        _shardBits = shardBits;
        _entries = new ShardEntries(host, number, shardBits);
        _classes = new PriorityClasses(_entries, _sketch);
    }

    /// <summary>About what its entries weigh together. May be asked without the lock.</summary>
    internal double Weight => _classes.Weight;

    internal long SizeBytes => _sketch.SizeBytes + _classes.SizeBytes;

    /// <summary>The same with what it takes when the table is full for the first time, or for more than before, as it is now.</summary>
    internal long NeededBytes
    {
        get
        {
            long capacity = Math.Max(1, LiveEntries);
            return Math.Max(_sketch.SizeBytes, FrequencySketch.SizeBytesFor(capacity)) + _classes.NeededBytes(capacity);
        }
    }

    /// <summary>Whether the table fills up, for the first time or again. May be asked without the lock.</summary>
    internal bool IsFilling => !_wasFull || LiveEntries < _capacity.Entries / EmptyShare;

    private long LiveEntries => _entries.Host.Entries >> _shardBits;

    /// <summary>Sets what a table has room for. The lock is held, or nobody else is at work.</summary>
    internal void SetCapacity(TableCapacity table)
    {
        if (table == _table)
            return;
        _table = table;
        _capacity = new TableCapacity(Math.Max(1, table.Entries >> _shardBits), Math.Max(1, table.Weight / (1 << _shardBits)));
        _classes.SetCapacity(_capacity);
    }

    /// <summary>Brings what is needed to enter a hash towards the processor. Takes no lock.</summary>
    internal void Prefetch(ulong hash, EntryPriority priority)
    {
        uint fingerprint = _entries.FingerprintOf(hash);
        _classes.Find(priority)?.PrefetchGhost(fingerprint);
        _sketch.Prefetch(fingerprint);
    }

    /// <summary>Decides in which queue an entry will be that has no room yet, and evicts one for it: here, if there is one.</summary>
    /// <param name="hash">The hash of the entry.</param>
    /// <param name="priority">Its priority.</param>
    /// <param name="weight">What it weighs.</param>
    /// <param name="mayEvict">Whether its room comes from here.</param>
    /// <param name="now">The time.</param>
    /// <param name="queue">The queue.</param>
    /// <param name="hasEvicted">Whether one was evicted.</param>
    /// <returns><see langword="false"/> when it was divided.</returns>
    internal bool TryAdmit(
        ulong hash, EntryPriority priority, double weight, bool mayEvict, long now, out EntryQueue queue, out bool hasEvicted)
    {
        queue = EntryQueue.Undecided;
        hasEvicted = false;
        _lock.Enter();
        try
        {
            if (_isDivided)
                return false;
            MakeReadyLocked();
            bool contends = mayEvict && !_classes.HasLower(priority); // else those give it room
            queue = _classes.Get(priority).Decide(_entries.FingerprintOf(hash), weight, contends, now, out hasEvicted);
            double smallWeight = queue == EntryQueue.Small ? weight : 0;
            hasEvicted = hasEvicted || (mayEvict && _classes.TryEvict(priority, smallWeight, pinnedAddress: 0, now));
            return true;
        }
        finally
        {
            _lock.Exit();
        }
    }

    /// <summary>Enters a new entry of the table.</summary>
    /// <returns><see langword="false"/> when it was divided.</returns>
    internal bool TryEnter(ulong hash, EntryPriority priority, double weight, EntryQueue queue)
    {
        Debug.Assert((hash & ((1UL << _shardBits) - 1)) == (uint)_number, "The hash is of this shard.");
        _lock.Enter();
        try
        {
            if (_isDivided)
                return false;
            uint fingerprint = _entries.FingerprintOf(hash);
            EvictionClass entries = _classes.Get(priority);
            entries.Enter(fingerprint, weight, queue);
            long live = LiveEntries;
            if (_classes.Count > live + live / 4 + DeadAllowance)
                CheckSomeLocked();
            return true;
        }
        finally
        {
            _lock.Exit();
        }
    }

    /// <summary>Enters an entry that was there before there were queues.</summary>
    /// <returns><see langword="false"/> when it was divided.</returns>
    internal bool TryEnterFound(ulong hash, EntryPriority priority, bool isInMain)
    {
        _lock.Enter();
        try
        {
            if (_isDivided)
                return false;
            _classes.Get(priority).EnterFound(_entries.FingerprintOf(hash), isInMain);
            return true;
        }
        finally
        {
            _lock.Exit();
        }
    }

    /// <summary>
    /// Gives all that it has to others, each of which takes the hashes with its number in their lowest bits, and has them known before
    /// anybody is told that it has nothing any more.
    /// </summary>
    /// <param name="others">Shards that nobody knows yet.</param>
    /// <param name="makeKnown">Called under the lock.</param>
    /// <returns><see langword="false"/> when it was divided before.</returns>
    internal bool TryDivide(EvictionShard[] others, Action makeKnown)
    {
        Debug.Assert(_shardBits == 0, "Only a shard that has all hashes is divided.");
        _lock.Enter();
        try
        {
            if (_isDivided)
                return false;
            _classes.ForEach((fingerprint, priority, isMain) => GiveTo(others, _entries.HashOf(fingerprint), priority, isMain));
            foreach (EvictionShard other in others)
                other._wasFull = _wasFull;
            makeKnown();
            _isDivided = true;
            DisposeLocked();
            return true;
        }
        finally
        {
            _lock.Exit();
        }
    }

    /// <summary>Evicts one entry that is worth no more than a priority, but not the one at an address.</summary>
    /// <returns><see langword="false"/> when there is none.</returns>
    internal bool TryEvict(EntryPriority most, double smallWeight, ulong pinnedAddress, long now)
    {
        _lock.Enter();
        try
        {
            if (_isDivided)
                return false;
            MakeReadyLocked();
            return _classes.TryEvict(most, smallWeight, pinnedAddress, now);
        }
        finally
        {
            _lock.Exit();
        }
    }

    /// <summary>Whether it is time for what is done each so many calls. Without the lock: some get lost where threads meet.</summary>
    internal bool IsTurn(int calls) => ++_turns % (uint)calls == 0;

    /// <summary>Looks whether the queues are whole. Nobody else is at work.</summary>
    internal void CheckInvariants()
    {
        Invariant.Require(_lock.TryEnter(), $"Shard {_number} of the evictor is locked, and nobody is at work.");
        _lock.Exit();
        _sketch.CheckInvariants($"Shard {_number}");
        _classes.CheckInvariants($"Shard {_number}");
    }

    /// <summary>Counts what is in the queues. Nobody else may be at work.</summary>
    internal void AddTo(EvictionCensus census) =>
        _classes.ForEach((fingerprint, priority, isMain) => census.Add(_number, priority, isMain, fingerprint));

    /// <summary>Takes an entry out of a census.</summary>
    /// <returns>Whether its queue had it.</returns>
    internal bool TryTake(EvictionCensus census, ulong hash, EntryPriority priority, bool isMain) =>
        census.TryTake(_number, priority, isMain, _entries.FingerprintOf(hash));

    internal void Clear()
    {
        _lock.Enter();
        try
        {
            _classes.Clear();
            _wasFull = false;
        }
        finally
        {
            _lock.Exit();
        }
    }

    public void Dispose() => DisposeLocked();

    private void DisposeLocked()
    {
        _classes.Dispose();
        _sketch.Dispose();
    }

    private void GiveTo(EvictionShard[] others, ulong hash, EntryPriority priority, bool isMain)
    {
        EvictionShard other = others[(int)hash & (others.Length - 1)];
        other._classes.Get(priority).EnterFrom(_classes.Get(priority), other._entries.FingerprintOf(hash), isMain);
    }

    // What there is room for is known best when there is no more.
    private void MakeReadyLocked()
    {
        SetCapacity(_entries.Host.Capacity);
        if (_capacity.Entries > MostGrowth * _sketch.Capacity || _capacity.Entries < _sketch.Capacity / MostShrinkage)
        {
            _sketch.Resize(_capacity.Entries);
            _classes.CountOldest(MostToldToSketch);
        }
        _wasFull = true;
    }

    // Called while more than one hash in five is of an entry that is gone: a few checks for each new entry drop about as many as come in.
    private void CheckSomeLocked()
    {
        for (int i = 0; i < ChecksAtOnce; i++)
        {
            if (_classes.Longest is not { } longest)
                return;
            longest.CheckOne();
        }
    }
}
