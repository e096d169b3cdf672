using System;
using System.Threading;
using BigPile.Caching.Entries;
using BigPile.Caching.Spill;

namespace BigPile.Caching.Tables;

/// <summary>The first half of a demotion from memory to the file: in the critical region, without file access.</summary>
internal static unsafe class Demotion
{
    /// <summary>Copies an evicted entry, for <c>Spilling.DrainSpill</c> to write. The bucket's lock is held.</summary>
    /// <returns>The copy; null for an entry that is not demoted: a pointer goes with its object, a tombstone has no value.</returns>
    internal static PendingDemotion? BeginDemotionLocked(this TableCore core, in LockedEntry entry)
    {
        if (core.Spill is not { } spill || entry.Head.Kind is ValueKind.Pointer or ValueKind.Tombstone)
            return null;
        byte* payload = core.Pile.Entries.View(entry.Address).Payload;
        int keyOffset = (int)(entry.Head.Key - payload);
        var key = new ReadOnlySpan<byte>(entry.Head.Key, entry.Head.KeyBytes);
        return spill.BeginDemotionLocked(
            core.Hash.Of(key), entry.Head.Version, new ReadOnlySpan<byte>(payload, (int)entry.PayloadBytes),
            keyOffset..(keyOffset + key.Length));
    }

    /// <summary>Queues the copy for writing, once no slot points to its entry.</summary>
    internal static void QueueDemotionLocked(this TableCore core, in EntryHead head, PendingDemotion pending)
    {
        // Slot, then records; pairs with the exchange in ReadBuffer.RecordUse. A read records its use, and then looks at the slot: it sees
        // that the slot has changed, or this sees its use.
        Interlocked.MemoryBarrier();
        long used = core.UnwrittenUseOf(head);
        core.Spill!.QueueLocked(pending, used == 0 ? 0 : core.Clock.RenewalOf(head, used & ~ReadBuffer.Record.Ahead));
    }
}
