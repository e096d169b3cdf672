using System;
using System.Collections.Generic;
using System.Threading;

namespace BigPile.Caching.Spill;

/// <summary>The keys of one stripe of a table: who moves one of them between memory and file holds the gate.</summary>
/// <remarks>
/// The gate is held while the file is read and written, and never by a thread that is inside the pile. What leaves memory is staged under
/// the lock of its bucket, so for that there is a lock of its own, held for a few instructions.
/// Lock order: gate, then a shard of the evictor, a bucket, the staged entries.
/// </remarks>
internal sealed class KeyStripe
{
    private readonly Lock _pendingLock = new();
    private readonly List<PendingDemotion> _pending = [];

    /// <summary>Held by who moves a key of the stripe, puts or removes it.</summary>
    internal Lock Lock { get; } = new();

    /// <summary>Adds an entry that has just left memory. The lock of its bucket is held.</summary>
    internal void AddLocked(PendingDemotion entry)
    {
        lock (_pendingLock)
            _pending.Add(entry);
    }

    /// <summary>Has an entry say until when it lives, if it is still staged. The lock of its bucket is held.</summary>
    internal void ExtendExpiryLocked(PendingDemotion entry, long ticks)
    {
        lock (_pendingLock)
        {
            if (_pending.Contains(entry))
                entry.ExtendExpiry(ticks);
        }
    }

    /// <summary>The newest entry of a key that waits to be written.</summary>
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

    /// <summary>Takes the entries of a key out that are below a version. Nobody will write them.</summary>
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

    /// <summary>The entries that wait to be written. The gate is held: others may come, and none goes.</summary>
    internal PendingDemotion[] Pending()
    {
        lock (_pendingLock)
            return [.. _pending];
    }

    /// <summary>Whether an entry still waits to be written.</summary>
    internal bool IsPending(PendingDemotion entry)
    {
        lock (_pendingLock)
            return _pending.Contains(entry);
    }

    /// <summary>Takes an entry out that was written, or is not to be.</summary>
    internal void Remove(PendingDemotion entry)
    {
        lock (_pendingLock)
            _ = _pending.Remove(entry);
        entry.Dispose();
    }

    /// <summary>Takes all out.</summary>
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
