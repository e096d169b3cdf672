using System;
using BigPile.Hash.Format;
using BigPile.Hash.Records;
using BigPile.Hash.Space;

namespace BigPile.Hash.Maintenance;

/// <summary>Frees what is outdated or half-written, and counts what was found.</summary>
internal sealed partial class Recovery
{
    // A tombstone waits until the dead marks of what it hides are durable: a power cut in between would bring these records back.
    private void FreeRecord(in WholeRecord record)
    {
        var extent = new Extent(record.Offset, (long)record.Units << _file.Layout.AlignmentShift);
        if (!record.IsLive && _wasEverHard)
            store.PendingFrees.DeferTombstone(NextStripe(), extent);
        else if (record.IsLive && !isPowerCut && record.Sequence <= _synced)
            store.PendingFrees.DeferRecord(NextStripe(), extent);
        else
            store.PendingFrees.MarkDeadAndFree(NextStripe(), extent);
    }

    private void FreeTorn()
    {
        foreach (Extent extent in _torn)
        {
            TornRecords += _survey?.IsDamaged(extent.Offset) == true ? 0 : 1;
            store.PendingFrees.MarkDeadAndFree(NextStripe(), extent);
        }
    }

    private void FreeExtent(Extent extent) => _file.Extents.Free(NextStripe(), extent);

    private int NextStripe() => _stripe = (_stripe + 1) % SeqLockStripes.Count;

    private void SetCounts()
    {
        for (int i = 0; i < SeqLockStripes.Count; i++)
            stripes[i].Sequence = _lastSequence;
        stripes[0].Records = _records; // only the sum matters
        store.SyncedSequence = !isPowerCut ? _synced : _wasEverHard ? _lastSequence : 0;
        // A kill leaves one of the states that a power cut leaves, so count that way, too: records that are lost together with their links
        // leave no gap in the chains.
        long missing = CountMissing();
        DamagedRecords = Math.Max(missing, _survey != null ? _survey.Damaged + _resurrected : 0);
        SynchronizedRecords = Math.Max((state?.Records ?? 0) - missing, 0);
    }

    // Each record that was durable must be here, or what outdates it.
    private long CountMissing()
    {
        if (state is not { } known)
            return 1; // a crash can tear one of the two states, not both
        if (known.Phase == FilePhase.Closed)
            return Math.Max(known.Records - _records, 0);
        return _wasEverHard ? Math.Max(known.Records - _synchronizedKeys, 0) : 0;
    }
}
