using System;
using BigPile.Caching.Entries;
using BigPile.Caching.Index;
using BigPile.Caching.Tables;

namespace BigPile.Caching.Operations;

/// <summary>Compares the index of a table with the blocks of the pile, while the table is in use.</summary>
internal static unsafe class Inspecting
{
    /// <summary>States that the index is going to be compared with the pile. Nobody uses the table yet.</summary>
    internal static void BeginInspection(this TableCore core)
    {
        core.SetFlag(IndexHead.UncomparedFlag, true);
        core.BeginRecordingRemovals(mayBeAny: core.HasFlag(IndexHead.RemovedFlag));
    }

    /// <summary>As <see cref="BeginInspection"/>, of a table that is in use: what it has lost before may have been removed since.</summary>
    internal static void BeginLateInspection(this TableCore core)
    {
        lock (core.ConfigurationLock)
        {
            if (core.IsClosed)
                return; // the index may be gone
            core.SetFlag(IndexHead.UncomparedFlag | IndexHead.RemovedFlag, true); // for the next process, if this one does not end it
            core.BeginRecordingRemovals(mayBeAny: true);
        }
    }

    private static void BeginRecordingRemovals(this TableCore core, bool mayBeAny) =>
        core.RemovedKeys ??= new RemovedKeys(core.Counters.Entries, mayBeAny ? core.Pile.Engine.Versions.Last : 0);

    /// <summary>States that the index was compared with the pile, and counts anew if it was damaged. The caller is not inside.</summary>
    /// <param name="core">The table.</param>
    /// <param name="damagedLines">The <see cref="TableCore.DamagedLines"/> before the last look at the blocks.</param>
    internal static void EndInspection(this TableCore core, long damagedLines)
    {
        lock (core.ConfigurationLock)
        {
            if (core.IsClosed)
                return;
            try
            {
                if (core.HasFlag(IndexHead.DamagedFlag))
                    core.RecountLocked();
            }
            catch (ObjectDisposedException) when (core.IsClosed)
            {
                return; // the next one counts
            }
            core.SetFlag(IndexHead.UncomparedFlag | IndexHead.RemovedFlag | IndexHead.DamagedFlag, false);
            core.EndRecordingRemovals();
            if (core.DamagedLines != damagedLines)
                core.ReportDamage("has a line that turned out to be damaged when it was compared with the pile");
        }
    }

    /// <summary>States that a comparison came to no end, and that what is removed from now on is not noted.</summary>
    internal static void AbandonInspection(this TableCore core)
    {
        lock (core.ConfigurationLock)
        {
            if (core.IsClosed)
                return;
            core.SetFlag(IndexHead.RemovedFlag, true);
            core.EndRecordingRemovals();
        }
    }

    // An entry may have been taken into a bucket that a sweep has done: the marks that concern it stay for another round.
    private static void EndRecordingRemovals(this TableCore core)
    {
        core.SweepPlace.SweepLock.Enter();
        try
        {
            core.SweepPlace.MarksUpTo = 0;
            core.Spill?.Sweep.ForgetRounds();
            core.RemovedKeys = null; // until now no mark was dropped
        }
        finally
        {
            core.SweepPlace.SweepLock.Exit();
        }
    }

    /// <summary>Whether the index leads to the entry at an address, as far as can be told without a lock. The caller is inside.</summary>
    internal static bool IsKnown(this TableCore core, ulong address)
    {
        if (!core.TryViewLocked(address, out EntryHead head, out _) || head.Kind == ValueKind.TagMark)
            return false;
        ulong hash = core.Hash.Of(new ReadOnlySpan<byte>(head.Key, head.KeyBytes));
        return new BucketSlots(core.Index, core.Index.Find(hash, out _)).Has(new IndexSlot(hash, address));
    }

    /// <summary>Looks whether what stands in a bucket is right, and takes out what is not. The caller is inside.</summary>
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
                core.MarkLine(place.Line, entry.Head);
                continue;
            }
            place.Store(default);
            core.ReportDamage("leads to an entry that there is not, or is elsewhere, or leads there twice");
        }
    }

    // A slot does not have the low bits of the hash, which two buckets with one line differ in.
    private static bool IsOf(this TableCore core, in LockedBucket bucket, in EntryHead head) =>
        TableIndex.IsOf(bucket, core.Hash.Of(new ReadOnlySpan<byte>(head.Key, head.KeyBytes)));

    /// <summary>Notes that no slot led to an entry that was found.</summary>
    internal static void ReportLostLocked(this TableCore core, in LockedBucket bucket, ulong hash, ulong address)
    {
        core.ReportDamage("does not lead to an entry");
        DropDamagedLocked(bucket, hash, address);
    }

    // A slot whose tag was damaged leads to the entry as well, and nobody finds it by its key.
    private static void DropDamagedLocked(in LockedBucket bucket, ulong hash, ulong address)
    {
        foreach (SlotPlace place in bucket.Slots)
        {
            if (place.Value.Address == address && !place.Value.MayBe(hash))
                place.Store(default);
        }
    }
}
