using System;
using System.Diagnostics;
using BigPile.Caching.Index;
using BigPile.Checking;
using BigPile.Concurrency;
using BigPile.Memory;

namespace BigPile.Caching.Eviction;

/// <summary>A part of a table's evictor: its own lock, and queues for each priority that occurs.</summary>
/// <remarks>
/// Lock order: the shard's lock, then a bucket's; who holds a bucket's lock never asks for the shard's. The queues hold pieces of hashes
/// and not addresses: a replaced value leaves them as they are, and an entry is found by its bucket without a look at its block. A hash
/// whose entry is gone is dropped when its turn comes; when there are too many of those, every new entry clears a few. So every entry must
/// have a hash in the queue that its priority and its mark in the index say, or nothing ever finds it: who changes one of them enters it.
/// </remarks>
internal sealed unsafe class EvictionShard(IEvictionHost host, int number, int shardBits) : CacheLineIsolated, IDisposable
{
    private const int ClassCount = (int)EntryPriority.High + 1;
    private const int MaxSteps = 128;
    private const int ChecksAtOnce = 4;
    private const int DeadAllowance = 64;
    private const int BucketsAhead = 8;
    private const int BlocksAhead = 4;

    private readonly EvictionClass?[] _classes = new EvictionClass?[ClassCount];
    private SpinGate _lock;

    /// <summary>The entries that there is room for in this shard.</summary>
    internal long Capacity { get; set; } = 1;

    internal long SizeBytes
    {
        get
        {
            long sum = 0;
            foreach (EvictionClass? entries in _classes)
                sum += entries?.SizeBytes ?? 0;
            return sum;
        }
    }

    /// <summary>Brings what is needed to enter a hash towards the processor. Takes no lock.</summary>
    internal void Prefetch(ulong hash, EntryPriority priority) => _classes[(int)priority]?.PrefetchGhost(PieceOf(hash));

    /// <summary>Enters a new entry of the table.</summary>
    internal void Enter(ulong hash, EntryPriority priority, long liveEntries)
    {
        _lock.Enter();
        try
        {
            uint piece = PieceOf(hash);
            Debug.Assert((hash & ((1UL << shardBits) - 1)) == (uint)number, "The hash is of this shard.");
            if (ClassOf(priority).Enter(piece, Capacity))
                MarkMain(new Wanted(piece, IsMain: false, priority));
            if (CountLocked() > liveEntries + liveEntries / 4 + DeadAllowance)
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
            ClassOf(priority).EnterFound(PieceOf(hash), isInMain);
        }
        finally
        {
            _lock.Exit();
        }
    }

    /// <summary>Evicts one entry that is worth no more than a priority, but not the one at an address.</summary>
    /// <returns><see langword="false"/> when there is none.</returns>
    internal bool TryEvict(EntryPriority most, ulong sparedAddress, long now)
    {
        _lock.Enter();
        try
        {
            for (int i = 0; i <= Math.Min((int)most, ClassCount - 1); i++)
            {
                if (_classes[i] is { Count: > 0 } entries && TryEvictLocked(entries, (EntryPriority)i, sparedAddress, now))
                    return true;
            }
            return false;
        }
        finally
        {
            _lock.Exit();
        }
    }

    /// <summary>Looks whether the queues are whole. Nobody else is at work.</summary>
    internal void CheckInvariants()
    {
        Invariant.Require(_lock.TryEnter(), $"Shard {number} of the evictor is locked, and nobody is at work.");
        _lock.Exit();
        Invariant.Require(Capacity >= 1, $"Shard {number} of the evictor has room for {Capacity} entries.");
        for (int i = 0; i < ClassCount; i++)
            _classes[i]?.CheckInvariants($"Shard {number}, priority {(EntryPriority)i}");
    }

    /// <summary>Counts what is in the queues. Nobody else may be at work.</summary>
    internal void AddTo(EvictionCensus census)
    {
        for (int i = 0; i < ClassCount; i++)
        {
            var priority = (EntryPriority)i;
            _classes[i]?.ForEach((piece, isMain) => census.Add(number, priority, isMain, piece));
        }
    }

    /// <summary>Takes an entry out of a census.</summary>
    /// <returns>Whether its queue had it.</returns>
    internal bool TryTake(EvictionCensus census, ulong hash, EntryPriority priority, bool isMain) =>
        census.TryTake(number, priority, isMain, PieceOf(hash));

    internal void Clear()
    {
        _lock.Enter();
        try
        {
            foreach (EvictionClass? entries in _classes)
                entries?.Clear();
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
    }

    private EvictionClass ClassOf(EntryPriority priority)
    {
        EvictionClass? entries = _classes[(int)priority];
        if (entries == null)
            _classes[(int)priority] = entries = new EvictionClass();
        Debug.Assert(Capacity >= 1, "There is room for an entry.");
        entries.SetCapacity(Capacity);
        return entries;
    }

    private long CountLocked()
    {
        long count = 0;
        foreach (EvictionClass? entries in _classes)
            count += entries?.Count ?? 0;
        return count;
    }

    // The spared entry's piece goes back at the end only: at once, it would be the next candidate of a short queue again and again.
    private bool TryEvictLocked(EvictionClass entries, EntryPriority priority, ulong sparedAddress, long now)
    {
        Wanted? held = null;
        bool isEvicted = false;
        for (int step = 1; !isEvicted && entries.Count != 0; step++)
        {
            uint piece = entries.NextCandidate(out bool isMain);
            PrefetchAhead(entries, isMain);
            isEvicted = TryEvictLocked(entries, new Wanted(piece, isMain, priority), mustGo: step > MaxSteps, sparedAddress, now, ref held);
        }
        if (held is { } spared)
            entries.Requeue(spared.Piece, spared.IsMain);
        return isEvicted;
    }

    private bool TryEvictLocked(EvictionClass entries, Wanted wanted, bool mustGo, ulong sparedAddress, long now, ref Wanted? held)
    {
        using LockedBucket bucket = host.Index.Lock(HashOf(wanted.Piece));
        if (!TryFindLocked(bucket, wanted, sparedAddress, out SlotPlace place))
        {
            if (sparedAddress != 0 && TryFindLocked(bucket, wanted, sparedAddress: 0, out _))
                held = wanted;
            return false;
        }
        int uses = place.Line->Frequency(place.Slot);
        if (!mustGo && uses >= (wanted.IsMain ? 1 : entries.UsesToStay(Capacity)))
        {
            place.Line->SetFrequency(place.Slot, wanted.IsMain ? uses - 1 : 0);
            place.Line->SetInMain(place.Slot, true);
            entries.KeepInMain(wanted.Piece);
            return false;
        }
        host.EvictLocked(place, now);
        Debug.Assert(place.Value.IsEmpty, "What was evicted has left the index.");
        entries.Forget(wanted.Piece, wanted.IsMain);
        return true;
    }

    // Each eviction touches a bucket, the block that it leads to, and a ghost: all of them far from those of the one before.
    private void PrefetchAhead(EvictionClass entries, bool isMain)
    {
        if (entries.TryPeek(isMain, BucketsAhead, out uint far))
        {
            host.Index.Prefetch(HashOf(far));
            entries.PrefetchGhost(far);
        }
        if (entries.TryPeek(isMain, BlocksAhead, out uint near))
            PrefetchBlock(near);
    }

    // The bucket may be changing: an address that is wrong by now is a line read in vain.
    private void PrefetchBlock(uint piece)
    {
        Bucket* bucket = host.Index.Peek(HashOf(piece), out ulong number);
        foreach (SlotPlace place in Bucket.SlotsOf(bucket))
        {
            if (IsOf(place.Value, number, piece))
                host.Prefetch(place.Value);
        }
    }

    // Called while more than one hash in five is of an entry that is gone: a few checks for each new entry drop about as many as come in.
    private void CheckSomeLocked()
    {
        for (int i = 0; i < ChecksAtOnce; i++)
        {
            EvictionClass? entries = LongestLocked(out EntryPriority priority);
            if (entries == null || entries.Count == 0)
                return;
            uint piece = entries.NextToCheck(out bool isMain);
            if (Lives(new Wanted(piece, isMain, priority)))
                entries.Requeue(piece, isMain);
        }
    }

    private bool Lives(Wanted wanted)
    {
        using LockedBucket bucket = host.Index.Lock(HashOf(wanted.Piece));
        return TryFindLocked(bucket, wanted, sparedAddress: 0, out _);
    }

    private EvictionClass? LongestLocked(out EntryPriority priority)
    {
        int longest = 0;
        for (int i = 1; i < ClassCount; i++)
        {
            if ((_classes[i]?.Count ?? 0) > (_classes[longest]?.Count ?? 0))
                longest = i;
        }
        priority = (EntryPriority)longest;
        return _classes[longest];
    }

    // Marks one entry only: another one with the same piece of its hash has a place of its own, and that may be in the small queue.
    private void MarkMain(Wanted wanted)
    {
        using LockedBucket bucket = host.Index.Lock(HashOf(wanted.Piece));
        if (TryFindLocked(bucket, wanted, sparedAddress: 0, out SlotPlace place))
            place.Line->SetInMain(place.Slot, true);
    }

    private bool TryFindLocked(in LockedBucket bucket, Wanted wanted, ulong sparedAddress, out SlotPlace place)
    {
        foreach (SlotPlace one in bucket.Slots)
        {
            IndexSlot value = one.Value;
            if (IsOf(value, bucket.Number, wanted.Piece) && one.Line->IsInMain(one.Slot) == wanted.IsMain
                && value.Address != sparedAddress && host.MayHavePriorityLocked(one, wanted.Priority))
            {
                place = one;
                return true;
            }
        }
        place = default;
        return false;
    }

    private bool IsOf(IndexSlot slot, ulong bucket, uint piece) => !slot.IsEmpty && PieceOf(slot.KnownHash(bucket)) == piece;

    // Without the bits of the hash that slots leave out: a slot must give the same piece as the whole hash.
    private uint PieceOf(ulong hash) => (uint)((hash & IndexSlot.KnownHashMask) >> shardBits);

    private ulong HashOf(uint piece) => ((ulong)piece << shardBits) | (uint)number;

    /// <summary>An entry as its queue knows it.</summary>
    private readonly record struct Wanted(uint Piece, bool IsMain, EntryPriority Priority);
}
