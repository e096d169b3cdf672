using System;
using System.Diagnostics;
using System.IO;
using System.Threading;
using BigPile.Checking;
using BigPile.Layout;
using BigPile.Memory;
using BigPile.Memory.Checking;

namespace BigPile.Allocation;

/// <summary>Adds segments from the store: when no page is free. One is made ahead of that in the background, and kept as a spare.</summary>
/// <remarks>
/// Making a segment takes as long as the disk does. So it is made with the growth lock held, and not the pool's: only who finds no free
/// page waits for it. The store lists the spare; its pages are none of the pool's, and it goes with the first trim on command, or in the
/// background once much is free, or when the pile is closed. Thread safety: the growth lock, or what is stated.
/// </remarks>
internal sealed unsafe class SegmentGrowth(
    SegmentSource source, SegmentTable segments, FreePages free, SegmentGenerations generations, bool tracksFlushed, Lock poolLock)
{
    private const int AheadShare = 4; // of a segment's pages: so few are free when the next one is made
    private const int PauseMs = 10_000; // after a failure, until the next one is made ahead
    private const long Never = long.MinValue; // as an instant

    private static readonly TimeSpan KeptAfterGrowth = TimeSpan.FromSeconds(5); // emptied segments are; objects come and go in bursts

    private Segment? _spare; // made, and not used yet; written under the growth lock
    private bool _isSpareWanted; // one was requested, and is not there yet; under the pool's lock
    private long _noneAheadBefore; // the tick count; under the pool's lock
    private bool _isOver; // under the growth lock
    private long _grownAt = Never; // the instant by Time when a segment was made or put to use; written under the growth lock

    /// <summary>Held while segments are added or withdrawn; taken before the pool's lock.</summary>
    internal Lock Growing { get; } = new();

    /// <summary>The clock; set before the pile is used.</summary>
    internal TimeProvider Time { get; set; } = TimeProvider.System;

    /// <summary>
    /// How long no emptied segment is given back yet without a call for it; not above zero when it may go. Otherwise objects that come and
    /// go around the end of a segment would have it made and removed each time.
    /// </summary>
    internal TimeSpan KeepsFor
    {
        get
        {
            long at = Volatile.Read(ref _grownAt);
            TimeSpan elapsed = at == Never ? KeptAfterGrowth : Time.GetElapsedTime(at);
            return elapsed < TimeSpan.Zero ? TimeSpan.Zero : KeptAfterGrowth - elapsed; // below zero: the application's clock went back
        }
    }

    /// <summary>Has the background call <see cref="MakeSpare"/>; null: no segment is made ahead.</summary>
    internal Action? SpareWanted { get; set; }

    /// <summary>Whether there is a spare. For tests.</summary>
    internal bool HasSpare => Volatile.Read(ref _spare) != null;

    /// <summary>Why the last attempt failed, if the store threw.</summary>
    internal Exception? Failure { get; private set; }

    /// <summary>Requests a spare while there are still some free pages. The caller holds the pool's lock.</summary>
    /// <param name="mostBytes">The bytes that the pool may grow by.</param>
    internal void RequestSpare(long mostBytes)
    {
        Debug.Assert(poolLock.IsHeldByCurrentThread, "The pool's lock is needed.");
        if (_isSpareWanted || SpareWanted == null || HasSpare || !IsSpareUseful(mostBytes) || Environment.TickCount64 < _noneAheadBefore)
            return;
        _isSpareWanted = true;
        SpareWanted();
    }

    /// <summary>Makes the spare that was requested. A failure says nothing: who needs the segment tries again.</summary>
    /// <param name="growableBytes">The bytes that the pool may grow by.</param>
    internal void MakeSpare(Func<long> growableBytes)
    {
        bool hasFailed = true;
        try
        {
            lock (Growing)
            {
                long mostBytes = growableBytes();
                bool isUseful;
                lock (poolLock)
                    isUseful = IsSpareUseful(mostBytes); // much may have been freed since it was requested
                Segment? made = isUseful && _spare == null ? TryMake(pages: 1, mostBytes) : null;
                made?.Touch(0, Math.Min(made.HeadPages + TouchAhead.LeastPages, made.AllocatedPages));
                if (made != null)
                {
                    Volatile.Write(ref _spare, made);
                    RecordGrowth();
                }
                hasFailed = isUseful && _spare == null;
            }
        }
        finally
        {
            lock (poolLock)
            {
                _isSpareWanted = false;
                if (hasFailed)
                    _noneAheadBefore = Environment.TickCount64 + PauseMs;
            }
        }
    }

    private long SpareBelowPages => segments.PagesPerNumber / AheadShare;

    private bool IsSpareUseful(long mostBytes) =>
        mostBytes >= source.Map.SegmentBytes && free.Count < SpareBelowPages;

    /// <summary>Gives the spare back, if there is one, and so much is free that it is of no use for long.</summary>
    /// <param name="withdrawnPages">The pages that are still counted as free, and about to be unmapped.</param>
    /// <returns>As <see cref="DropSpare"/>.</returns>
    internal IOException? DropUselessSpare(long withdrawnPages)
    {
        bool isUseful;
        lock (poolLock)
            isUseful = free.Count - withdrawnPages < 2 * SpareBelowPages; // twice: or the next page would have it made again
        return isUseful ? null : DropSpare();
    }

    /// <summary>Gives the spare back, if there is one.</summary>
    /// <returns>Why it, or its file, is left; <see langword="null"/> when it is not.</returns>
    internal IOException? DropSpare()
    {
        Debug.Assert(Growing.IsHeldByCurrentThread && !poolLock.IsHeldByCurrentThread, "Only who needs a segment waits for the store.");
        if (_spare is not { } spare)
            return null;
        uint generation = spare.MaxGeneration();
        try
        {
            source.Store.Withdraw(spare.Number, generation);
            Volatile.Write(ref _spare, null);
            generations.Record(spare.Number, segments.SpansOf(spare), generation);
            spare.TakeOut();
            spare.Withdraw();
            spare.Dispose();
            source.Store.Remove(spare.Number);
            return null;
        }
        catch (IOException e)
        {
            return e; // it stays, as it may be listed or not; or its file is left until the next removal
        }
    }

    /// <summary>Has the pages before one be such that may be stored to.</summary>
    /// <returns><see langword="false"/> when the store has no space for them: see <see cref="Failure"/>.</returns>
    internal bool TryAllocate(Segment segment, int end)
    {
        try
        {
            segment.Allocate(end);
            return true;
        }
        catch (IOException e)
        {
            Failure = e;
            return false;
        }
    }

    /// <summary>No segment is added from here on, and there is no spare.</summary>
    internal void End()
    {
        lock (Growing)
        {
            _isOver = true;
            DropSpare();
        }
    }

    public void Dispose() => _spare?.Dispose();

    /// <summary>
    /// Makes a segment with that many consecutive pages, or has the spare; null when the limit, the numbers or the store do not allow it.
    /// <see cref="Attach"/> adds it.
    /// </summary>
    /// <param name="pages">The pages.</param>
    /// <param name="mostBytes">The most bytes of the segment that are allowed for now.</param>
    internal Segment? Make(int pages, long mostBytes)
    {
        Failure = null;
        if (_spare is { } spare && spare.PageCount - spare.HeadPages >= pages)
        {
            if (spare.Region.LengthBytes > mostBytes || !TryReconcile())
                return null;
            Volatile.Write(ref _spare, null);
            return spare;
        }
        Failure = DropSpare(); // it may have the number, and the bytes, that a larger one needs
        return HasSpare ? null : TryMake(pages, mostBytes);
    }

    // A spare that could not be given back may be listed or not, and what is not listed is lost with the process.
    private bool TryReconcile()
    {
        try
        {
            source.Store.Reconcile();
            return true;
        }
        catch (IOException e)
        {
            Failure = e;
            return false;
        }
    }

    private Segment? TryMake(int pages, long mostBytes)
    {
        Debug.Assert(Growing.IsHeldByCurrentThread && !poolLock.IsHeldByCurrentThread, "Only who needs a page waits for the store.");
        int spans = SpansFor(pages);
        long lengthBytes = Math.Min(
            spans * source.Map.SegmentBytes,
            (source.LimitBytes - segments.ReservedBytes) / SizeClasses.PageBytes * SizeClasses.PageBytes);
        if (_isOver || lengthBytes > mostBytes)
            return null; // no small one in its place: their numbers would end
        int pageCount = (int)(lengthBytes / SizeClasses.PageBytes);
        if (pageCount < SegmentHead.PagesFor(pageCount) + pages)
            return null;
        try
        {
            int number = segments.FreeNumber(spans, generations, source.Store);
            return number < 0 ? null : LayOut(number, source.Store.Create(number, lengthBytes));
        }
        catch (Exception e) when (e is OutOfMemoryException or IOException)
        {
            Failure = e;
            return null;
        }
    }

    /// <summary>Adds a segment that was made. The caller holds the pool's lock as well.</summary>
    internal void Attach(Segment segment)
    {
        Debug.Assert(poolLock.IsHeldByCurrentThread, "The pool's lock is needed.");
        TouchAhead.Begin(segment);
        segments.Add(segment, isShared: false);
        free.AddSegment(segment);
        RecordGrowth();
    }

    private void RecordGrowth() => Volatile.Write(ref _grownAt, Time.GetTimestamp());

    private int SpansFor(int pages)
    {
        int pagesPerSpan = (int)segments.PagesPerNumber;
        int spans = 1;
        while (spans * (long)pagesPerSpan < SegmentHead.PagesFor(spans * pagesPerSpan) + (long)pages)
            spans++;
        return spans;
    }

    private Segment LayOut(int number, MemoryRegion region)
    {
        var segment = new Segment(number, source.Map.AddressOf(number), region, tracksFlushed);
        uint generation = generations.StartOf(number, segments.SpansOf(segment));
        segment.Head = SegmentHead.For(number, region.LengthBytes, source.PileId, hasWrittenWords: generation != 0);
        for (int page = segment.HeadPages; page < segment.PageCount; page++)
        {
            segment.Metas[page].MaxGeneration = generation;
            segment.Unpublish(page, generation); // stored in the file as well: an unused page must not come back with base 0
            segment.AddFreePage(page);
        }
        CrashPoints.Pass(CrashPoint.SegmentBeforeListed);
        try
        {
            source.Store.Publish(number, region);
        }
        catch
        {
            segment.Dispose();
            throw;
        }
        CrashPoints.Pass(CrashPoint.SegmentBeforeUse);
        return segment;
    }
}
