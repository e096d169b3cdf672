using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using BigPile.Hash.Space;

namespace BigPile.Hash.Records;

/// <summary>Rooms whose records are dead and which can't be used again yet.</summary>
/// <remarks>
/// <para>
/// A record that the device has, and that was replaced or removed since, waits for the next hard synchronization: until then a power cut
/// must find it. A tombstone waits for the one behind it: what it hides is marked dead behind the first, and the device has these marks
/// behind the second. A room that could not be marked waits until it can; while there is one, no tombstone goes.
/// </para>
/// <para>Thread safety: all members may be called concurrently; <see cref="Cut"/> and what follows it by one thread at a time.</para>
/// </remarks>
internal sealed class PendingFrees(RecordFile file, bool isReused)
{
    private readonly Lock _lock = new();
    private readonly List<(int Stripe, Extent Room)> _unmarked = [];
    private List<(int Stripe, Extent Room)> _waiting = [];
    private List<(int Stripe, Extent Room)> _tombstones = [];
    private List<(int Stripe, Extent Room)> _cutWaiting = [];
    private List<(int Stripe, Extent Room)> _cutTombstones = [];
    private List<(int Stripe, Extent Room)> _oldTombstones = [];
    private long _waitingBytes;
    private long _droppedBytes;
    private volatile bool _hasUnmarked;

    /// <summary>All that waits.</summary>
    internal long WaitingBytes => Volatile.Read(ref _waitingBytes);

    /// <summary>What is dead and is not used again by this opening, since records only come behind others.</summary>
    internal long DroppedBytes => Volatile.Read(ref _droppedBytes);

    /// <summary>Whether a hard synchronization would give something free.</summary>
    internal bool HasAny
    {
        get
        {
            lock (_lock)
                return WaitingBytes != 0;
        }
    }

    internal bool HasUnmarked => _hasUnmarked;

    /// <summary>Marks a room dead, and gives it back.</summary>
    internal void MarkDeadAndFree(int stripe, Extent extent)
    {
        if (TryMark(stripe, extent))
            ReturnToAllocator(stripe, extent);
    }

    internal void DeferRecord(int stripe, Extent extent) => Defer(stripe, extent, isTombstone: false);

    internal void DeferTombstone(int stripe, Extent extent) => Defer(stripe, extent, isTombstone: true);

    /// <summary>Marks what could not be marked. Before anything else is removed it must be.</summary>
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
                Interlocked.Add(ref _waitingBytes, -extent.Bytes);
                ReturnToAllocator(stripe, extent);
            }
            _hasUnmarked = false;
        }
    }

    /// <summary>At the instant whose state a hard synchronization makes durable, while no record is changed.</summary>
    internal void Cut()
    {
        lock (_lock)
        {
            _cutWaiting.AddRange(_waiting);
            _cutTombstones.AddRange(_tombstones);
            _waiting = [];
            _tombstones = [];
        }
    }

    /// <summary>The device has the state of the cut.</summary>
    internal void Complete()
    {
        List<(int Stripe, Extent Room)> old;
        List<(int Stripe, Extent Room)> cut;
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
            Interlocked.Add(ref _waitingBytes, -extent.Bytes);
            MarkDeadAndFree(stripe, extent);
        }
    }

    /// <summary>Forgets all: the file has no rooms any more.</summary>
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
                Interlocked.Add(ref _waitingBytes, extent.Bytes); // before anybody can take it off again
            }
            return false;
        }
    }

    private void Defer(int stripe, Extent extent, bool isTombstone)
    {
        lock (_lock)
            (isTombstone ? _tombstones : _waiting).Add((stripe, extent));
        Interlocked.Add(ref _waitingBytes, extent.Bytes);
    }
}
