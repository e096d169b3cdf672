using System;
using System.Threading;
using BigPile.Access;
using BigPile.Caching.Capacity;
using BigPile.Caching.Entries;
using BigPile.Caching.Index;

namespace BigPile.Caching.Tables;

/// <summary>Evicts what is over a table's limits, or for its full pile, and fills the evictor's queues in the background.</summary>
internal sealed unsafe class Shrink(TableEngine table) : IEvictingTable
{
    private static readonly TimeSpan LongestWait = TimeSpan.FromSeconds(1); // for a change of options, which takes far less

    private long _owedBytes; // less than an entry, of what the full pile has asked for; interlocked

    /// <inheritdoc/>
    public int Id => table.Id;

    /// <inheritdoc/>
    public long EvictableBytes => GivesWay ? table.Limits.Budget.EvictableBytes(EntryPriority.High) : 0;

    private bool GivesWay => table.Options.MayGiveWay && table.Limits.AreOn;

    /// <inheritdoc/>
    public void TryBeginToGiveWay()
    {
        if (!table.Options.MayGiveWay || table.Limits.AreOn || table.Visibility.IsRebuilding)
            return;
        // Not for ever: the caller may hold a stripe's lock, which who configures the table waits for.
        if (!table.ConfigurationLock.TryEnter(LongestWait))
            return;
        try
        {
            if (!table.Limits.AreOn)
                UnlessClosed(table.ReapplyLocked);
        }
        finally
        {
            table.ConfigurationLock.Exit();
        }
    }

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
        UnlessClosed(() =>
        {
            while (most-- > 0 && TryGiveWay(now))
                continue;
        });
    }

    /// <inheritdoc/>
    public long CostOf(in EntryHead head, long payloadBytes) => MayGo(head) ? table.Heap.FootprintBytesOf(payloadBytes) : -1;

    /// <inheritdoc/>
    public void Evict(ulong address)
    {
        long now = table.Clock.Now;
        UnlessClosed(() => EvictAt(address, now));
    }

    /// <inheritdoc/>
    public void QueueDrain()
    {
        if (table.Disk != null)
            table.Heap.Background.Queue($"the demotions of the table '{table.Name}'", Drain);
    }

    /// <inheritdoc/>
    public void Drain() => UnlessClosed(() => table.Disk?.Drain());

    private static void UnlessClosed(Action action)
    {
        try
        {
            action();
        }
        catch (ObjectDisposedException)
        {
            // closed or dropped meanwhile
        }
    }

    private bool MayGo(in EntryHead head) =>
        GivesWay && head.TableId == table.Id && head.Priority != EntryPriority.NeverEvict
        && head.Kind is not (ValueKind.TagMark or ValueKind.Tombstone);

    private void EvictAt(ulong address, long now)
    {
        using ChangeScope scope = table.EnterWriter();
        BlockSnapshot view = table.Heap.View(address);
        EntryHead head = view.IsNone ? default : EntryHead.Of(view);
        if (view.IsNone || !MayGo(head) || !head.FitsIn(view.PayloadBytes))
            return;
        // Read under no lock: of a key that has changed meanwhile no slot leads to the address.
        using LockedBucket bucket = table.Index.Lock(table.Hash.Of(new ReadOnlySpan<byte>(head.Key, head.KeyBytes)));
        foreach (SlotPlace place in bucket.Slots)
        {
            if (place.Value.Address != address || !table.Entries.TryViewLocked(place, out LockedEntry entry) || !MayGo(entry.Head))
                continue;
            new EvictionHost(table).EvictLocked(place, now);
            return;
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
