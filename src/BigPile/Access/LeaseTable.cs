using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;
using BigPile.Concurrency;
using BigPile.Layout;

namespace BigPile.Access;

/// <summary>Which blocks are looked at from outside, and which of them were freed meanwhile.</summary>
/// <remarks>
/// A block is entered while it is busy, so whoever frees or changes it afterwards finds it here: the count is raised before the header
/// stops being busy, and read after the header was swapped. While nobody leases, that is one load.
/// Nothing of this is in the file: after a kill no lease is left, and a freed block's header says so.
/// </remarks>
internal sealed class LeaseTable
{
    private readonly Lock _lock = new();
    private readonly Dictionary<ulong, Entry> _entries = [];
    private int _blockCount;

    /// <summary>Blocks that were freed and wait for their last lease.</summary>
    internal int PendingCount { get; private set; }

    /// <summary>Blocks that are leased.</summary>
    internal int Count => Volatile.Read(ref _blockCount);

    /// <summary>Whether any block is leased.</summary>
    internal bool IsAny => Volatile.Read(ref _blockCount) != 0;

    /// <summary>Whether a block is leased: its payload must not change, and its room not be used again.</summary>
    internal bool IsLeased(ulong address)
    {
        if (!IsAny)
            return false;
        lock (_lock)
            return _entries.ContainsKey(address);
    }

    /// <summary>Enters a lease. The block, or the link that leads to it, is busy.</summary>
    internal void Add(ulong address)
    {
        lock (_lock)
        {
            _entries.TryGetValue(address, out Entry entry);
            Debug.Assert(!entry.IsFreed, "What was freed is leased to nobody any more.");
            _entries[address] = entry with { Count = entry.Count + 1 };
            Volatile.Write(ref _blockCount, _entries.Count);
        }
    }

    /// <summary>Notes that a block was freed, if it is leased; the last lease will then give its room back.</summary>
    /// <returns><see langword="false"/> when nobody leases it.</returns>
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
    /// <returns><see langword="true"/> when the caller must give back the block's room now.</returns>
    internal bool Remove(ulong address, out BlockHeader before)
    {
        lock (_lock)
        {
            Entry entry = _entries[address];
            Debug.Assert(entry.Count > 0, "A lease that ends was counted.");
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
