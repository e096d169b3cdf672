using System;
using System.Collections.Generic;
using System.Threading;

namespace BigPile.Caching.Spill;

/// <summary>One stripe of a table's keys: its lock is held by a thread that moves one of them between memory and file.</summary>
/// <remarks>
/// The stripe lock is held during file access. So it is never waited for in a critical region, which would wait for the file; its holder
/// may enter one, and touches no file there.
/// Lock order: stripe, evictor shard, bucket, pending demotions.
/// </remarks>
internal sealed class KeyStripe
{
    // Eviction runs in a critical region, under a bucket's lock, and can't wait for the stripe lock. So this one is apart, and held for a
    // few instructions.
    private readonly Lock _pendingLock = new();

    /// <summary>Evicted entries that the file does not have yet. Guarded by <see cref="_pendingLock"/>.</summary>
    private readonly List<PendingDemotion> _pending = [];

    /// <summary>Held while a key of the stripe is moved, put or removed.</summary>
    internal Lock Lock { get; } = new();

    /// <summary>Takes the lock. Without waiting, a caller may hold that of another stripe; its own one is not taken twice.</summary>
    internal bool TryEnter(bool waits)
    {
        if (!waits)
            return !Lock.IsHeldByCurrentThread && Lock.TryEnter();
        Lock.Enter();
        return true;
    }

    /// <summary>Adds an entry that has just been evicted. The bucket's lock is held.</summary>
    internal void AddLocked(PendingDemotion entry)
    {
        lock (_pendingLock)
            _pending.Add(entry);
    }

    /// <summary>Extends the expiry of an entry that is still pending. The bucket's lock is held.</summary>
    internal void ExtendExpiryLocked(PendingDemotion entry, long ticks)
    {
        lock (_pendingLock)
        {
            // Else it was promoted or removed meanwhile, and its bytes went back to the pool.
            if (_pending.Contains(entry))
                entry.ExtendExpiry(ticks);
        }
    }

    /// <summary>The newest pending entry of a key.</summary>
    internal PendingDemotion? Find(ulong hash, ReadOnlySpan<byte> key)
    {
        PendingDemotion? newest = null;
        lock (_pendingLock)
        {
            foreach (PendingDemotion entry in _pending)
            {
                if (entry.IsOf(hash, key) && (newest == null || entry.Version > newest.Version))
                    newest = entry;
            }
        }
        return newest;
    }

    /// <summary>Removes the pending entries of a key below a version: they are not written.</summary>
    internal void RemoveBelow(ulong hash, ReadOnlySpan<byte> key, ulong version)
    {
        lock (_pendingLock)
        {
            for (int i = _pending.Count - 1; i >= 0; i--)
            {
                PendingDemotion entry = _pending[i];
                if (entry.Version >= version || !entry.IsOf(hash, key))
                    continue;
                _pending.RemoveAt(i);
                entry.Dispose();
            }
        }
    }

    /// <summary>The pending entries. The stripe lock is held: others may be added, none removed.</summary>
    internal PendingDemotion[] Pending()
    {
        lock (_pendingLock)
            return [.. _pending]; // a copy: the visitor removes some
    }

    internal bool IsPending(PendingDemotion entry)
    {
        lock (_pendingLock)
            return _pending.Contains(entry);
    }

    /// <summary>Removes an entry that was written, or will not be.</summary>
    internal void Remove(PendingDemotion entry)
    {
        lock (_pendingLock)
            _ = _pending.Remove(entry);
        entry.Dispose(); // in the list no more, so no thread finds it
    }

    /// <summary>Removes all pending entries.</summary>
    internal void Clear()
    {
        lock (_pendingLock)
        {
            foreach (PendingDemotion entry in _pending)
                entry.Dispose();
            _pending.Clear();
        }
    }
}
