using System;
using System.Collections.Generic;

namespace BigPile.Allocation;

/// <summary>Trimming segments, and the pool's part of the statistics.</summary>
internal sealed unsafe partial class PagePool
{
    internal long FreePages => _free.Count;

    /// <summary>The pool's free pages; of these only the wish for a trim is read without the lock.</summary>
    internal FreePages Free => _free;

    internal long ReservedBytes => _segments.ReservedBytes;

    internal long HeadBytes => _segments.HeadBytes;

    internal long RecordBytes => _segments.RecordBytes;

    internal long FreeBitsBytes => _slots.BitsBytes;

    internal long RunPages => _runs.Pages;

    internal long RunCount => _runs.Count;

    internal long RunPayloadBytes => _runs.PayloadBytes;

    /// <summary>Removes empty segments from allocation and from the map. One segment always stays.</summary>
    /// <param name="keepsSome">Whether so much stays free that the next segment is not made soon.</param>
    /// <param name="failure">Why other segments could not be withdrawn; they stay, and are used again as soon as that is safe.</param>
    /// <returns>The segments, which the caller passes to <see cref="Release"/> after quiescence.</returns>
    internal List<Segment> WithdrawEmpty(bool keepsSome, out Exception? failure)
    {
        lock (_growth.Growing)
            return _trim.WithdrawEmpty(keepsSome, out failure);
    }

    /// <summary>Frees the memory of withdrawn segments, and then their numbers.</summary>
    /// <returns>Why some files could not be removed; the next trim removes them. <see langword="null"/> when all were.</returns>
    internal Exception? Release(List<Segment> withdrawn)
    {
        Exception? failure = null;
        foreach (Segment segment in withdrawn)
        {
            failure = _trim.Destroy(segment) ?? failure;
            lock (_lock)
                _trim.Forget(segment);
        }
        return failure;
    }

    /// <summary>Takes the pool's lock, for a consistent view of all counters.</summary>
    internal void EnterLock() => _lock.Enter();

    internal void ExitLock() => _lock.Exit();

    internal int CountLocked() => _segments.Count();
}
