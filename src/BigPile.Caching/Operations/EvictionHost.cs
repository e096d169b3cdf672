using System;
using System.Diagnostics;
using System.Threading;
using BigPile.Caching.Eviction;
using BigPile.Caching.Eviction.Policies;
using BigPile.Caching.Index;
using BigPile.Caching.Metrics;
using BigPile.Caching.Tables;
using BigPile.Concurrency;
using BigPile.Memory.Concurrency;

namespace BigPile.Caching.Operations;

/// <summary>The evictor's view of a table.</summary>
internal sealed class EvictionHost(TableCore core) : IEvictionHost
{
    public TableIndex Index => core.Index;

    public long Entries => Interlocked.Read(ref core.Usage.Entries);

    public TableCapacity Capacity
    {
        get
        {
            if (core.Options.MaxBytes == null)
                return new TableCapacity(core.Usage.MaxEntries, core.Usage.MaxEntries);
            return new TableCapacity(Math.Max(1, Entries), Math.Max(1, Interlocked.Read(ref core.Usage.FootprintBytes)));
        }
    }

    public bool MayHavePriorityLocked(SlotPlace place, EntryPriority priority) =>
        !core.HasPriorities || !core.TryViewLocked(place, out LockedEntry entry) || entry.Head.Priority == priority;

    public double WeightLocked(SlotPlace place) =>
        core.Options.MaxBytes != null && core.TryViewLocked(place, out LockedEntry entry) ? core.WeightOf(entry.PayloadBytes) : 1;

    public void Prefetch(IndexSlot slot) => core.Pile.Entries.Prefetch(slot.Address);

    public void EvictLocked(SlotPlace place, long now)
    {
        CriticalRegion critical = PileRegions.Current; // entered by who evicts; the evictor does not hand it on
        Debug.Assert(critical.IsOpen, "An entry is freed in a critical region only.");
        Debug.Assert(!place.Value.IsEmpty, "The evictor chose an entry under the bucket's lock: it is still there.");
        if (core.TryViewLocked(place, out LockedEntry entry))
        {
            // It may have died in the queue: that is no eviction, and the spill file does not get it.
            Liveness liveness = core.LivenessOf(entry.Head, ref now);
            core.DropLocked(critical, entry, liveness.IsDead() ? liveness.Reason() : Counter.Evictions);
            return;
        }
        place.Store(default); // the page was found damaged after opening: nothing is left to free
        core.CountGone(critical, 0);
        if (core.Intents != null)
            core.ReportDamage("leads to an entry that there is not");
    }
}
