using System;
using System.Collections.Generic;
using BigPile.Caching.Capacity;
using BigPile.Caching.Entries;
using BigPile.Caching.Eviction;
using BigPile.Caching.Index;
using BigPile.Caching.Metrics;
using BigPile.Memory.Checking;

namespace BigPile.Caching.Tables;

/// <summary>Verifies a table's invariants. No other thread uses the table; sweeps wait.</summary>
internal sealed class TableCheck(TableEngine table)
{
    /// <summary>Checks index, entries, counters, limits and the evictor's queues. For tests.</summary>
    /// <exception cref="InvalidOperationException">An invariant is broken; the message says which.</exception>
    internal void Run() => table.Sweep.Stopped(RunAlone);

    private void RunAlone()
    {
        _ = new IndexCheck(table.Index).Run();
        if (table.Limits.Backfill is { } backfill)
            table.Shrink.CompleteBackfill(backfill);
        table.Limits.Evictor?.CheckInvariants();
        var seen = new Sums(table.Limits.Evictor?.TakeCensus());
        var keys = new HashSet<string>(StringComparer.Ordinal);
        for (ulong number = 0; number < table.Index.BucketCount; number++)
        {
            keys.Clear();
            table.Index.Locks.Enter(number); // uses that a read has recorded may be written beside this
            try
            {
                foreach (SlotPlace place in table.Index.SlotsOf(number))
                    CheckEntryLocked(place, number, keys, seen);
            }
            finally
            {
                table.Index.Locks.Exit(number);
            }
        }
        if (!seen.HasUnreadable)
            CheckSums(seen);
    }

    private unsafe void CheckEntryLocked(SlotPlace place, ulong number, HashSet<string> keys, Sums seen)
    {
        IndexSlot slot = place.Value;
        if (!table.Entries.TryViewLocked(slot.Address, out EntryHead head, out long payloadBytes)) // whatever tag the slot has
        {
            seen.HasUnreadable = true; // its page was damaged: its footprint is unknown
            return;
        }
        var key = new ReadOnlySpan<byte>(head.Key, head.KeyBytes);
        Invariant.Require(head.TableId == table.Id, $"Bucket {number} leads to an entry of table {head.TableId}, not {table.Id}.");
        Invariant.Require(keys.Add(Convert.ToHexString(key)), $"Bucket {number} has the key {Convert.ToHexString(key)} twice.");
        if (table.KeyComparer == null)
        {
            ulong hash = table.Hash.Of(key);
            Invariant.Require(slot.MayBe(hash), $"The entry of the key {Convert.ToHexString(key)} has the tag of another hash.");
            Invariant.Require(table.Index.IsIn(number, hash), $"The entry of the key {Convert.ToHexString(key)} is in another bucket.");
        }
        Invariant.Require(
            !head.MayBeDead || (place.Line->MayExpire && table.Content.HasExpirables),
            $"An entry of bucket {number} may expire, and no sweep looks at its line.");
        Invariant.Require(
            head.Priority == EntryPriority.Normal || table.Content.HasPriorities,
            $"An entry has priority {head.Priority}, and the table none.");
        if (head.Kind == ValueKind.Tombstone)
            return;
        seen.Add(head.Priority, payloadBytes, table.Heap.FootprintBytesOf(payloadBytes));
        bool isMain = place.IsInMain;
        Invariant.Require(
            seen.Census == null || head.Priority == EntryPriority.NeverEvict
                || table.Limits.Evictor!.TryTake(seen.Census, slot.KnownHash(number), head.Priority, isMain),
            $"An entry of priority {head.Priority} is not in the queue of its place (main: {isMain}), and can't be evicted.");
    }

    private void CheckSums(Sums seen)
    {
        (long Entries, long FootprintBytes, long PayloadBytes) counted =
            (table.Counters[Counter.Entries], table.Counters[Counter.FootprintBytes], table.Counters[Counter.PayloadBytes]);
        (long Entries, long FootprintBytes, long PayloadBytes) found = (seen.Entries, seen.FootprintBytes, seen.PayloadBytes);
        Invariant.Require(counted == found, $"Counted are {counted}, and there are {found}: entries, bytes of blocks and of payloads.");
        if (table.Limits.Evictor == null)
            return;
        (long Entries, long FootprintBytes) taken =
            (table.Limits.Budget.Entries, table.Limits.Budget.FootprintBytes);
        Invariant.Require(
            taken == (seen.Entries, seen.FootprintBytes),
            $"Entries and bytes that are taken for the limits are {taken}, those that are there {(seen.Entries, seen.FootprintBytes)}.");
        Invariant.Require(seen.Budget.HasSameByPriority(table.Limits.Budget), $"The footprint per priority is wrong.");
        Invariant.Require(
            taken.Entries <= table.Limits.Budget.MaxEntries,
            $"There are {taken.Entries} entries, and {table.Limits.Budget.MaxEntries} are allowed.");
    }

    /// <summary>The sums of a walk through the index.</summary>
    private sealed class Sums(EvictionCensus? census)
    {
        internal EvictionCensus? Census => census;

        internal Budget Budget { get; } = new();

        internal long Entries { get; private set; }

        internal long FootprintBytes { get; private set; }

        internal long PayloadBytes { get; private set; }

        internal bool HasUnreadable { get; set; }

        internal void Add(EntryPriority priority, long payloadBytes, long footprintBytes)
        {
            Entries++;
            PayloadBytes += payloadBytes;
            FootprintBytes += footprintBytes;
            Budget.AddToPriority(priority, footprintBytes);
        }
    }
}
