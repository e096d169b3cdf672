using System;
using System.Diagnostics;
using BigPile.Access;
using BigPile.Caching.Entries;
using BigPile.Caching.Index;
using BigPile.Caching.Keys;
using BigPile.Caching.Spill;
using BigPile.Caching.Tables;
using BigPile.Concurrency;

namespace BigPile.Caching.Operations;

/// <summary>Leases views of values in place.</summary>
internal static unsafe class Leasing
{
    /// <summary>Leases an entry's value in place.</summary>
    /// <param name="core">The table.</param>
    /// <param name="key">The key.</param>
    /// <param name="lease">The lease.</param>
    /// <param name="info">Version and size of the entry.</param>
    /// <param name="isUse">Whether the lease counts as a use of the entry.</param>
    internal static bool TryLease(this TableCore core, in KeyProbe key, out PileLease? lease, out EntryInfo info, bool isUse = true) =>
        core.TryLeaseInMemory(key, out lease, out info, isUse)
            || (core.Spill is { } spill && core.TryLeaseSpilled(spill, key, out lease, out info, isUse));

    private static bool TryLeaseSpilled(
        this TableCore core, SpillStore spill, in KeyProbe key, out PileLease? lease, out EntryInfo info, bool isUse)
    {
        PileBuffer block = BufferRental.Rent();
        try
        {
            if (!isUse)
                return core.TryLeaseSpilledPeek(spill, key, block, out lease, out info);
            while (true)
            {
                SpillOutcome outcome = core.Promote(spill, key, block); // a lease in place needs the entry in memory
                if (outcome == SpillOutcome.MemoryFull)
                    return core.LeaseCopy(block, out lease, out info); // it stays in the file
                if (core.TryLeaseInMemory(key, out lease, out info, isUse))
                    return true;
                // Else it was evicted again between the two.
                if (outcome == SpillOutcome.Missing)
                    return false;
            }
        }
        finally
        {
            BufferRental.Return(block);
        }
    }

    // The entry stays in the file.
    private static bool TryLeaseSpilledPeek(
        this TableCore core, SpillStore spill, in KeyProbe key, PileBuffer block, out PileLease? lease, out EntryInfo info)
    {
        lock (spill.StripeOf(key.Hash).Lock)
        {
            // Again, under the lock: it may have been promoted since the first try.
            return core.TryLeaseInMemory(key, out lease, out info, isUse: false)
                || (core.TryReadAliveStripeLocked(spill, key, block) && core.LeaseCopy(block, out lease, out info));
        }
    }

    private static bool LeaseCopy(this TableCore core, PileBuffer block, out PileLease? lease, out EntryInfo info)
    {
        fixed (byte* payload = block.WrittenSpan)
        {
            var head = new EntryHead(payload);
            ReadOnlySpan<byte> value = block.WrittenSpan[head.ValueOffset..];
            info = core.Describe(head, value.Length);
            lease = CopiedLease.Of(value, EntryHead.BlockKindOf(head.Kind));
            return true;
        }
    }

    private static bool TryLeaseInMemory(this TableCore core, in KeyProbe key, out PileLease? lease, out EntryInfo info, bool isUse)
    {
        if (!core.TryLeaseLocking(key, out lease, out info, isUse, out bool slides))
            return false;
        // Recorded like that of any read: the application's clock can't be read under the lock.
        if (isUse && slides && core.Touch(key, out EntryInfo used) && used.Version == info.Version)
            info = used;
        return true;
    }

    private static bool TryLeaseLocking(
        this TableCore core, in KeyProbe key, out PileLease? lease, out EntryInfo info, bool isUse, out bool slides)
    {
        lease = null;
        info = default;
        long now = core.Clock.BeforeLock;
        slides = false;
        using (ChangeScope scope = core.EnterWriter())
        {
            try
            {
                using LockedBucket bucket = core.Index.Lock(key.Hash);
                if (!core.TryFindLocked(bucket, key, out LockedEntry entry) || core.IsNoneLocked(entry.Head, ref now))
                    return false;
                slides = entry.Head.IsSliding;
                return core.TryLeaseLocked(entry, isUse, out lease, out info);
            }
            catch (KeyNotComparedException)
            {
                // no lock is held any more
            }
        }
        key.Matcher!.Learn();
        return core.TryLeaseLocking(key, out lease, out info, isUse, out slides);
    }

    private static bool TryLeaseLocked(this TableCore core, in LockedEntry entry, bool isUse, out PileLease? lease, out EntryInfo info)
    {
        Debug.Assert(PileRegions.Current.IsOpen, "The critical region keeps the block until the lease does.");
        ulong address = entry.Address;
        if (core.ChecksEveryRead)
            _ = core.Pile.Entries.IsIntact(address, core.Pile.Entries.View(address)); // throws if damaged
        if (isUse && core.CountsUses)
            entry.Place.Line->CountUse(entry.Place.Slot);
        if (entry.Head.Kind == ValueKind.Pointer)
        {
            bool found = core.Pile.TryLease(entry.Owned, out lease);
            info = found ? core.Describe(entry.Head, lease!.Memory.Length) : default;
            return found;
        }
        info = core.Describe(entry.Head, (int)(entry.PayloadBytes - entry.Head.ValueOffset));
        Debug.Assert(entry.Head.ValueOffset + (long)info.ValueBytes == entry.PayloadBytes, "A value ends with its entry.");
        // Under the bucket's lock, which a free of the entry holds as well: EntryBlocks.Free sees the lease.
        lease = core.Pile.Lessor.LeaseEntry(address, entry.Head.ValueOffset, info.ValueBytes, EntryHead.BlockKindOf(entry.Head.Kind));
        return true;
    }
}
