using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Threading;
using BigPile.Hash.Format;
using BigPile.Hash.Space;
using BigPile.Memory.Checking;

namespace BigPile.Hash.Records;

/// <summary>Extents of dead records that must not be reused yet.</summary>
/// <remarks>
/// <para>
/// A durable record that was replaced or removed waits for the next hard synchronization: until then a recovery after a power cut must find
/// it. A tombstone waits for two: after the first, the records that it hides are marked dead; after the second, these marks are durable. An
/// extent whose mark could not be written waits until it can be; while there is one, no tombstone is freed.
/// </para>
/// <para>
/// Thread safety: all members may be called concurrently; <see cref="Cut"/> and <see cref="Complete"/> by one thread at a time.
/// </para>
/// </remarks>
internal sealed class PendingFrees(RecordFile file, bool isReused)
{
    private readonly Lock _lock = new();
    // Dead extents whose mark could not be written. All lists are guarded by _lock; each entry has the stripe whose shard gets the extent.
    private readonly List<(int Stripe, Extent Extent)> _unmarked = [];
    // Durable dead records since the last cut.
    private List<(int Stripe, Extent Extent)> _waiting = [];
    // Tombstones since the last cut.
    private List<(int Stripe, Extent Extent)> _tombstones = [];
    // The same before the cut, whose synchronization has not completed.
    private List<(int Stripe, Extent Extent)> _cutWaiting = [];
    private List<(int Stripe, Extent Extent)> _cutTombstones = [];
    // Tombstones that one synchronization has covered: free after the next.
    private List<(int Stripe, Extent Extent)> _oldTombstones = [];
    private long _waitingBytes;
    private long _droppedBytes;
    // Whether _unmarked has entries. Read without the lock before every change.
    private volatile bool _hasUnmarked;

    /// <summary>The bytes of all pending frees.</summary>
    internal long WaitingBytes => Volatile.Read(ref _waitingBytes);

    /// <summary>The bytes of dead extents that this opening never reuses, since the update mode only appends.</summary>
    internal long DroppedBytes => Volatile.Read(ref _droppedBytes);

    /// <summary>Whether a hard synchronization would free something.</summary>
    internal bool HasAny
    {
        get
        {
            lock (_lock)
                return WaitingBytes != 0;
        }
    }

    internal bool HasUnmarked => _hasUnmarked;

    internal void MarkDeadAndFree(int stripe, Extent extent)
    {
        if (TryMark(stripe, extent))
            ReturnToAllocator(stripe, extent);
    }

    internal void DeferRecord(int stripe, Extent extent) => Defer(stripe, extent, isTombstone: false);

    internal void DeferTombstone(int stripe, Extent extent) => Defer(stripe, extent, isTombstone: true);

    /// <summary>Retries the dead marks that failed. This must succeed before anything else is removed.</summary>
    /// <exception cref="IOException">The device still fails.</exception>
    internal void RetryMarks()
    {
        lock (_lock)
        {
            while (_unmarked.Count > 0)
            {
                (int stripe, Extent extent) = _unmarked[^1];
                file.MarkDead(extent);
                _unmarked.RemoveAt(_unmarked.Count - 1);
                Subtract(extent);
                ReturnToAllocator(stripe, extent);
            }
            _hasUnmarked = false;
        }
    }

    /// <summary>
    /// Moves the pending frees into the cut. Runs at the instant whose state a hard synchronization makes durable, while no record is
    /// changed.
    /// </summary>
    internal void Cut()
    {
        lock (_lock)
        {
            _cutWaiting.AddRange(_waiting);
            _cutTombstones.AddRange(_tombstones);
            Debug.Assert(_hasUnmarked == (_unmarked.Count > 0), "Whoever reads without the lock knows of marks that failed.");
            _waiting = [];
            _tombstones = [];
        }
    }

    /// <summary>Frees what the cut had pending: the state of the cut is durable.</summary>
    internal void Complete()
    {
        List<(int Stripe, Extent Extent)> old;
        List<(int Stripe, Extent Extent)> cut;
        lock (_lock)
        {
            old = _hasUnmarked ? [] : _oldTombstones;
            _oldTombstones = _hasUnmarked ? [.. _oldTombstones, .. _cutTombstones] : _cutTombstones;
            cut = _cutWaiting;
            _cutTombstones = [];
            _cutWaiting = [];
        }
        foreach ((int stripe, Extent extent) in old.Concat(cut))
        {
            Subtract(extent);
            MarkDeadAndFree(stripe, extent);
        }
    }

    /// <summary>Forgets all pending frees: the file has no extents any more.</summary>
    internal void Reset()
    {
        lock (_lock)
        {
            _unmarked.Clear();
            _waiting = [];
            _tombstones = [];
            _cutWaiting = [];
            _cutTombstones = [];
            _oldTombstones = [];
            _hasUnmarked = false;
            (_waitingBytes, _droppedBytes) = (0, 0);
        }
    }

    /// <summary>
    /// Checks that each extent holds what it waits for, and is counted, and adds it to a list; for tests, while nothing changes.
    /// </summary>
    /// <exception cref="InvalidOperationException">It is not so.</exception>
    internal void CheckInvariants(long syncedSequence, List<Extent> used)
    {
        const string Structure = "PendingFrees";
        lock (_lock)
        {
            int before = used.Count;
            Invariant.Equal(Structure, 0, "whether marks have failed", _hasUnmarked, _unmarked.Count > 0);
            foreach ((_, Extent extent) in _unmarked)
                used.Add(extent);
            foreach ((_, Extent extent) in _waiting.Concat(_cutWaiting))
                Invariant.Between(Structure, extent.Offset, "sequence of a record", Check(extent, isTombstone: false), 1, syncedSequence);
            foreach ((_, Extent extent) in _tombstones.Concat(_cutTombstones))
                Invariant.Between(Structure, extent.Offset, "sequence", Check(extent, isTombstone: true), 1, RecordHead.MaxSequence);
            foreach ((_, Extent extent) in _oldTombstones)
                Invariant.Between(Structure, extent.Offset, "sequence of old", Check(extent, isTombstone: true), 1, syncedSequence);
            Invariant.Equal(Structure, 0, "bytes", used.Skip(before).Sum(static extent => extent.Bytes), WaitingBytes);
        }

        long Check(Extent extent, bool isTombstone)
        {
            RecordHead head = file.CheckHead(extent);
            Invariant.Equal(Structure, extent.Offset, "whether it is a tombstone", head.Word.Kind == ExtentKind.Tombstone, isTombstone);
            Invariant.True(Structure, extent.Offset, "whether it is live or a tombstone", isTombstone || head.Word.IsLive);
            used.Add(extent);
            return head.Sequence;
        }
    }

    private void Subtract(Extent extent)
    {
        long left = Interlocked.Add(ref _waitingBytes, -extent.Bytes);
        Debug.Assert(left >= 0, "The bytes of each pending free were added before.");
    }

    private void ReturnToAllocator(int stripe, Extent extent)
    {
        if (isReused)
            file.Extents.Free(stripe, extent);
        else
            Interlocked.Add(ref _droppedBytes, extent.Bytes);
    }

    private bool TryMark(int stripe, Extent extent)
    {
        try
        {
            file.MarkDead(extent);
            return true;
        }
        catch (IOException)
        {
            lock (_lock)
            {
                _unmarked.Add((stripe, extent));
                _hasUnmarked = true;
                Interlocked.Add(ref _waitingBytes, extent.Bytes); // before RetryMarks can subtract it
            }
            return false;
        }
    }

    private void Defer(int stripe, Extent extent, bool isTombstone)
    {
        Debug.Assert((uint)stripe < SeqLockStripes.Count, "The stripe selects the shard that gets the extent.");
        Debug.Assert(extent.Bytes >= RecordHead.Bytes, "What waits has held a record or a tombstone.");
        lock (_lock)
            (isTombstone ? _tombstones : _waiting).Add((stripe, extent));
        Interlocked.Add(ref _waitingBytes, extent.Bytes);
    }
}
