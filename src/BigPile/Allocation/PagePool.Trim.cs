using System;
using System.Collections.Generic;

namespace BigPile.Allocation;

/// <summary>Giving segments back, and the pool's part of the statistics.</summary>
internal sealed unsafe partial class PagePool
{
    internal long FreePages => _free.Count;

    internal long ReservedBytes => _segments.ReservedBytes;

    internal long HeadBytes => _segments.HeadBytes;

    internal long RecordBytes => _segments.RecordBytes;

    internal long FreeBitsBytes => _slots.BitsBytes;

    internal long RunPages => _runs.Pages;

    internal long RunCount => _runs.Count;

    internal long RunPayloadBytes => _runs.PayloadBytes;

    /// <summary>Takes empty segments away from allocation and from readers. One segment always stays.</summary>
    /// <param name="failure">Why others could not be given back; they stay, and are used again as soon as that is safe.</param>
    /// <returns>The segments, which must go to <see cref="Release"/> once no reader can be inside any more.</returns>
    internal List<Segment> WithdrawEmpty(out Exception? failure)
    {
        lock (_lock)
            return _trim.WithdrawEmpty(out failure);
    }

    /// <summary>Frees the memory of withdrawn segments, and their numbers for later ones.</summary>
    /// <returns>Why files of some are left, which the next trim removes; <see langword="null"/> when none is.</returns>
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

    /// <summary>Holds the pool still; for a consistent look at all counters.</summary>
    internal void EnterLock() => _lock.Enter();

    internal void ExitLock() => _lock.Exit();

    internal int CountLocked() => _segments.Count();
}
