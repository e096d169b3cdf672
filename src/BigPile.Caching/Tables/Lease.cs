using System;
using System.Diagnostics;
using BigPile.Access;
using BigPile.Caching.Entries;
using BigPile.Caching.Index;
using BigPile.Caching.Keys;
using BigPile.Concurrency;

namespace BigPile.Caching.Tables;

/// <summary>Leases views of values in place.</summary>
internal readonly unsafe struct Lease(TableEngine table)
{
    /// <summary>Leases an entry's value in place.</summary>
    /// <param name="key">The key.</param>
    /// <param name="lease">The lease.</param>
    /// <param name="info">Version and size of the entry.</param>
    /// <param name="isUse">Whether the lease counts as a use of the entry.</param>
    internal bool TryLease(in KeyProbe key, out PileLease? lease, out EntryInfo info, bool isUse = true) =>
        TryLeaseInMemory(key, out lease, out info, isUse)
            || (table.Disk is { } disk && TryLeaseSpilled(disk, key, out lease, out info, isUse));

    private bool TryLeaseSpilled(
        DiskTier disk, in KeyProbe key, out PileLease? lease, out EntryInfo info, bool isUse)
    {
        using BufferRental.Loan loan = BufferRental.Lend(out PileBuffer block);
        if (!isUse)
            return TryLeaseSpilledPeek(disk, key, block, out lease, out info);
        while (true)
        {
            SpillOutcome outcome = disk.Promote(key, block); // a lease in place needs the entry in memory
            if (outcome is SpillOutcome.TableFull or SpillOutcome.PileFull)
                return LeaseCopy(block, out lease, out info); // it stays in the file
            if (TryLeaseInMemory(key, out lease, out info, isUse))
                return true;
            // Else it was evicted again between the two.
            if (outcome is SpillOutcome.Missing or SpillOutcome.Stale)
                return false;
        }
    }

    // The entry stays in the file.
    private bool TryLeaseSpilledPeek(
        DiskTier disk, in KeyProbe key, PileBuffer block, out PileLease? lease, out EntryInfo info)
    {
        lock (disk.LockOf(key))
        {
            // Again, under the lock: it may have been promoted since the first try.
            return TryLeaseInMemory(key, out lease, out info, isUse: false)
                || (disk.TryReadAliveStripeLocked(key, block) && LeaseCopy(block, out lease, out info));
        }
    }

    private bool LeaseCopy(PileBuffer block, out PileLease? lease, out EntryInfo info)
    {
        fixed (byte* payload = block.WrittenSpan)
        {
            var head = new EntryHead(payload);
            ReadOnlySpan<byte> value = block.WrittenSpan[head.ValueOffset..];
            info = table.Liveness.Describe(head, value.Length);
            lease = CopiedLease.Of(value, EntryHead.BlockKindOf(head.Kind));
            return true;
        }
    }

    private bool TryLeaseInMemory(in KeyProbe key, out PileLease? lease, out EntryInfo info, bool isUse)
    {
        if (!TryLeaseLocking(key, out lease, out info, isUse, out bool slides))
            return false;
        // Recorded like that of any read: the application's clock can't be read under the lock.
        if (isUse && slides && table.Touch.TryTouch(key, out EntryInfo used) && used.Version == info.Version)
            info = used;
        return true;
    }

    private bool TryLeaseLocking(
        in KeyProbe key, out PileLease? lease, out EntryInfo info, bool isUse, out bool slides)
    {
        lease = null;
        info = default;
        long now = table.Clock.BeforeLock;
        slides = false;
        using (ChangeScope scope = table.EnterWriter())
        {
            try
            {
                using LockedBucket bucket = table.Index.Lock(key.Hash);
                if (!table.Entries.TryFindLocked(bucket, key, out LockedEntry entry) || table.Liveness.IsNoneLocked(entry.Head, ref now))
                    return false;
                slides = entry.Head.IsSliding;
                return TryLeaseLocked(entry, isUse, out lease, out info);
            }
            catch (KeyNotComparedException)
            {
                // no lock is held any more
            }
        }
        key.Matcher!.Learn();
        return TryLeaseLocking(key, out lease, out info, isUse, out slides);
    }

    private bool TryLeaseLocked(in LockedEntry entry, bool isUse, out PileLease? lease, out EntryInfo info)
    {
        Debug.Assert(PileRegions.Current.IsOpen, "The critical region keeps the block until the lease does.");
        ulong address = entry.Address;
        if (table.Heap.ChecksEveryRead)
            _ = table.Heap.IsIntact(address, table.Heap.View(address)); // throws if damaged
        if (isUse && table.CountsUses)
            entry.Place.CountUse();
        if (entry.Head.Kind == ValueKind.Pointer)
        {
            bool found = table.Heap.TryLease(entry.Owned, out lease);
            info = found ? table.Liveness.Describe(entry.Head, lease!.Memory.Length) : default;
            return found;
        }
        info = table.Liveness.Describe(entry.Head, (int)(entry.PayloadBytes - entry.Head.ValueOffset));
        Debug.Assert(entry.Head.ValueOffset + (long)info.ValueBytes == entry.PayloadBytes, "A value ends with its entry.");
        // Under the bucket's lock, which a free of the entry holds as well: TableHeap.Free sees the lease.
        lease = table.Heap.LeaseEntry(address, entry.Head.ValueOffset, info.ValueBytes, EntryHead.BlockKindOf(entry.Head.Kind));
        return true;
    }
}
