using System;
using System.Threading;
using BigPile.Caching.Entries;
using BigPile.Caching.Spill;

namespace BigPile.Caching.Tables;

/// <summary>The first half of an entry's way from memory to a file, which is inside the pile and touches no file.</summary>
internal static unsafe class Staging
{
    /// <summary>Copies an entry that is evicted, to be written by <c>Spilling.DrainSpill</c>. The lock of its bucket is held.</summary>
    /// <returns>The copy; none if the entry can't be had again: a value that was given out as a pointer goes with its object.</returns>
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

    /// <summary>Has a copy written, now that no slot leads to its entry: whoever notes a use of that sees this, and looks again.</summary>
    internal static void QueueDemotionLocked(this TableCore core, in EntryHead head, PendingDemotion pending)
    {
        Interlocked.MemoryBarrier();
        long used = core.UnwrittenUseOf(head);
        core.Spill!.QueueLocked(pending, used == 0 ? 0 : core.Clock.RenewalOf(head, used & ~ReadBuffer.Record.Ahead));
    }
}
