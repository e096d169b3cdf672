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

/// <summary>Syncs segments to the device. Thread safety: under the flush lock.</summary>
internal sealed class SegmentSync(OperationBarrier barrier, PagePool pool, PileDirectory directory)
{
    private readonly HashSet<Segment> _unsynced = []; // segments whose last sync failed; under the flush lock

    /// <summary>Bytes of segments that were rewritten because a sync of them had failed.</summary>
    internal long RewrittenBytes { get; private set; }

    /// <summary>Syncs all segments; reports progress unless the gauge already runs.</summary>
    internal void Run(ProgressGauge? gauge = null)
    {
        Debug.Assert(!PileRegions.Current.IsOpen, "No critical region waits for the device.");
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

    // After a failed sync the system may take its pages for clean: make all of them dirty again, or the next success would mean nothing.
    private void Sync(Segment segment)
    {
        try
        {
            if (_unsynced.Contains(segment))
                MakeDirty(segment); // before the sync, so that it writes all of them
            directory.Segments.Sync(segment.Number, segment.Region);
            _unsynced.Remove(segment);
        }
        catch (ObjectDisposedException)
        {
            _unsynced.Remove(segment); // trimmed meanwhile: nothing of it is left to sync
        }
        catch (IOException)
        {
            _unsynced.Add(segment);
            throw; // the flush fails; the superblock still has the epoch before
        }
    }

    private void MakeDirty(Segment segment)
    {
        RewrittenBytes += segment.Region.LengthBytes;
        if (barrier.IsClosed)
            segment.Touch(0, segment.AllocatedPages); // no operation is running, and no trim
        else
            new PageToucher(barrier, pool, segment, 0, segment.AllocatedPages).TouchAll();
    }
}
