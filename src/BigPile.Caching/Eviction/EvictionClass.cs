using System;
using System.Diagnostics;
using BigPile.Checking;

namespace BigPile.Caching.Eviction;

/// <summary>
/// The queues of the entries of one priority: S3-FIFO (Yang and others, SOSP 2023) whose small queue finds its size by itself.
/// </summary>
/// <remarks>
/// A new entry goes to the small queue; one that was evicted lately goes to the main queue. A hit counts up to three in the index, and
/// moves nothing. When room is needed: while the small queue has its target size or more, its oldest entry goes, to the main queue if it
/// was used, else for good; otherwise the oldest of the main queue goes, back in with one use less if it was used. The target starts at a
/// tenth of the capacity. That an entry is missed which the small queue let go says that the queue is too short, and one which the main
/// queue let go that it is too long: each moves the target a little. An access pattern that favours recency thus comes near to plain
/// queues of one use, and a scan passes through a short one. The number of steps for one eviction is bounded.
/// Thread safety: none; the owner has a lock.
/// </remarks>
internal sealed class EvictionClass : IDisposable
{
    private const int TargetStep = 3;
    private const double InitialShare = 0.1;
    private const double MinShare = 0.05;
    private const double MaxShare = 0.5;
    private const double ShareWhereOneUseCounts = 0.3;

    private readonly HashQueue _small = new();
    private readonly HashQueue _main = new();
    private readonly GhostList _ghosts = new();
    private double _target;

    /// <summary>The hashes in both queues; some may be of entries that are gone.</summary>
    internal long Count => _small.Count + _main.Count;

    internal long SizeBytes => _small.SizeBytes + _main.SizeBytes + _ghosts.SizeBytes;

    /// <summary>Sets the number of entries that there is room for.</summary>
    internal void SetCapacity(long capacity)
    {
        bool isNew = _ghosts.Capacity == 0;
        if (!isNew && capacity <= _ghosts.Capacity && capacity >= _ghosts.Capacity / 4)
            return;
        _ghosts.Resize(capacity);
        _target = isNew ? capacity * InitialShare : _target;
    }

    /// <summary>Enters a new entry.</summary>
    /// <returns>Whether it is in the main queue.</returns>
    internal bool Enter(uint hash, long capacity)
    {
        Debug.Assert(capacity >= 1, "The share of no room is no target.");
        GhostKind ghost = _ghosts.Take(hash);
        if (ghost == GhostKind.None)
        {
            _small.Push(hash);
            return false;
        }
        double change = ghost == GhostKind.Small ? TargetStep : -TargetStep;
        _target = Math.Clamp(_target + change, capacity * MinShare, capacity * MaxShare);
        _main.Push(hash);
        return true;
    }

    /// <summary>Enters an entry that was there before there were queues.</summary>
    internal void EnterFound(uint hash, bool isInMain) => (isInMain ? _main : _small).Push(hash);

    /// <summary>Takes the next candidate. There must be one.</summary>
    /// <param name="isMain">From which queue it is.</param>
    internal uint NextCandidate(out bool isMain)
    {
        Debug.Assert(Count != 0, "There is a candidate.");
        isMain = _small.Count == 0 || (_small.Count < _target && _main.Count != 0);
        return (isMain ? _main : _small).Pop();
    }

    /// <summary>A hash that will be a candidate after some others of its queue, if it is near in memory.</summary>
    internal bool TryPeek(bool isMain, int ahead, out uint hash) => (isMain ? _main : _small).TryPeek(ahead, out hash);

    /// <summary>Brings what is remembered of a hash towards the processor. May run without the owner's lock.</summary>
    internal void PrefetchGhost(uint hash) => _ghosts.Prefetch(hash);

    /// <summary>How many uses let a candidate of the small queue stay.</summary>
    internal int UsesToStay(long capacity) => _target < capacity * ShareWhereOneUseCounts ? 2 : 1;

    /// <summary>Puts a candidate behind all others of the main queue.</summary>
    internal void KeepInMain(uint hash) => _main.Push(hash);

    /// <summary>Puts a candidate back where it was taken, at the other end.</summary>
    internal void Requeue(uint hash, bool isMain) => (isMain ? _main : _small).Push(hash);

    /// <summary>Remembers a candidate that was evicted.</summary>
    internal void Forget(uint hash, bool isMain) => _ghosts.Add(hash, isMain ? GhostKind.Main : GhostKind.Small, Count);

    /// <summary>Takes the oldest hash of the longer queue, to see whether its entry is still there.</summary>
    internal uint NextToCheck(out bool isMain)
    {
        Debug.Assert(Count != 0, "There is a hash to check.");
        isMain = _main.Count > _small.Count;
        return (isMain ? _main : _small).Pop();
    }

    /// <summary>Looks whether the queues and what is remembered are whole.</summary>
    internal void CheckInvariants(string place)
    {
        _small.CheckInvariants(place + ", small queue");
        _main.CheckInvariants(place + ", main queue");
        _ghosts.CheckInvariants(place);
        Invariant.Require(_target >= 0, $"{place}: the small queue is to have {_target} entries.");
    }

    /// <summary>Tells all hashes, and whether they are in the main queue.</summary>
    internal void ForEach(Action<uint, bool> visit)
    {
        _small.ForEach(hash => visit(hash, false));
        _main.ForEach(hash => visit(hash, true));
    }

    internal void Clear()
    {
        _small.Clear();
        _main.Clear();
    }

    public void Dispose()
    {
        _small.Dispose();
        _main.Dispose();
        _ghosts.Dispose();
    }
}
