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
/// </remarks>
internal sealed class EvictionShard : CacheLineIsolated, IDisposable
{
    private const int ClassCount = (int)EntryPriority.High + 1;
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
    private readonly EvictionClass?[] _classes = new EvictionClass?[ClassCount];
    private TableRoom _table;
    private TableRoom _room = new(1, 1);
    private volatile bool _wasFull;
    private SpinGate _lock;

    internal EvictionShard(IEvictionHost host, int number, int shardBits)
    {
        _number = number;
        _shardBits = shardBits;
        _entries = new ShardEntries(host, number, shardBits);
    }

    internal long SizeBytes
    {
        get
        {
            long sum = _sketch.SizeBytes;
            foreach (EvictionClass? entries in _classes)
                sum += entries?.SizeBytes ?? 0;
            return sum;
        }
    }

    /// <summary>The same with what it takes when the table is full for the first time, or for more than before, as it is now.</summary>
    internal long NeededBytes
    {
        get
        {
            long capacity = Math.Max(1, LiveEntries);
            long sum = Math.Max(_sketch.SizeBytes, FrequencySketch.SizeBytesFor(capacity));
            foreach (EvictionClass? entries in _classes)
                sum += entries?.NeededBytes(capacity) ?? 0;
            return sum;
        }
    }

    /// <summary>Whether the table fills up, for the first time or again. May be asked without the lock.</summary>
    internal bool IsFilling => !_wasFull || LiveEntries < _room.Entries / EmptyShare;

    private long LiveEntries => _entries.Host.Entries >> _shardBits;

    /// <summary>Sets what a table has room for. The lock is held, or nobody else is at work.</summary>
    internal void SetRoom(TableRoom table)
    {
        if (table == _table)
            return;
        _table = table;
        _room = new TableRoom(Math.Max(1, table.Entries >> _shardBits), Math.Max(1, table.Weight / (1 << _shardBits)));
        foreach (EvictionClass? entries in _classes)
            entries?.SetRoom(_room);
    }

    /// <summary>Brings what is needed to enter a hash towards the processor. Takes no lock.</summary>
    internal void Prefetch(ulong hash, EntryPriority priority)
    {
        uint piece = _entries.PieceOf(hash);
        _classes[(int)priority]?.PrefetchGhost(piece);
        _sketch.Prefetch(piece);
    }

    /// <summary>Decides in which queue an entry will be that has no room yet, and evicts one for it: here, if there is one.</summary>
    internal EntryQueue Admit(ulong hash, EntryPriority priority, double weight, long now, out bool hasEvicted)
    {
        _lock.Enter();
        try
        {
            MakeReadyLocked();
            bool contends = true;
            for (int i = 0; i < (int)priority; i++)
                contends &= _classes[i] is not { Count: > 0 }; // else those of a lower priority give it room
            EntryQueue queue = ClassOf(priority).Decide(_entries.PieceOf(hash), weight, contends, now, out hasEvicted);
            hasEvicted = hasEvicted || TryEvictLocked(priority, queue == EntryQueue.Small ? weight : 0, sparedAddress: 0, now);
            return queue;
        }
        finally
        {
            _lock.Exit();
        }
    }

    /// <summary>Enters a new entry of the table.</summary>
    internal void Enter(ulong hash, EntryPriority priority, double weight, EntryQueue queue)
    {
        Debug.Assert((hash & ((1UL << _shardBits) - 1)) == (uint)_number, "The hash is of this shard.");
        _lock.Enter();
        try
        {
            uint piece = _entries.PieceOf(hash);
            EvictionClass entries = ClassOf(priority);
            entries.Enter(piece, weight, queue);
            long live = LiveEntries;
            if (CountLocked() > live + live / 4 + DeadAllowance)
                CheckSomeLocked();
        }
        finally
        {
            _lock.Exit();
        }
    }

    /// <summary>Enters an entry that was there before there were queues.</summary>
    internal void EnterFound(ulong hash, EntryPriority priority, bool isInMain)
    {
        _lock.Enter();
        try
        {
            ClassOf(priority).EnterFound(_entries.PieceOf(hash), isInMain);
        }
        finally
        {
            _lock.Exit();
        }
    }

    /// <summary>Evicts one entry that is worth no more than a priority, but not the one at an address.</summary>
    /// <returns><see langword="false"/> when there is none.</returns>
    internal bool TryEvict(EntryPriority most, double smallWeight, ulong sparedAddress, long now)
    {
        _lock.Enter();
        try
        {
            MakeReadyLocked();
            return TryEvictLocked(most, smallWeight, sparedAddress, now);
        }
        finally
        {
            _lock.Exit();
        }
    }

    /// <summary>Looks whether the queues are whole. Nobody else is at work.</summary>
    internal void CheckInvariants()
    {
        Invariant.Require(_lock.TryEnter(), $"Shard {_number} of the evictor is locked, and nobody is at work.");
        _lock.Exit();
        Invariant.Require(_room is { Entries: >= 1, Weight: >= 1 }, $"Shard {_number} of the evictor has room for {_room}.");
        _sketch.CheckInvariants($"Shard {_number}");
        for (int i = 0; i < ClassCount; i++)
            _classes[i]?.CheckInvariants($"Shard {_number}, priority {(EntryPriority)i}");
    }

    /// <summary>Counts what is in the queues. Nobody else may be at work.</summary>
    internal void AddTo(EvictionCensus census)
    {
        for (int i = 0; i < ClassCount; i++)
        {
            var priority = (EntryPriority)i;
            _classes[i]?.ForEach((piece, isMain) => census.Add(_number, priority, isMain, piece));
        }
    }

    /// <summary>Takes an entry out of a census.</summary>
    /// <returns>Whether its queue had it.</returns>
    internal bool TryTake(EvictionCensus census, ulong hash, EntryPriority priority, bool isMain) =>
        census.TryTake(_number, priority, isMain, _entries.PieceOf(hash));

    internal void Clear()
    {
        _lock.Enter();
        try
        {
            foreach (EvictionClass? entries in _classes)
                entries?.Clear();
            _wasFull = false;
        }
        finally
        {
            _lock.Exit();
        }
    }

    public void Dispose()
    {
        foreach (EvictionClass? entries in _classes)
            entries?.Dispose();
        _sketch.Dispose();
    }

    private bool TryEvictLocked(EntryPriority most, double smallWeight, ulong sparedAddress, long now)
    {
        for (int i = 0; i <= Math.Min((int)most, ClassCount - 1); i++)
        {
            double weight = i == (int)most ? smallWeight : 0;
            if (_classes[i] is { Count: > 0 } entries && entries.TryEvict(weight, sparedAddress, now))
                return true;
        }
        return false;
    }

    // What there is room for is known best when there is no more.
    private void MakeReadyLocked()
    {
        SetRoom(_entries.Host.Room);
        if (_room.Entries > MostGrowth * _sketch.Capacity || _room.Entries < _sketch.Capacity / MostShrinkage)
        {
            _sketch.Resize(_room.Entries);
            foreach (EvictionClass? entries in _classes)
                entries?.CountOldest(MostToldToSketch);
        }
        _wasFull = true;
    }

    private EvictionClass ClassOf(EntryPriority priority)
    {
        EvictionClass? entries = _classes[(int)priority];
        if (entries != null)
            return entries;
        _classes[(int)priority] = entries = new EvictionClass(_entries, _sketch, priority);
        entries.SetRoom(_room);
        return entries;
    }

    private long CountLocked()
    {
        long count = 0;
        foreach (EvictionClass? entries in _classes)
            count += entries?.Count ?? 0;
        return count;
    }

    // Called while more than one hash in five is of an entry that is gone: a few checks for each new entry drop about as many as come in.
    private void CheckSomeLocked()
    {
        for (int i = 0; i < ChecksAtOnce; i++)
        {
            EvictionClass? entries = LongestLocked();
            if (entries == null || entries.Count == 0)
                return;
            entries.CheckOne();
        }
    }

    private EvictionClass? LongestLocked()
    {
        EvictionClass? longest = null;
        foreach (EvictionClass? entries in _classes)
        {
            if ((entries?.Count ?? 0) > (longest?.Count ?? 0))
                longest = entries;
        }
        return longest;
    }
}
