using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using BigPile.Access;
using BigPile.Allocation;
using BigPile.Concurrency;
using BigPile.Durability;
using BigPile.Reporting;

namespace BigPile.Lifecycle;

/// <summary>Writes segments through to the device. Thread safety: under the flush's lock.</summary>
internal sealed class SegmentSync(OperationBarrier barrier, PagePool pool, PileDirectory directory)
{
    private readonly HashSet<Segment> _unsynced = [];

    /// <summary>Bytes of segments that were written anew because the device had refused them before.</summary>
    internal long RewrittenBytes { get; private set; }

    /// <summary>Writes all segments through; says so where nobody was told before.</summary>
    internal void Run(ProgressGauge? gauge = null)
    {
        Debug.Assert(!CriticalRegion.Current.IsInRegion, "Nobody waits for the device inside the pile.");
        Segment[] segments = pool.Segments();
        if (gauge is { HasBegun: false })
            gauge.Begin(segments.Sum(static segment => segment.Region.LengthBytes));
        else
            gauge = null;
        foreach (Segment segment in segments)
        {
            long lengthBytes = segment.Region.LengthBytes;
            Sync(segment);
            gauge?.Advance(lengthBytes);
        }
    }

    // What the system failed to write it may take for written: all of it is made dirty again, or the next success would mean nothing.
    private void Sync(Segment segment)
    {
        try
        {
            if (_unsynced.Contains(segment))
                MakeDirty(segment);
            directory.Segments.Sync(segment.Number, segment.Region);
            _unsynced.Remove(segment);
        }
        catch (ObjectDisposedException)
        {
            _unsynced.Remove(segment); // given back to the system meanwhile: nothing of it is left to be made durable
        }
        catch (IOException)
        {
            _unsynced.Add(segment);
            throw;
        }
    }

    private void MakeDirty(Segment segment)
    {
        RewrittenBytes += segment.Region.LengthBytes;
        if (barrier.IsClosed)
            PageToucher.Touch(segment, 0, segment.PageCount); // nobody is inside any more, and nobody gives memory back
        else
            new PageToucher(barrier, pool, segment, 0, segment.PageCount).TouchAll();
    }
}
