using System;
using BigPile.Caching.Entries;
using BigPile.Caching.Index;
using BigPile.Caching.Tables;

namespace BigPile.Caching.Recovery;

/// <summary>Compares a table's index with the pile's blocks while the table is in use.</summary>
internal sealed unsafe class TableInspection(TableEngine table)
{
    /// <summary>Begins an inspection before the table is used.</summary>
    internal void Begin()
    {
        table.Index.SetFlag(IndexHead.UninspectedFlag, true); // for the next process, if this one does not finish
        BeginRecordingRemovals(mayBeAny: table.Index.HasFlag(IndexHead.RemovedFlag));
    }

    /// <summary>
    /// As <see cref="Begin"/>, for a table in use: entries that its index has lost may have been removed since.
    /// </summary>
    internal void BeginLate()
    {
        lock (table.ConfigurationLock)
        {
            if (table.IsClosed)
                return; // the index may be disposed
            // For the next process, if this one does not finish.
            table.Index.SetFlag(IndexHead.UninspectedFlag | IndexHead.RemovedFlag, true);
            BeginRecordingRemovals(mayBeAny: true);
        }
    }

    private void BeginRecordingRemovals(bool mayBeAny) => table.RemovalLog.Begin(table.Counters.Entries, mayBeAny);

    /// <summary>Ends an inspection, and recounts if the index was damaged. The caller is outside of critical regions.</summary>
    /// <param name="damagedLines"><see cref="TableEngine.DamagedLines"/> before the last pass over the blocks.</param>
    internal void End(long damagedLines)
    {
        lock (table.ConfigurationLock)
        {
            if (table.IsClosed) // the index may be disposed; the next process compares
                return;
            try
            {
                if (table.Index.HasFlag(IndexHead.DamagedFlag))
                    table.RecountLocked();
            }
            catch (ObjectDisposedException) when (table.IsClosed)
            {
                return; // the next process recounts
            }
            // After all repairs: a kill before this has the next process compare again.
            table.Index.SetFlag(IndexHead.UninspectedFlag | IndexHead.RemovedFlag | IndexHead.DamagedFlag, false);
            EndRecordingRemovals();
            if (table.DamagedLines != damagedLines)
                table.ReportDamage("has a line that turned out to be damaged when it was inspected");
        }
    }

    /// <summary>Abandons an inspection: removals are not recorded from now on.</summary>
    internal void Abandon()
    {
        lock (table.ConfigurationLock)
        {
            if (table.IsClosed)
                return;
            table.Index.SetFlag(IndexHead.RemovedFlag, true); // from here on removals go unrecorded
            EndRecordingRemovals();
        }
    }

    // An entry may have been inserted into a bucket that the sweep has passed: the marks that concern it stay for another round.
    private void EndRecordingRemovals() => table.Sweep.RestartRound(table.RemovalLog.End);

    /// <summary>
    /// Whether the index has the entry at an address, as far as can be told without a lock. The caller is in a critical region.
    /// </summary>
    internal bool IsKnown(ulong address)
    {
        if (!table.Entries.TryViewLocked(address, out EntryHead head, out _) || head.Kind == ValueKind.TagMark)
            return false;
        // A put or a split may change the bucket meanwhile. A wrong no costs a lookup under the lock, in FoundEntries.AddFoundLocked.
        ulong hash = table.Hash.Of(new ReadOnlySpan<byte>(head.Key, head.KeyBytes));
        return new BucketSlots(table.Index, table.Index.Find(hash, out _)).Has(new IndexSlot(hash, address));
    }

    /// <summary>Verifies a bucket, and clears slots that are wrong. The caller is in a critical region.</summary>
    internal void InspectBucket(ulong number)
    {
        using LockedBucket bucket = table.Index.LockBucket(number);
        table.Index.InspectLocked(bucket);
        foreach (SlotPlace place in bucket.Slots)
            table.Heap.Prefetch(place.Value.Address);
        foreach (SlotPlace place in bucket.Slots)
        {
            if (table.Entries.TryViewLocked(place, out LockedEntry entry) && IsOf(bucket, entry.Head) && !bucket.Slots.HasBefore(place))
            {
                // A damaged line may have lost its marks.
                table.Content.MarkLine(place.Line, entry.Head);
                continue;
            }
            place.Store(default); // a miss, until the inspection of the blocks meets the entry
            table.ReportDamage("leads to an entry that there is not, or is elsewhere, or leads there twice");
        }
    }

    // A slot lacks the low hash bits, in which two buckets that share a line differ.
    private bool IsOf(in LockedBucket bucket, in EntryHead head) =>
        TableIndex.IsOf(bucket, table.Hash.Of(new ReadOnlySpan<byte>(head.Key, head.KeyBytes)));
}
