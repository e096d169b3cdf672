using System;
using BigPile.Caching.Entries;
using BigPile.Caching.Index;
using BigPile.Caching.Tables;

namespace BigPile.Caching.Operations;

/// <summary>Compares a table's index with the pile's blocks while the table is in use.</summary>
internal static unsafe class Inspecting
{
    /// <summary>Begins a comparison before the table is used.</summary>
    internal static void BeginInspection(this TableCore core)
    {
        core.SetFlag(IndexHead.UncomparedFlag, true); // for the next process, if this one does not finish
        core.BeginRecordingRemovals(mayBeAny: core.HasFlag(IndexHead.RemovedFlag));
    }

    /// <summary>
    /// As <see cref="BeginInspection"/>, for a table in use: entries that its index has lost may have been removed since.
    /// </summary>
    internal static void BeginLateInspection(this TableCore core)
    {
        lock (core.ConfigurationLock)
        {
            if (core.IsClosed)
                return; // the index may be disposed
            core.SetFlag(IndexHead.UncomparedFlag | IndexHead.RemovedFlag, true); // for the next process, if this one does not finish
            core.BeginRecordingRemovals(mayBeAny: true);
        }
    }

    private static void BeginRecordingRemovals(this TableCore core, bool mayBeAny) =>
        // Whatever was put up to now counts as removed where removals went unrecorded.
        core.RemovedKeys ??= new RemovedKeys(core.Counters.Entries, mayBeAny ? core.Pile.Engine.Versions.Last : 0);

    /// <summary>Ends a comparison, and recounts if the index was damaged. The caller is outside of critical regions.</summary>
    /// <param name="core">The table.</param>
    /// <param name="damagedLines"><see cref="TableCore.DamagedLines"/> before the last pass over the blocks.</param>
    internal static void EndInspection(this TableCore core, long damagedLines)
    {
        lock (core.ConfigurationLock)
        {
            if (core.IsClosed) // the index may be disposed; the next process compares
                return;
            try
            {
                if (core.HasFlag(IndexHead.DamagedFlag))
                    core.RecountLocked();
            }
            catch (ObjectDisposedException) when (core.IsClosed)
            {
                return; // the next process recounts
            }
            // After all repairs: a kill before this has the next process compare again.
            core.SetFlag(IndexHead.UncomparedFlag | IndexHead.RemovedFlag | IndexHead.DamagedFlag, false);
            core.EndRecordingRemovals();
            if (core.DamagedLines != damagedLines)
                core.ReportDamage("has a line that turned out to be damaged when it was compared with the pile");
        }
    }

    /// <summary>Abandons a comparison: removals are not recorded from now on.</summary>
    internal static void AbandonInspection(this TableCore core)
    {
        lock (core.ConfigurationLock)
        {
            if (core.IsClosed)
                return;
            core.SetFlag(IndexHead.RemovedFlag, true); // from here on removals go unrecorded
            core.EndRecordingRemovals();
        }
    }

    // An entry may have been inserted into a bucket that the sweep has passed: the marks that concern it stay for another round.
    private static void EndRecordingRemovals(this TableCore core)
    {
        core.SweepPlace.SweepLock.Enter();
        try
        {
            core.SweepPlace.MarksUpTo = 0;
            core.Spill?.Sweep.ForgetRounds();
            core.RemovedKeys = null; // allows marks to be dropped again
        }
        finally
        {
            core.SweepPlace.SweepLock.Exit();
        }
    }

    /// <summary>
    /// Whether the index has the entry at an address, as far as can be told without a lock. The caller is in a critical region.
    /// </summary>
    internal static bool IsKnown(this TableCore core, ulong address)
    {
        if (!core.TryViewLocked(address, out EntryHead head, out _) || head.Kind == ValueKind.TagMark)
            return false;
        // A put or a split may change the bucket meanwhile. A wrong no costs a lookup under the lock, in AddFoundLocked.
        ulong hash = core.Hash.Of(new ReadOnlySpan<byte>(head.Key, head.KeyBytes));
        return new BucketSlots(core.Index, core.Index.Find(hash, out _)).Has(new IndexSlot(hash, address));
    }

    /// <summary>Verifies a bucket, and clears slots that are wrong. The caller is in a critical region.</summary>
    internal static void InspectBucket(this TableCore core, ulong number)
    {
        using LockedBucket bucket = core.Index.LockBucket(number);
        core.Index.InspectLocked(bucket);
        foreach (SlotPlace place in bucket.Slots)
            core.Pile.Entries.Prefetch(place.Value.Address);
        foreach (SlotPlace place in bucket.Slots)
        {
            if (core.TryViewLocked(place, out LockedEntry entry) && core.IsOf(bucket, entry.Head) && !bucket.Slots.HasBefore(place))
            {
                // A damaged line may have lost its marks.
                core.MarkLine(place.Line, entry.Head);
                continue;
            }
            place.Store(default); // a miss, until the walk finds the entry
            core.ReportDamage("leads to an entry that there is not, or is elsewhere, or leads there twice");
        }
    }

    // A slot lacks the low hash bits, in which two buckets that share a line differ.
    private static bool IsOf(this TableCore core, in LockedBucket bucket, in EntryHead head) =>
        TableIndex.IsOf(bucket, core.Hash.Of(new ReadOnlySpan<byte>(head.Key, head.KeyBytes)));

    /// <summary>Reports that no slot led to an entry that the walk found.</summary>
    internal static void ReportLostLocked(this TableCore core, in LockedBucket bucket, ulong hash, ulong address)
    {
        core.ReportDamage("does not lead to an entry");
        DropDamagedLocked(bucket, hash, address);
    }

    // A slot with a damaged tag points to the entry as well, and no lookup finds it.
    private static void DropDamagedLocked(in LockedBucket bucket, ulong hash, ulong address)
    {
        foreach (SlotPlace place in bucket.Slots)
        {
            if (place.Value.Address == address && !place.Value.MayBe(hash))
                place.Store(default);
        }
    }
}
