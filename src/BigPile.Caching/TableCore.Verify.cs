using System.Threading;
using BigPile.Caching.Entries;
using BigPile.Caching.Eviction;
using BigPile.Caching.Index;

namespace BigPile.Caching;

/// <summary>What must be true of a limited table.</summary>
internal sealed unsafe partial class TableCore
{
    /// <summary>
    /// Checks that every entry that may be evicted is in the queue that its place in the index says, and what is counted for the limits.
    /// Nobody else may work with the table meanwhile.
    /// </summary>
    /// <returns>What is wrong; <see langword="null"/>: nothing.</returns>
    internal string? FindFaultOfLimits()
    {
        if (_evictor == null)
            return null;
        EvictionCensus census = _evictor.TakeCensus();
        var usage = new TableUsage();
        for (ulong number = 0; number < _index.BucketCount; number++)
        {
            for (Bucket* line = _index.At(number); line != null; line = _index.Next(line))
            {
                if (FindFaultOfQueues(line, number, census, usage) is { } fault)
                    return fault;
            }
        }
        return FindFaultOfUsage() ?? (usage.HasNotesOf(_usage) ? null : "What is noted of the bytes of each priority is wrong.");
    }

    private string? FindFaultOfQueues(Bucket* line, ulong number, EvictionCensus census, TableUsage usage)
    {
        for (int slot = 0; slot < Bucket.SlotCount; slot++)
        {
            IndexSlot value = Bucket.Load(line, slot);
            if (value.IsEmpty || !TryViewSlotLocked(value, out EntryHead head, out long payloadBytes) || head.Kind == ValueKind.Tombstone)
                continue;
            usage.Note(head.Priority, Pile.Space.RoomBytesOf(payloadBytes));
            bool isMain = line->IsInMain(slot);
            if (head.Priority != EntryPriority.NeverEvict && !_evictor!.TryTake(census, value.KnownHash(number), head.Priority, isMain))
                return $"An entry of priority {head.Priority} is not in the queue of its place (main: {isMain}), and can't be evicted.";
        }
        return null;
    }

    private string? FindFaultOfUsage()
    {
        (long Entries, long RoomBytes) taken = (Interlocked.Read(ref _usage.Entries), Interlocked.Read(ref _usage.RoomBytes));
        (long Entries, long RoomBytes) found = (_counters[Counter.Entries], _counters[Counter.RoomBytes]);
        return taken == found ? null : $"Entries and bytes that are taken for the limits are {taken}, those that are there {found}.";
    }
}
