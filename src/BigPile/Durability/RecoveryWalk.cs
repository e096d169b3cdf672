using System;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Allocation;
using BigPile.Layout;
using Microsoft.Extensions.Logging;

namespace BigPile.Durability;

/// <summary>Goes through the segments in the background, in the order of addresses.</summary>
internal sealed class RecoveryWalk(Pile pile, PileWarmup warmup, long bytesPerSecond, TimeProvider time, CancellationToken stopping)
{
    private const int PagesPerStep = 16;
    private const int MostFailures = 16; // then it is not a matter of single pages
    private const double LongestDelaySeconds = 3600; // a timer has a limit, a rate has none

    private readonly long _startedAt = time.GetTimestamp();
    private long _readBytes;
    private int _failures;

    /// <summary>Works until all is done, the pile is closed or somebody stops it.</summary>
    internal void Run()
    {
        try
        {
            if (warmup == PileWarmup.Advise)
                Advise();
            else
                ExamineAll();
        }
        catch (ObjectDisposedException) when (pile.IsDisposed)
        {
            // closed meanwhile
        }
        catch (OperationCanceledException) when (stopping.IsCancellationRequested)
        {
            // stopped meanwhile
        }
    }

    private void Advise()
    {
        foreach (Segment segment in pile.Allocator.Pool.Segments())
        {
            pile.AdviseToRead(segment);
            Pace(segment.Region.LengthBytes);
        }
    }

    private void ExamineAll()
    {
        foreach (Segment segment in pile.Allocator.Pool.Segments())
        {
            for (int page = segment.HeadPages; page < segment.PageCount; page += PagesPerStep)
            {
                stopping.ThrowIfCancellationRequested();
                Pace((long)Examine(segment, page) * SizeClasses.PageBytes);
            }
        }
        SearchAll();
        Report();
        if (warmup == PileWarmup.Verify)
            _ = pile.Verify(stopping);
    }

    // Nobody waits for free pages but the first checkpoint: they come last.
    private void SearchAll()
    {
        foreach (Segment segment in pile.Allocator.Pool.Segments())
        {
            for (int page = segment.HeadPages; page < segment.PageCount && pile.Allocator.Pool.SuspectPages != 0; page += PagesPerStep)
            {
                stopping.ThrowIfCancellationRequested();
                Pace((long)pile.SearchPages(segment, page, Math.Min(page + PagesPerStep, segment.PageCount)) * SizeClasses.PageBytes);
            }
        }
    }

    // Pages that can't be examined are left to whoever needs them, who will be told.
    private int Examine(Segment segment, int page)
    {
        try
        {
            return pile.ExaminePages(segment, page, Math.Min(page + PagesPerStep, segment.PageCount));
        }
        catch (Exception e) when (!pile.IsDisposed && ++_failures < MostFailures)
        {
            pile.Background.NoteFailure("examining pages", e);
            return 0;
        }
    }

    // Waits until reading so much by now is allowed.
    private void Pace(long bytes)
    {
        _readBytes += bytes;
        if (bytesPerSecond == 0 || bytes == 0)
            return;
        double dueSeconds = (double)_readBytes / bytesPerSecond;
        while (dueSeconds - time.GetElapsedTime(_startedAt).TotalSeconds is > 0 and double earlySeconds)
            Task.Delay(TimeSpan.FromSeconds(Math.Min(earlySeconds, LongestDelaySeconds)), time, stopping).Wait(stopping);
    }

    private void Report()
    {
        PileRecovery recovery = pile.Recovery;
        if (recovery.TotalBytes == 0)
            return;
        PileMeter.NoteRecovery(pile, time.GetElapsedTime(_startedAt));
        pile.Logger.LogInformation(
            "Examined {Bytes:N0} bytes in {Milliseconds:N0} ms; {Orphans} payloads without an object were freed, {Faults} faults were "
            + "found",
            _readBytes, time.GetElapsedTime(_startedAt).TotalMilliseconds, recovery.OrphanCount, recovery.FaultCount);
    }
}
