using System;
using System.Threading;
using BigPile.Access;
using BigPile.Caching.Entries;
using BigPile.Caching.Keys;
using BigPile.Caching.Liveness;
using BigPile.Caching.Metrics;
using BigPile.Caching.Spill;

namespace BigPile.Caching.Tables;

/// <summary>Reads blocks that are not in the pile.</summary>
internal sealed unsafe partial class DiskTier
{
    internal void ReadBlock<TReader>(PileBuffer block, ref TReader reader, out EntryInfo info)
        where TReader : struct, IPayloadReader, allows ref struct
    {
        fixed (byte* payload = block.WrittenSpan)
        {
            var head = new EntryHead(payload);
            int valueBytes = block.LengthBytes - head.ValueOffset;
            info = table.Liveness.Describe(head, valueBytes);
            reader.Read(payload + head.ValueOffset, valueBytes, EntryHead.BlockKindOf(head.Kind));
        }
    }

    internal static ulong VersionOf(ReadOnlySpan<byte> block)
    {
        fixed (byte* payload = block)
            return new EntryHead(payload).Version;
    }

    /// <summary>Whether a block is a valid entry of a key, and not dead.</summary>
    internal bool IsAliveBlockOf(in KeyProbe key, ReadOnlySpan<byte> block) =>
        table.Entries.IsEntryOf(key, block) && !table.Liveness.Of(block).IsDead();

    /// <summary>Reports and counts a dead entry.</summary>
    internal void ReportDead(ReadOnlySpan<byte> block, EntryState state)
    {
        fixed (byte* payload = block)
        {
            var head = new EntryHead(payload);
            Counter reason = state.Reason();
            table.Events.OnRemoved(head, block.Length, reason);
            table.Count(reason); // enters the table: the caller is outside
        }
    }

    /// <summary>Reports that an entry, counted as evicted before, is lost.</summary>
    internal void ReportEvicted(ReadOnlySpan<byte> block)
    {
        fixed (byte* payload = block)
            table.Events.OnRemoved(new EntryHead(payload), block.Length, Counter.Evictions);
    }

    /// <summary>Copies an evicted entry, for <see cref="Drain"/> to write. The bucket's lock is held.</summary>
    /// <returns>The copy; null for an entry that is not demoted: a pointer goes with its object, a tombstone has no value.</returns>
    internal PendingDemotion? BeginDemotionLocked(in LockedEntry entry)
    {
        if (entry.Head.Kind is ValueKind.Pointer or ValueKind.Tombstone)
            return null;
        byte* payload = table.Heap.View(entry.Address).Payload;
        int keyOffset = (int)(entry.Head.Key - payload);
        var key = new ReadOnlySpan<byte>(entry.Head.Key, entry.Head.KeyBytes);
        return spill.BeginDemotionLocked(
            table.Hash.Of(key), entry.Head.Version, new ReadOnlySpan<byte>(payload, (int)entry.PayloadBytes),
            keyOffset..(keyOffset + key.Length));
    }

    /// <summary>Queues the copy for writing, once no slot points to its entry.</summary>
    internal void QueueDemotionLocked(in EntryHead head, PendingDemotion pending)
    {
        // Slot, then records; pairs with the exchange in ReadBuffer.RecordUse. A read records its use, and then looks at the slot: it sees
        // that the slot has changed, or this sees its use.
        Interlocked.MemoryBarrier();
        long used = table.Liveness.UnwrittenUseOf(head);
        long bytes = pending.LengthBytes; // another thread may write it, once it is queued
        spill.QueueLocked(pending, used == 0 ? 0 : table.Clock.RenewalOf(head, used & ~ReadBuffer.Record.Ahead));
        table.PileCapacity.Backlog.Add(table.Shrink, bytes);
    }
}
