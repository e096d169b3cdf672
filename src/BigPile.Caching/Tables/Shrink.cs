using System;
using System.Diagnostics;
using System.Threading;
using System.Threading.Tasks;
using BigPile.Access;
using BigPile.Caching.Capacity;
using BigPile.Caching.Entries;
using BigPile.Caching.Index;
using BigPile.Caching.Keys;
using BigPile.Caching.Liveness;
using BigPile.Concurrency;

namespace BigPile.Caching.Tables;

/// <summary>Evicts what is over a table's limits, or for its full pile, and fills the evictor's queues in the background.</summary>
internal sealed unsafe class Shrink(TableEngine table) : IEvictingTable
{
    private static readonly TimeSpan LongestWait = TimeSpan.FromSeconds(1); // for a change of options, which takes far less

    private long _owedBytes; // of what the full pile has asked for; less than 0: it got more; interlocked
    private int _owesFile; // 1: in the backlog of demotions; interlocked
    private Func<byte[], ulong>? _hashByComparer; // of a key's bytes, by application code; null: the table's hash counts
    private bool _isOnCommand; // set under the configuration lock; stays

    /// <inheritdoc/>
    public int Id => table.Id;

    /// <inheritdoc/>
    public long EvictableBytes => EntryBytes + OwnedBytes;

    /// <inheritdoc/>
    public long OwnedBytes => EntryBytes == 0 ? 0 : table.Limits.Budget.OwnedBytes; // an error of the count may be left

    private long EntryBytes => GivesWay ? table.Limits.Budget.EvictableBytes(EntryPriority.High) : 0;

    private bool GivesWay => table.Options.MayGiveWay && table.Limits.AreOn;

    /// <inheritdoc/>
    public long SweepExpired(long bytes, ref int buckets)
    {
        try
        {
            return table.Sweep.ForPile(bytes, ref buckets);
        }
        catch (ObjectDisposedException)
        {
            return 0; // closed or dropped meanwhile
        }
    }

    /// <inheritdoc/>
    public bool TryWaitForRebuild(TimeSpan most)
    {
        if (!table.Options.MayGiveWay || !table.Visibility.IsRebuilding)
            return false;
        long began = Stopwatch.GetTimestamp();
        Task completion = table.Readiness.Completion; // of all tables: this one may be complete before
        while (table.Visibility.IsRebuilding)
        {
            // A walk that fails is repeated after a pause, which may be long.
            if (table.IsClosed || completion.IsCompleted || table.Readiness.Failure != null || Stopwatch.GetElapsedTime(began) > most)
                return !table.Visibility.IsRebuilding;
            _ = Task.WaitAny([completion], millisecondsTimeout: 20);
        }
        return true;
    }

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

    /// <summary>
    /// Has the table know who goes from now on, also without limits: it counts what it holds, and how its entries are used. The caller is
    /// outside of critical regions. For tests of applications.
    /// </summary>
    internal void BeginOnCommand()
    {
        PileRegions.ThrowIfInRegion();
        lock (table.ConfigurationLock)
        {
            _isOnCommand = true;
            if (!table.Limits.AreOn)
                table.ReapplyLocked();
        }
    }

    /// <summary>The table's keys are hashed by a comparer.</summary>
    /// <param name="hash">Hashes the bytes of a key; called outside of critical regions.</param>
    internal void HashBy(Func<byte[], ulong> hash) => _hashByComparer = hash;

    /// <summary>Whether the table has to know who goes though options may state no limit: for its full pile, or on command.</summary>
    internal bool IsDueWithoutLimits(TableOptions options) =>
        _isOnCommand || (options.MayGiveWay && table.PileCapacity.IsNearlyFull);

    /// <inheritdoc/>
    public void GiveWay(long bytes)
    {
        // Rounded to whole entries; what was too much or too little counts the next time.
        Budget budget = table.Limits.Budget;
        long half = (budget.FootprintBytes + budget.OwnedBytes) / Math.Max(1, budget.Entries) / 2;
        long owed = Interlocked.Exchange(ref _owedBytes, 0) + bytes;
        long end = EvictionHost.EvictedBytes + owed; // of this thread: beside puts of others the footprint does not tell what has gone
        long now = table.Clock.Now;
        UnlessClosed(() =>
        {
            while (end - EvictionHost.EvictedBytes > half && TryGiveWay(now))
                table.PileCapacity.Backlog.WriteBurst();
        });
        Interlocked.Add(ref _owedBytes, Math.Min(end - EvictionHost.EvictedBytes, half));
    }

    /// <inheritdoc/>
    public long CostOf(in EntryHead head, long payloadBytes) =>
        MayGo(head) ? table.Heap.FootprintBytesOf(payloadBytes) + table.Entries.OwnedBytesOf(head, payloadBytes) : -1;

    /// <inheritdoc/>
    public long Evict(ulong address)
    {
        long before = EvictionHost.EvictedBytes;
        long now = table.Clock.Now;
        UnlessClosed(() =>
        {
            if (TryHash(address, out ulong hash))
                EvictAt(address, hash, now);
        });
        return EvictionHost.EvictedBytes - before;
    }

    /// <inheritdoc/>
    public bool TryBeginToOwe() => Interlocked.Exchange(ref _owesFile, 1) == 0;

    /// <inheritdoc/>
    public long Drain(long mostBytes, bool waits)
    {
        // Before it dequeues: who adds a copy from here on, and finds it 0, has the table drained again.
        Interlocked.Exchange(ref _owesFile, 0);
        long written = 0;
        UnlessClosed(() => written = table.Disk?.Demotions.Drain(mostBytes, waits) ?? 0);
        return written;
    }

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

    private bool MayGo(in EntryHead head) => GivesWay && head.TableId == table.Id && IsEvictable(head);

    private static bool IsEvictable(in EntryHead head) =>
        head.Priority != EntryPriority.NeverEvict && head.Kind is not (ValueKind.TagMark or ValueKind.Tombstone);

    // Read under no lock: if the block is another one by now, no slot leads from this hash to it.
    private bool TryHash(ulong address, out ulong hash)
    {
        hash = 0;
        byte[]? compared = null;
        using (ReadScope scope = table.EnterReader())
        {
            BlockSnapshot view = table.Heap.View(address);
            EntryHead head = view.IsNone ? default : EntryHead.Of(view);
            if (view.IsNone || !MayGo(head) || !head.FitsIn(view.PayloadBytes))
                return false;
            var key = new ReadOnlySpan<byte>(head.Key, head.KeyBytes);
            if (_hashByComparer == null)
                hash = table.Hash.Of(key);
            else
                compared = key.ToArray();
            if (!view.Validate())
                return false;
        }
        if (compared != null)
            hash = _hashByComparer!(compared); // outside of the region
        return true;
    }

    private void EvictAt(ulong address, ulong hash, long now)
    {
        using ChangeScope scope = table.EnterWriter();
        using LockedBucket bucket = table.Index.Lock(hash);
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
        table.Disk?.Demotions.Drain();
        return true;
    }

    /// <summary>
    /// Evicts a key's entry, and writes it to the file. The caller is outside of critical regions. For tests of applications.
    /// </summary>
    /// <returns>Whether there was a live entry that may go.</returns>
    internal bool TryEvict(in KeyProbe key)
    {
        while (true)
        {
            try
            {
                bool isGone = TryEvictInRegion(key, table.Clock.Now);
                table.Disk?.Demotions.Drain();
                return isGone;
            }
            catch (KeyNotComparedException)
            {
                key.Matcher!.Learn(); // no lock is held any more
            }
        }
    }

    private bool TryEvictInRegion(in KeyProbe key, long now)
    {
        using ChangeScope scope = table.EnterWriter();
        using LockedBucket bucket = table.Index.Lock(key.Hash);
        if (!table.Entries.TryFindLocked(bucket, key, out LockedEntry entry) || !IsEvictable(entry.Head))
            return false;
        bool isLive = !table.Liveness.Of(entry.Head, ref now).IsDead();
        new EvictionHost(table).EvictLocked(entry.Place, now);
        return isLive;
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
