using System;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using BigPile.Access;
using BigPile.Allocation;
using BigPile.Concurrency;

namespace BigPile.Lifecycle;

/// <summary>Gives empty segments back to the system.</summary>
internal sealed class Trimmer(OperationBarrier barrier, Allocator allocator, BackgroundWork background)
{
    private const int PauseMs = 1_000;

    private long _noTrimBefore;

    /// <summary>Gives them back. The caller is outside of all calls.</summary>
    /// <returns>What the device said if it refused; what could not be given back is used again.</returns>
    internal Exception? Trim()
    {
        Debug.Assert(!CriticalRegion.Current.IsInRegion, "A segment is unmapped once all have left: this thread would wait for itself.");
        lock (barrier.Closing)
            return barrier.IsClosed ? null : allocator.Trim();
    }

    /// <summary>As <see cref="Trim"/>, if nobody else does just now. The caller's own work is done, whatever becomes of this.</summary>
    [SuppressMessage("Design", "CA1031", Justification = "Whatever it is: it is no failure of the call that freed something.")]
    internal void TrimQuietly()
    {
        Debug.Assert(!CriticalRegion.Current.IsInRegion, "A segment is unmapped once all have left: this thread would wait for itself.");
        if (IsPutOff || !barrier.Closing.TryEnter())
            return;
        Exception? thrown = null;
        try
        {
            if (!barrier.IsClosed && allocator.ReclaimEvents.IsTrimWanted)
                thrown = allocator.Trim();
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
        _noTrimBefore = Environment.TickCount64 + PauseMs;
        background.ReportFailure("giving memory back", thrown);
    }

    private bool IsPutOff => _noTrimBefore != 0 && Environment.TickCount64 < _noTrimBefore;
}
