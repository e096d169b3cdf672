using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;
using BigPile.Checking;
using BigPile.Layout;

namespace BigPile.Access;

/// <summary>The leased blocks, and which of them were freed meanwhile.</summary>
/// <remarks>
/// Not stored: after a kill no lease is left, and a freed block's header says so. Thread safety: all members may be called concurrently.
/// </remarks>
internal sealed class LeaseTable
{
    private readonly Lock _lock = new(); // innermost: nothing else is locked under it
    private readonly Dictionary<ulong, Entry> _entries = []; // by the address of the block; under _lock
    // The size of _entries; written under _lock, read without it.
    private int _blockCount;

    /// <summary>Freed blocks that wait for their last lease to end.</summary>
    internal int PendingCount { get; private set; }

    /// <summary>Blocks that are leased.</summary>
    internal int Count => Volatile.Read(ref _blockCount);

    internal bool IsAny => Volatile.Read(ref _blockCount) != 0;

    /// <summary>Whether a block is leased: its payload must not change, and its slot not be reused.</summary>
    internal bool IsLeased(ulong address)
    {
        // Without the lock: a lease is added while its block is busy, or its bucket locked. Who asks has the block to itself, or has
        // freed it, so a lease that counts was added before.
        if (!IsAny)
            return false;
        lock (_lock)
            return _entries.ContainsKey(address);
    }

    /// <summary>Adds a lease. The block, or the link that points to it, is busy; of an entry, the bucket is locked.</summary>
    internal void Add(ulong address)
    {
        lock (_lock)
        {
            _entries.TryGetValue(address, out Entry entry);
            Debug.Assert(!entry.IsFreed, "A freed block gets no new leases.");
            _entries[address] = entry with { Count = entry.Count + 1 };
            // Before the block stops being busy, or the bucket is unlocked: who frees or changes it later sees the count.
            Volatile.Write(ref _blockCount, _entries.Count);
        }
    }

    /// <summary>If a block is leased, records that it was freed; the end of its last lease then returns its slot.</summary>
    /// <returns><see langword="false"/> if it is not leased.</returns>
    internal bool TryDefer(ulong address, BlockHeader before)
    {
        if (!IsAny || Mutation.LeaseIgnored)
            return false;
        lock (_lock)
        {
            if (!_entries.TryGetValue(address, out Entry entry))
                return false;
            Debug.Assert(!entry.IsFreed && !before.IsFree, "A block is freed once, and was live before.");
            _entries[address] = entry with { IsFreed = true, Before = before };
            PendingCount++;
            return true;
        }
    }

    /// <summary>Ends a lease.</summary>
    /// <returns><see langword="true"/> if the caller must return the block's slot now.</returns>
    internal bool Remove(ulong address, out BlockHeader before)
    {
        lock (_lock)
        {
            Entry entry = _entries[address];
            Debug.Assert(entry.Count > 0, "A lease that ends was counted before.");
            before = entry.Before;
            if (entry.Count > 1)
            {
                _entries[address] = entry with { Count = entry.Count - 1 };
                return false;
            }
            _entries.Remove(address);
            Volatile.Write(ref _blockCount, _entries.Count);
            if (entry.IsFreed)
                PendingCount--;
            Debug.Assert(PendingCount >= 0, "No more blocks wait for their last lease than were freed under one.");
            return entry.IsFreed;
        }
    }

    private readonly record struct Entry(int Count, bool IsFreed, BlockHeader Before);
}
