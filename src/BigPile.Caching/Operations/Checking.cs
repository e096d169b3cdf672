using System;
using System.Collections.Generic;
using System.Threading;
using BigPile.Caching.Entries;
using BigPile.Caching.Eviction;
using BigPile.Caching.Index;
using BigPile.Caching.Metrics;
using BigPile.Caching.Tables;
using BigPile.Memory.Checking;

namespace BigPile.Caching.Operations;

/// <summary>Verifies a table's invariants. No other thread uses the table.</summary>
internal static class Checking
{
    /// <summary>Checks index, entries, counters, limits and the evictor's queues. For tests.</summary>
    /// <exception cref="InvalidOperationException">An invariant is broken; the message says which.</exception>
    internal static void CheckInvariants(this TableCore core)
    {
        _ = new IndexCheck(core.Index).Run();
        if (core.Backfill is { } backfill)
            core.BackfillAll(backfill);
        core.Evictor?.CheckInvariants();
        var seen = new Sums(core.Evictor?.TakeCensus());
        var keys = new HashSet<string>(StringComparer.Ordinal);
        for (ulong number = 0; number < core.Index.BucketCount; number++)
        {
            keys.Clear();
            foreach (SlotPlace place in core.Index.SlotsOf(number))
                core.CheckEntry(place, number, keys, seen);
        }
        if (!seen.HasUnreadable)
            core.CheckSums(seen);
    }

    private static unsafe void CheckEntry(this TableCore core, SlotPlace place, ulong number, HashSet<string> keys, Sums seen)
    {
        if (!core.TryViewLocked(place, out LockedEntry entry))
        {
            seen.HasUnreadable = true; // its page was damaged: its footprint is unknown
            return;
        }
        EntryHead head = entry.Head;
        var key = new ReadOnlySpan<byte>(head.Key, head.KeyBytes);
        Invariant.Require(head.TableId == core.Id, $"Bucket {number} leads to an entry of table {head.TableId}, not {core.Id}.");
        Invariant.Require(keys.Add(Convert.ToHexString(key)), $"Bucket {number} has the key {Convert.ToHexString(key)} twice.");
        Invariant.Require(
            core.KeyComparer != null || place.Value.MayBe(core.Hash.Of(key)),
            $"The entry of the key {Convert.ToHexString(key)} has the tag of another hash.");
        Invariant.Require(
            !head.MayBeDead || (place.Line->MayExpire && core.HasExpirables),
            $"An entry of bucket {number} may expire, and no sweep looks at its line.");
        Invariant.Require(
            head.Priority == EntryPriority.Normal || core.HasPriorities, $"An entry has priority {head.Priority}, and the table none.");
        if (head.Kind == ValueKind.Tombstone)
            return;
        seen.Add(head.Priority, entry.PayloadBytes, core.Pile.Blocks.FootprintBytesOf(entry.PayloadBytes));
        bool isMain = place.Line->IsInMain(place.Slot);
        Invariant.Require(
            seen.Census == null || head.Priority == EntryPriority.NeverEvict
                || core.Evictor!.TryTake(seen.Census, place.Value.KnownHash(number), head.Priority, isMain),
            $"An entry of priority {head.Priority} is not in the queue of its place (main: {isMain}), and can't be evicted.");
    }

    private static void CheckSums(this TableCore core, Sums seen)
    {
        (long Entries, long FootprintBytes, long PayloadBytes) counted =
            (core.Counters[Counter.Entries], core.Counters[Counter.FootprintBytes], core.Counters[Counter.PayloadBytes]);
        (long Entries, long FootprintBytes, long PayloadBytes) found = (seen.Entries, seen.FootprintBytes, seen.PayloadBytes);
        Invariant.Require(counted == found, $"Counted are {counted}, and there are {found}: entries, bytes of blocks and of payloads.");
        if (core.Evictor == null)
            return;
        (long Entries, long FootprintBytes) taken =
            (Interlocked.Read(ref core.Usage.Entries), Interlocked.Read(ref core.Usage.FootprintBytes));
        Invariant.Require(
            taken == (seen.Entries, seen.FootprintBytes),
            $"Entries and bytes that are taken for the limits are {taken}, those that are there {(seen.Entries, seen.FootprintBytes)}.");
        Invariant.Require(seen.Usage.HasSameByPriority(core.Usage), $"The footprint per priority is wrong.");
        Invariant.Require(
            taken.Entries <= core.Usage.MaxEntries, $"There are {taken.Entries} entries, and {core.Usage.MaxEntries} are allowed.");
    }

    /// <summary>The sums of a walk through the index.</summary>
    private sealed class Sums(EvictionCensus? census)
    {
        internal EvictionCensus? Census => census;

        internal TableUsage Usage { get; } = new();

        internal long Entries { get; private set; }

        internal long FootprintBytes { get; private set; }

        internal long PayloadBytes { get; private set; }

        internal bool HasUnreadable { get; set; }

        internal void Add(EntryPriority priority, long payloadBytes, long footprintBytes)
        {
            Entries++;
            PayloadBytes += payloadBytes;
            FootprintBytes += footprintBytes;
            Usage.AddToPriority(priority, footprintBytes);
        }
    }
}
