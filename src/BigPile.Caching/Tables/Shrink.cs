using System;
using System.Threading;
using BigPile.Access;
using BigPile.Caching.Capacity;

namespace BigPile.Caching.Tables;

/// <summary>Evicts what is over a table's limits, and fills the evictor's queues in the background.</summary>
internal readonly struct Shrink(TableEngine table)
{
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
