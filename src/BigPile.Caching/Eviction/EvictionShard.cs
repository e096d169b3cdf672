using System;
using BigPile.Caching.Index;
using BigPile.Concurrency;

namespace BigPile.Caching.Eviction;

/// <summary>A part of a table's evictor: its own lock, and queues for each priority that occurs.</summary>
/// <remarks>
/// Lock order: the shard's lock, then a bucket's; who holds a bucket's lock never asks for the shard's. The queues hold pieces of hashes
/// and not addresses: a replaced value leaves them as they are, and an entry is found by its bucket without a look at its block. A hash
/// whose entry is gone is dropped when its turn comes; when there are too many of those, every new entry clears a few.
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
    private int _classCount;

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
            if (ClassOf(priority).Enter(piece, Capacity))
                MarkMain(piece);
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

    /// <summary>Evicts one entry that is worth no more than a priority.</summary>
    /// <returns><see langword="false"/> when there is none.</returns>
    internal bool TryEvict(EntryPriority most)
    {
        _lock.Enter();
        try
        {
            for (int i = 0; i <= Math.Min((int)most, ClassCount - 1); i++)
            {
                if (_classes[i] is { Count: > 0 } entries && TryEvictLocked(entries, (EntryPriority)i))
                    return true;
            }
            return false;
        }
        finally
        {
            _lock.Exit();
        }
    }

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
        {
            _classes[(int)priority] = entries = new EvictionClass();
            _classCount++;
        }
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

    private bool TryEvictLocked(EvictionClass entries, EntryPriority priority)
    {
        int step = 0;
        while (entries.Count != 0)
        {
            uint piece = entries.NextCandidate(out bool isMain);
            PrefetchAhead(entries, isMain);
            bool mustGo = ++step > MaxSteps;
            Bucket* bucket = host.Index.Lock(HashOf(piece), out ulong number);
            try
            {
                if (!TryFindLocked(bucket, number, piece, isMain, priority, out Bucket* line, out int slot))
                    continue;
                int uses = line->Frequency(slot);
                if (!mustGo && uses >= (isMain ? 1 : entries.UsesToStay(Capacity)))
                {
                    line->SetFrequency(slot, isMain ? uses - 1 : 0);
                    line->SetInMain(slot, true);
                    entries.KeepInMain(piece);
                    continue;
                }
                host.EvictLocked(line, slot);
                entries.Forget(piece, isMain);
                return true;
            }
            finally
            {
                bucket->Unlock();
            }
        }
        return false;
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
        for (int slot = 0; slot < Bucket.SlotCount; slot++)
        {
            IndexSlot value = Bucket.Load(bucket, slot);
            if (IsOf(value, number, piece))
                host.Prefetch(value);
        }
    }

    // One in four lives at least, so a few checks for each new entry keep the queues within bounds.
    private void CheckSomeLocked()
    {
        for (int i = 0; i < ChecksAtOnce; i++)
        {
            EvictionClass? entries = LongestLocked(out EntryPriority priority);
            if (entries == null || entries.Count == 0)
                return;
            uint piece = entries.NextToCheck(out bool isMain);
            if (Lives(piece, isMain, priority))
                entries.Requeue(piece, isMain);
        }
    }

    private bool Lives(uint piece, bool isMain, EntryPriority priority)
    {
        Bucket* bucket = host.Index.Lock(HashOf(piece), out ulong number);
        try
        {
            return TryFindLocked(bucket, number, piece, isMain, priority, out _, out _);
        }
        finally
        {
            bucket->Unlock();
        }
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

    private void MarkMain(uint piece)
    {
        Bucket* bucket = host.Index.Lock(HashOf(piece), out ulong number);
        try
        {
            for (Bucket* line = bucket; line != null; line = host.Index.Next(line))
                MarkMainLocked(line, number, piece);
        }
        finally
        {
            bucket->Unlock();
        }
    }

    private void MarkMainLocked(Bucket* line, ulong number, uint piece)
    {
        for (int slot = 0; slot < Bucket.SlotCount; slot++)
        {
            if (IsOf(Bucket.Load(line, slot), number, piece))
                line->SetInMain(slot, true);
        }
    }

    private bool TryFindLocked(
        Bucket* bucket, ulong number, uint piece, bool isMain, EntryPriority priority, out Bucket* line, out int slot)
    {
        for (line = bucket; line != null; line = host.Index.Next(line))
        {
            for (slot = 0; slot < Bucket.SlotCount; slot++)
            {
                IndexSlot value = Bucket.Load(line, slot);
                if (IsOf(value, number, piece) && line->IsInMain(slot) == isMain
                    && (_classCount == 1 || host.PriorityLocked(value) == priority))
                {
                    return true;
                }
            }
        }
        slot = -1;
        return false;
    }

    private bool IsOf(IndexSlot slot, ulong bucket, uint piece) => !slot.IsEmpty && PieceOf(slot.KnownHash(bucket)) == piece;

    // Of bits that no slot knows, none must tell two pieces apart.
    private uint PieceOf(ulong hash) => (uint)((hash & IndexSlot.KnownHashMask) >> shardBits);

    private ulong HashOf(uint piece) => ((ulong)piece << shardBits) | (uint)number;
}
