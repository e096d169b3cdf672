using System;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Threading;
using BigPile.Access;
using BigPile.Allocation;
using BigPile.Concurrency;

namespace BigPile.Lifecycle;

/// <summary>Returns empty segments to the system.</summary>
/// <param name="barrier">Keeps the pile from being closed meanwhile.</param>
/// <param name="allocator">Has the segments.</param>
/// <param name="background">Runs what is requested.</param>
/// <param name="options">The clock, and whether the caller runs it instead: see <see cref="PileOptions.IsInTurn"/>.</param>
internal sealed class Trimmer(OperationBarrier barrier, Allocator allocator, BackgroundWork background, PileOptions options)
{
    private const string Work = "giving memory back";
    private const int MostRounds = 64; // of one request
    private const int PauseMs = 1_000; // between a failed automatic trim and the next

    private int _isRequested; // 1 while a trim is queued, or waits for its time; interlocked
    private ITimer? _later; // queues a request that had to wait; set by who has set _isRequested
    private long _noTrimBefore; // after a failure: the tick count before which no automatic trim runs; written without a lock

    /// <summary>Trims. The caller is outside of any critical region.</summary>
    /// <returns>The device's error if it refused; segments that could not be returned are used again.</returns>
    internal Exception? Trim()
    {
        Debug.Assert(!PileRegions.Current.IsOpen, "A trim waits for all critical regions, this one too.");
        lock (barrier.Closing) // keeps flushes from blocking writers, and the pile from being closed
            return barrier.IsClosed ? null : allocator.Trim(keepsSome: false);
    }

    /// <summary>
    /// Has the background trim: who has freed something does not wait for files. Shortly after the pile has grown it waits.
    /// </summary>
    internal void Request()
    {
        if (options.IsInTurn && !PileRegions.Current.IsOpen)
            TrimQuietly();
        if (options.IsInTurn || IsPutOff || Volatile.Read(ref _isRequested) != 0 || Interlocked.Exchange(ref _isRequested, 1) != 0)
            return;
        if (allocator.Pool.Growth.KeepsFor is var rest && rest > TimeSpan.Zero)
        {
            _later ??= background.OnDemand(options.TimeProvider, Work, TrimAsRequested);
            _later.Change(rest, Timeout.InfiniteTimeSpan);
            if (barrier.IsClosed) // perhaps since End
                End();
        }
        else
        {
            background.Queue(Work, TrimAsRequested);
        }
    }

    /// <summary>The pile is closed: nothing waits for its time any more, and a clock that goes on does not hold the pile.</summary>
    internal void End() => Volatile.Read(ref _later)?.Dispose();

    private void TrimAsRequested()
    {
        Volatile.Write(ref _isRequested, 0); // before the trim: a request that it misses queues another one
        for (int round = 0; round < MostRounds && !barrier.IsClosed && allocator.Pool.Free.IsTrimWanted; round++)
        {
            if (allocator.Pool.Growth.KeepsFor > TimeSpan.Zero)
            {
                Request(); // it has grown since
                return;
            }
            TrimQuietly(keepsSome: true); // again where others have freed much meanwhile, and perhaps nothing any more
        }
    }

    /// <summary>As <see cref="Trim"/>, if enough is empty. Failures are only reported.</summary>
    /// <param name="keepsSome">Whether so much stays free that the next segment is not made soon.</param>
    [SuppressMessage("Design", "CA1031", Justification = "A failed trim is no failure of the call that freed something.")]
    internal void TrimQuietly(bool keepsSome = false)
    {
        Debug.Assert(!PileRegions.Current.IsOpen, "A trim waits for all critical regions, this one too.");
        if (IsPutOff)
            return;
        barrier.Closing.Enter();
        Exception? thrown = null;
        try
        {
            if (!barrier.IsClosed && allocator.Pool.Free.IsTrimWanted) // again under the lock: another trim may have done it
                thrown = allocator.Trim(keepsSome);
        }
        catch (Exception e)
        {
            thrown = e;
        }
        finally
        {
            barrier.Closing.Exit();
        }
        if (thrown == null)
            return;
        // Behind the lock: of two threads that fail at once the later one wins, which is as good.
        _noTrimBefore = Environment.TickCount64 + PauseMs;
        background.ReportFailure(Work, thrown);
    }

    private bool IsPutOff => _noTrimBefore != 0 && Environment.TickCount64 < _noTrimBefore;
}
