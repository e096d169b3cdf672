using System;
using System.Threading;
using BigPile.Access;
using BigPile.Caching.Capacity;

namespace BigPile.Caching.Tables;

/// <summary>Evicts what is over a table's limits, or for its full pile, and fills the evictor's queues in the background.</summary>
internal sealed class Shrink(TableEngine table) : IGivesWay
{
    private long _owedBytes; // less than an entry, of what the full pile has asked for; interlocked

    /// <summary>The footprint of what a full pile may take: entries of a speculative table that has a limit, and so an evictor.</summary>
    public long EvictableBytes => table.Options.CollisionMode == CollisionMode.Speculative && table.Limits.AreOn
        ? table.Limits.Budget.EvictableBytes(EntryPriority.High)
        : 0;

    /// <inheritdoc/>
    public void GiveWay(long bytes)
    {
        // Counted by the mean: beside puts of other threads the footprint does not tell what an eviction has freed. By their own, however
        // few they are: of a few large ones the usual estimate would evict all.
        Budget budget = table.Limits.Budget;
        long mean = Math.Max(1, budget.FootprintBytes / Math.Max(1, budget.Entries));
        long most = Interlocked.Add(ref _owedBytes, bytes) / mean;
        Interlocked.Add(ref _owedBytes, -most * mean);
        if (most <= 0)
            return; // less than an entry: nothing to evict, and nothing to write
        long now = table.Clock.Now;
        try
        {
            while (most-- > 0 && TryGiveWay(now))
                continue;
        }
        catch (ObjectDisposedException)
        {
            // closed or dropped meanwhile
        }
        // Later: the caller may hold a stripe's lock, and the drain takes others.
        if (table.Disk is { } disk)
            table.Heap.Background.Queue($"the demotions of the table '{table.Name}'", () => disk.Drain());
    }

    /// <inheritdoc/>
    public void Drain()
    {
        try
        {
            table.Disk?.Drain();
        }
        catch (ObjectDisposedException)
        {
            // closed or dropped meanwhile
        }
    }

    private bool TryGiveWay(long now)
    {
        using ChangeScope scope = table.EnterWriter();
        return EvictableBytes != 0 && table.Limits.TryEvictInTurn(now); // in the region, where options stay
    }

    /// <summary>
    /// Evicts some of what is over the limits: entries that were never evictable when these were lowered may be evictable now. The caller
    /// is outside of critical regions.
    /// </summary>
    internal void Evict(int most, CancellationToken stop = default)
    {
        while (most-- > 0 && !stop.IsCancellationRequested && table.Limits.IsOver() && TryEvictOne(table.Clock.Now))
            continue;
    }

    /// <summary>
    /// Evicts one entry of a table that is over its limits, and writes it to the file. The caller is outside of critical regions.
    /// </summary>
    /// <returns>Whether there was an evictable entry.</returns>
    internal bool TryEvictOne(long now)
    {
        using (ChangeScope scope = table.EnterWriter())
        {
            if (!table.Limits.AreOn || !table.Limits.TryEvictInTurn(now))
                return false;
        }
        // One at a time: so no more than one copy waits for the file.
        table.Disk?.Drain();
        return true;
    }

    /// <summary>Completes a backfill of the evictor's queues. The caller is outside of critical regions.</summary>
    internal void CompleteBackfill(Backfill backfill)
    {
        try
        {
            bool isMore = true;
            while (isMore)
            {
                using (ReadScope scope = table.EnterReader())
                    isMore = table.Limits.ContinueBackfill(backfill);
                Thread.Yield();
            }
        }
        catch (ObjectDisposedException)
        {
            // the table is being closed
        }
    }

    /// <summary>Evicts what is over the limits after they were lowered.</summary>
    internal void EvictLocked(long now)
    {
        while (table.Limits.IsOver() && TryEvictOne(now))
            continue;
    }
}
