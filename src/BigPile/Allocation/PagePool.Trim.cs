using System;
using System.Collections.Generic;
using System.Linq;
using BigPile.Concurrency;

namespace BigPile.Allocation;

/// <summary>Giving segments back, and the pool's part of the statistics.</summary>
internal sealed unsafe partial class PagePool
{
    // New segments start above every generation of the ones given up. A segment with a slot that was freed this often is kept instead,
    // so that one busy slot does not wear out all slots to come.
    private const uint MaxGenerationToGiveUp = PilePointer.MaxGeneration / 4;

    private long _trimAbovePages;

    /// <summary>Whether so many pages are free that a whole segment may be given back.</summary>
    internal bool WantsTrim { get; private set; }

    internal long FreePages { get; private set; }

    internal long ReservedBytes { get; private set; }

    internal long HeadBytes { get; private set; }

    internal long RecordBytes { get; private set; }

    internal long FreeBitsBytes { get; private set; }

    internal long RunPages { get; private set; }

    internal long RunCount { get; private set; }

    internal long RunPayloadBytes { get; private set; }

    private long PagesPerSegment => _map.SegmentBytes / SizeClasses.PageBytes;

    // Free pages that lie scattered can't be given back: after a trim it takes an eighth of a segment more to try again.
    private long NextTrimAbove(long freePages) => Math.Max(PagesPerSegment * 5 / 4, freePages + PagesPerSegment / 8);

    /// <summary>Takes empty segments away from allocation and from readers. One segment always stays.</summary>
    /// <returns>The segments, which must go to <see cref="Release"/> once no reader can be inside any more.</returns>
    internal List<Segment> WithdrawEmpty()
    {
        lock (_lock)
        {
            var withdrawn = new List<Segment>();
            int left = CountLocked();
            for (int i = _segmentsEnd - 1; i >= 0 && left > 1; i--)
            {
                if (_segments[i] is not { IsWithdrawn: false } segment || segment.Number != i || !segment.IsEmpty)
                    continue;
                uint generation = segment.MaxGeneration();
                if (generation > MaxGenerationToGiveUp)
                    continue;
                WithdrawLocked(segment, generation);
                withdrawn.Add(segment);
                left--;
            }
            long leftFreePages = FreePages - withdrawn.Sum(static segment => (long)segment.PageCount - segment.HeadPages);
            _trimAbovePages = NextTrimAbove(leftFreePages);
            WantsTrim = false;
            return withdrawn;
        }
    }

    /// <summary>Frees the memory of withdrawn segments, and their numbers for later ones.</summary>
    internal void Release(List<Segment> withdrawn)
    {
        foreach (Segment segment in withdrawn)
        {
            long lengthBytes = segment.Region.LengthBytes;
            long recordBytes = segment.RecordBytes;
            segment.Dispose();
            KillPoint.Pass(KillWindow.SegmentBeforeRemoved);
            _store.Remove(segment.Number);
            lock (_lock)
            {
                for (int i = 0; i < _segments.Length; i++)
                {
                    if (ReferenceEquals(_segments[i], segment))
                        _segments[i] = null;
                }
                ReservedBytes -= lengthBytes;
                HeadBytes -= (long)segment.HeadPages * SizeClasses.PageBytes;
                RecordBytes -= recordBytes;
                FreePages -= segment.PageCount - segment.HeadPages;
            }
        }
    }

    /// <summary>Holds the pool still; for a consistent look at all counters.</summary>
    internal void EnterLock() => _lock.Enter();

    internal void ExitLock() => _lock.Exit();

    internal int CountLocked()
    {
        int count = 0;
        for (int i = 0; i < _segmentsEnd; i++)
        {
            if (_segments[i] is { IsWithdrawn: false } segment && segment.Number == i)
                count++;
        }
        return count;
    }

    private void WithdrawLocked(Segment segment, uint generation)
    {
        _generationBase = Math.Max(_generationBase, generation);
        _store.Withdraw(segment.Number, _generationBase);
        segment.Withdraw();
        for (int i = segment.Number; i < _segmentsEnd; i++)
        {
            if (ReferenceEquals(_segments[i], segment))
                _map.Clear(i);
        }
    }
}
