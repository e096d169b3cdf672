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
    private readonly Lock _stagedLock = new();
    private readonly List<StagedEntry> _staged = [];

    /// <summary>Held by who moves a key of the stripe, puts or removes it.</summary>
    internal Lock Keys { get; } = new();

    /// <summary>Adds an entry that has just left memory. The lock of its bucket is held.</summary>
    internal void AddLocked(StagedEntry entry)
    {
        lock (_stagedLock)
            _staged.Add(entry);
    }

    /// <summary>Has an entry say until when it lives, if it is still staged. The lock of its bucket is held.</summary>
    internal void PutOffExpiryLocked(StagedEntry entry, long ticks)
    {
        lock (_stagedLock)
        {
            if (_staged.Contains(entry))
                entry.PutOffExpiry(ticks);
        }
    }

    /// <summary>The newest entry of a key that waits to be written.</summary>
    internal StagedEntry? Find(ulong hash, ReadOnlySpan<byte> key)
    {
        StagedEntry? newest = null;
        lock (_stagedLock)
        {
            foreach (StagedEntry entry in _staged)
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
        lock (_stagedLock)
        {
            for (int i = _staged.Count - 1; i >= 0; i--)
            {
                StagedEntry entry = _staged[i];
                if (entry.Version >= version || !entry.IsOf(hash, key))
                    continue;
                _staged.RemoveAt(i);
                entry.Dispose();
            }
        }
    }

    /// <summary>The entries that wait to be written. The gate is held: others may come, and none goes.</summary>
    internal StagedEntry[] Staged()
    {
        lock (_stagedLock)
            return [.. _staged];
    }

    /// <summary>Whether an entry still waits to be written.</summary>
    internal bool IsStaged(StagedEntry entry)
    {
        lock (_stagedLock)
            return _staged.Contains(entry);
    }

    /// <summary>Takes an entry out that was written, or is not to be.</summary>
    internal void Remove(StagedEntry entry)
    {
        lock (_stagedLock)
            _ = _staged.Remove(entry);
        entry.Dispose();
    }

    /// <summary>Takes all out.</summary>
    internal void Clear()
    {
        lock (_stagedLock)
        {
            foreach (StagedEntry entry in _staged)
                entry.Dispose();
            _staged.Clear();
        }
    }
}
