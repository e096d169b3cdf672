using System;
using System.Diagnostics;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Allocation;
using BigPile.Concurrency;
using BigPile.Layout;
using BigPile.Reporting;
using BigPile.Telemetry;
using Microsoft.Extensions.Logging;

namespace BigPile.Lifecycle;

/// <summary>Recovers all pages in the background, in address order.</summary>
internal sealed class RecoveryWalk(PileEngine engine, RecoveryWalk.Plan plan, CancellationToken stopping)
{
    private const int PagesPerStep = 16; // 1 MiB between two looks at the rate and the token
    private const int MostFailures = 16; // after so many it is not about single pages
    private const double LongestDelaySeconds = 3600; // a timer has a limit, a rate has none

    private readonly PagePool _pool = engine.Blocks.Allocator.Pool; // the segments at this instant
    private readonly long _startedAt = plan.Time.GetTimestamp(); // for the rate limit
    private readonly PastActivity _activity = PastActivity.Begin(); // of the whole walk
    private long _readBytes; // of pages recovered or searched; for the rate limit
    private int _failures; // pages that threw

    /// <summary>Runs until all is done, the pile is closed, or the token is cancelled.</summary>
    internal void Run()
    {
        try
        {
            if (plan.Warmup == PileWarmup.Advise)
                Advise();
            else
                RecoverAll();
        }
        catch (ObjectDisposedException) when (engine.Barrier.IsClosed)
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
        foreach (Segment segment in _pool.Segments())
        {
            engine.LazyRecovery.AdviseToRead(segment);
            Pace(segment.Region.LengthBytes);
        }
    }

    private void RecoverAll()
    {
        foreach (Segment segment in _pool.Segments())
        {
            for (int page = segment.HeadPages; page < segment.PageCount; page += PagesPerStep)
            {
                stopping.ThrowIfCancellationRequested();
                Pace((long)RecoverPages(segment, page) * SizeClasses.PageBytes);
            }
        }
        SearchAll();
        Report();
        if (plan.Warmup == PileWarmup.Verify)
            _ = new Verifier(engine).Run(new ProgressGauge(null), stopping);
    }

    // Only the first checkpoint waits for free pages: they come last.
    private void SearchAll()
    {
        foreach (Segment segment in _pool.Segments())
        {
            for (int page = segment.HeadPages; page < segment.PageCount && _pool.SuspectPages != 0; page += PagesPerStep)
            {
                stopping.ThrowIfCancellationRequested();
                int searched = engine.LazyRecovery.SearchPages(segment, page, Math.Min(page + PagesPerStep, segment.PageCount));
                Pace((long)searched * SizeClasses.PageBytes);
            }
        }
    }

    // Pages that can't be recovered are left to the calls that need them, which report the error.
    private int RecoverPages(Segment segment, int page)
    {
        try
        {
            return engine.LazyRecovery.RecoverPages(segment, page, Math.Min(page + PagesPerStep, segment.PageCount));
        }
        catch (Exception e) when (!engine.Barrier.IsClosed && ++_failures < MostFailures)
        {
            engine.Background.ReportFailure("recovering pages", e);
            return 0;
        }
    }

    // Waits until the rate limit allows what was read so far.
    private void Pace(long bytes)
    {
        Debug.Assert(!PileRegions.Current.IsOpen, "A flush must not wait for a sleeping walk.");
        _readBytes += bytes;
        if (plan.BytesPerSecond == 0 || bytes == 0)
            return;
        double dueSeconds = (double)_readBytes / plan.BytesPerSecond;
        while (dueSeconds - plan.Time.GetElapsedTime(_startedAt).TotalSeconds is > 0 and double earlySeconds)
            Task.Delay(TimeSpan.FromSeconds(Math.Min(earlySeconds, LongestDelaySeconds)), plan.Time, stopping).Wait(stopping);
    }

    private void Report()
    {
        if (engine.Report.TotalBytes == 0)
            return;
        TimeSpan elapsed = plan.Time.GetElapsedTime(_startedAt);
        engine.Meter.RecordRecovery(plan.Name, elapsed);
        PileActivity.Record(PileTelemetry.RecoveryActivity, PileTelemetry.PileNameTag, plan.Name, _activity);
        plan.Logger.LogInformation(
            "Recovered {Bytes:N0} bytes in {Milliseconds:N0} ms; {Orphans} payloads without an object were freed, {Faults} faults were "
            + "found",
            _readBytes, elapsed.TotalMilliseconds, engine.LazyRecovery.OrphanCount, engine.LazyRecovery.Faults.Count);
    }

    /// <summary>The parameters of a walk.</summary>
    /// <param name="Name">The pile's name in metrics.</param>
    /// <param name="Warmup">What is read.</param>
    /// <param name="BytesPerSecond">The rate limit; 0 for none.</param>
    /// <param name="Time">The clock.</param>
    /// <param name="Logger">Receives what was found.</param>
    internal sealed record Plan(string Name, PileWarmup Warmup, long BytesPerSecond, TimeProvider Time, ILogger Logger);
}
