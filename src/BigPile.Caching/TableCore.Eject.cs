using System;
using BigPile.Caching.Entries;
using BigPile.Caching.Index;
using BigPile.Concurrency;

namespace BigPile.Caching;

/// <summary>What a full bucket of a speculative table gives up for a new entry.</summary>
internal sealed unsafe partial class TableCore
{
    /// <summary>The lines that a bucket of a speculative table may have: their number bounds the cost of every operation.</summary>
    private const int MaxSpeculativeLines = 4;

    /// <summary>Takes the entry of least worth out of a full bucket.</summary>
    /// <returns>Its line, or null when none may go.</returns>
    private Bucket* EjectLocked(
        ThreadPresence presence, Bucket* bucket, EntryPriority most, ref long now, out int slot, out bool wasAlive)
    {
        Prefetch(bucket);
        Bucket* leastLine = null;
        Worth least = Worth.Most(most);
        slot = -1;
        for (Bucket* line = bucket; line != null; line = _index.Next(line))
        {
            for (int i = 0; i < Bucket.SlotCount; i++)
            {
                Worth worth = WorthLocked(line, i, ref now);
                if (!worth.IsBelow(least))
                    continue;
                least = worth;
                leastLine = line;
                slot = i;
            }
        }
        wasAlive = least.IsAlive;
        if (leastLine == null)
            return null;
        AgeLocked(bucket); // a put that is refused changes nothing
        if (TryViewSlotLocked(Bucket.Load(leastLine, slot), out EntryHead head, out long payloadBytes))
            DropLocked(presence, leastLine, slot, head, payloadBytes, wasAlive ? Counter.Evictions : ReasonOf(head));
        return leastLine;
    }

    /// <summary>Whether a bucket has a place for an entry of a priority, or one of less worth that may go for it.</summary>
    private bool HasPlaceLocked(Bucket* bucket, EntryPriority priority, ref long now)
    {
        if (IsRebuilding || _maxLines == int.MaxValue)
            return true;
        int lines = 0;
        for (Bucket* line = bucket; line != null; line = _index.Next(line), lines++)
        {
            if (lines < _maxLines && Bucket.FindEmptyLocked(line) >= 0)
                return true;
        }
        return lines < _maxLines || MayEjectLocked(bucket, priority, ref now);
    }

    private bool MayEjectLocked(Bucket* bucket, EntryPriority priority, ref long now)
    {
        for (Bucket* line = bucket; line != null; line = _index.Next(line))
        {
            for (int i = 0; i < Bucket.SlotCount; i++)
            {
                if (WorthLocked(line, i, ref now).IsBelow(Worth.Most(priority)))
                    return true;
            }
        }
        return false;
    }

    private void AgeLocked(Bucket* bucket)
    {
        for (Bucket* line = bucket; line != null; line = _index.Next(line))
        {
            for (int i = 0; i < Bucket.SlotCount; i++)
                line->SetFrequency(i, Math.Max(0, line->Frequency(i) - 1));
        }
    }

    private void Prefetch(Bucket* bucket)
    {
        for (Bucket* line = bucket; line != null; line = _index.Next(line))
        {
            for (int i = 0; i < Bucket.SlotCount; i++)
                Pile.Entries.Prefetch(Bucket.Load(line, i).Address);
        }
    }

    private Worth WorthLocked(Bucket* line, int slot, ref long now)
    {
        if (!TryViewSlotLocked(Bucket.Load(line, slot), out EntryHead head, out _))
            return Worth.Nothing;
        if (IsDead(head, ref now))
            return Worth.Nothing;
        return new Worth(head.Priority, line->Frequency(slot));
    }

    /// <summary>What an entry is worth: first by priority, then by use; below all is one that is no more.</summary>
    private readonly record struct Worth(EntryPriority Priority, int Uses)
    {
        /// <summary>What only entries that may go for one of a priority are below.</summary>
        internal static Worth Most(EntryPriority priority) => new(priority, int.MaxValue);

        internal static Worth Nothing => new(EntryPriority.Low, -1);

        internal bool IsAlive => Uses >= 0;

        internal bool IsBelow(Worth other) =>
            !IsAlive ? other.IsAlive
            : Priority != EntryPriority.NeverEvict && other.IsAlive
                && (Priority < other.Priority || (Priority == other.Priority && Uses < other.Uses));
    }
}
