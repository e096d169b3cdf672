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

/// <summary>Goes through the segments in the background, in the order of addresses.</summary>
internal sealed class RecoveryWalk(PileEngine engine, RecoveryWalk.Plan plan, CancellationToken stopping)
{
    private const int PagesPerStep = 16;
    private const int MostFailures = 16; // then it is not a matter of single pages
    private const double LongestDelaySeconds = 3600; // a timer has a limit, a rate has none

    private readonly PagePool _pool = engine.Blocks.Allocator.Pool;
    private readonly long _startedAt = plan.Time.GetTimestamp();
    private readonly PastActivity _activity = PastActivity.Begin();
    private long _readBytes;
    private int _failures;

    /// <summary>Works until all is done, the pile is closed or somebody stops it.</summary>
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

    // Nobody waits for free pages but the first checkpoint: they come last.
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

    // Pages that can't be examined are left to whoever needs them, who will be told.
    private int RecoverPages(Segment segment, int page)
    {
        try
        {
            return engine.LazyRecovery.RecoverPages(segment, page, Math.Min(page + PagesPerStep, segment.PageCount));
        }
        catch (Exception e) when (!engine.Barrier.IsClosed && ++_failures < MostFailures)
        {
            engine.Background.ReportFailure("examining pages", e);
            return 0;
        }
    }

    // Waits until reading so much by now is allowed.
    private void Pace(long bytes)
    {
        Debug.Assert(!CriticalRegion.Current.IsInRegion, "A flush must not wait for a walk that sleeps.");
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
            "Examined {Bytes:N0} bytes in {Milliseconds:N0} ms; {Orphans} payloads without an object were freed, {Faults} faults were "
            + "found",
            _readBytes, elapsed.TotalMilliseconds, engine.LazyRecovery.OrphanCount, engine.LazyRecovery.Faults.Count);
    }

    /// <summary>How a walk is made.</summary>
    /// <param name="Name">What the pile is called in metrics.</param>
    /// <param name="Warmup">What is read.</param>
    /// <param name="BytesPerSecond">How much of it in a second; 0 is no limit.</param>
    /// <param name="Time">The clock.</param>
    /// <param name="Logger">Is told what was found.</param>
    internal sealed record Plan(string Name, PileWarmup Warmup, long BytesPerSecond, TimeProvider Time, ILogger Logger);
}
