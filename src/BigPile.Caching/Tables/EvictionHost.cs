using System;
using System.Diagnostics;
using BigPile.Caching.Capacity;
using BigPile.Caching.Entries;
using BigPile.Caching.Eviction;
using BigPile.Caching.Eviction.Policies;
using BigPile.Caching.Index;
using BigPile.Caching.Liveness;
using BigPile.Caching.Metrics;
using BigPile.Concurrency;
using BigPile.Memory.Concurrency;

namespace BigPile.Caching.Tables;

/// <summary>The evictor's view of a table.</summary>
internal sealed class EvictionHost(TableEngine table) : IEvictionHost
{
    /// <summary>The bytes of all that the calling thread has evicted, with owned objects: who has a table give way compares it.</summary>
    [ThreadStatic]
    internal static long EvictedBytes;

    private TableLimits Limits => table.Limits;

    public TableIndex Index => table.Index;

    public long Entries => Limits.Budget.Entries;

    public TableCapacity Capacity => Limits.Capacity;

    public bool MayHavePriorityLocked(SlotPlace place, EntryPriority priority) =>
        !table.Content.HasPriorities || !table.Entries.TryViewLocked(place, out LockedEntry entry) || entry.Head.Priority == priority;

    public double WeightLocked(SlotPlace place) =>
        Limits.IsInBytes && table.Entries.TryViewLocked(place, out LockedEntry entry) ? Limits.WeightOf(entry.PayloadBytes) : 1;

    public void Prefetch(IndexSlot slot) => table.Heap.Prefetch(slot.Address);

    public void EvictLocked(SlotPlace place, long now)
    {
        CriticalRegion critical = PileRegions.Current; // entered by who evicts; the evictor does not hand it on
        Debug.Assert(critical.IsOpen, "An entry is freed in a critical region only.");
        Debug.Assert(!place.Value.IsEmpty, "The evictor chose an entry under the bucket's lock: it is still there.");
        if (!table.Entries.TryViewLocked(place, out LockedEntry entry))
        {
            table.Delete.DropLostLocked(critical, place);
            return;
        }
        // It may have died in the queue: that is no eviction, and the spill file does not get it.
        EntryState state = table.Liveness.Of(entry.Head, ref now);
        EvictedBytes += table.Heap.FootprintBytesOf(entry.PayloadBytes) + table.Entries.OwnedBytesOf(entry.Head, entry.PayloadBytes);
        table.Delete.DropLocked(critical, entry, state.IsDead() ? state.Reason() : Counter.Evictions);
    }
}
