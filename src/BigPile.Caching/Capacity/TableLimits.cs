using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Caching.Entries;
using BigPile.Caching.Eviction;
using BigPile.Caching.Eviction.Policies;
using BigPile.Caching.Feed;
using BigPile.Caching.Index;
using BigPile.Caching.Liveness;
using BigPile.Tables;

namespace BigPile.Caching.Capacity;

/// <summary>The limits of a table: its budget, who is admitted at a limit, and who goes.</summary>
/// <remarks>
/// A put reserves before it writes, and evicts until the reservation fits, so no put takes the usage above a limit. A put that will be
/// refused evicts nothing: whether enough is evictable is asked first. Limits change only while no thread is in the table.
/// Evictions take the lock of an evictor's shard, and then that of a bucket; so none is made by a caller that holds a bucket's lock.
/// Thread safety: all members may be called concurrently, but those that say that no thread is in the table.
/// </remarks>
internal sealed unsafe partial class TableLimits(TableIndex index, TableHeap heap, EntryStore entries, ContentFlags content, TableFeed feed)
{
    private const long LargeLimitBytes = 64 << 20; // from this limit on the large allowance
    private const long LargeAllowanceBytes = 4 << 20; // index lines and queue pages between two checks
    private const long SmallAllowanceBytes = 128 << 10; // the same, below LargeLimitBytes
    private const long TypicalEntryBytes = 256; // until there are EntriesThatTell
    private const long EntriesThatTell = 16; // from so many on the mean counts
    private const int MostForNothing = 16; // evictions for a block that the pile may still refuse

    // The evictor's queues may grow by this much during an eviction: reserved in advance, it avoids one that still does not suffice.
    private const long GrowthOfQueuesBytes = 2 * HashQueue.NodeBytes;

    private readonly Budget _budget = new();
    private Evictor? _evictor; // null without a limit, while the index is rebuilt, and once closed
    private Backfill? _backfill; // of the evictor's queues with entries from before it; cleared by the thread that completes it
    private long _maxBytes; // 0: entries are limited, or nothing. One word, as who is in no critical region may read it while it changes

    /// <summary>Whether entries may go when the pile is full, and it has a limit. Changes while no thread is in the table.</summary>
    internal bool GivesWay { get; private set; }

    /// <summary>Whether the limits are enforced.</summary>
    internal bool AreOn
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Evictor != null;
    }

    internal long EvictorBytes => Evictor?.SizeBytes ?? 0;

    /// <summary>The capacity as the evictor counts it: in bytes, of the entries that there are.</summary>
    internal TableCapacity Capacity => IsInBytes
        ? new TableCapacity(Math.Max(1, _budget.Entries), Math.Max(1, _budget.FootprintBytes))
        : new TableCapacity(_budget.MaxEntries, _budget.MaxEntries);

    /// <summary>Chooses what to evict; null without a limit, and while the index is rebuilt.</summary>
    internal Evictor? Evictor
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => Volatile.Read(ref _evictor);
    }

    /// <summary>Whether entries are weighed in bytes: there is a limit in bytes, or none and the table gives way in a full pile.</summary>
    internal bool IsInBytes => Volatile.Read(ref _maxBytes) != 0;

    /// <summary>What the table holds and has reserved.</summary>
    internal Budget Budget => _budget;

    /// <summary>
    /// The bytes available for blocks: the limit less index, window of the feed, evictor (with what its first eviction allocates) and a
    /// small allowance for index lines and queue pages added between two checks.
    /// </summary>
    internal long BlockLimitBytes =>
        Volatile.Read(ref _maxBytes) is var limit and not 0 ? BytesBesideIndex(limit) - (Evictor?.NeededBytes ?? 0) : long.MaxValue;

    /// <summary>What a limit leaves for blocks and evictor; negative where index and feed alone take more.</summary>
    internal long BytesBesideIndex(long limit) =>
        limit - (limit >= LargeLimitBytes ? LargeAllowanceBytes : SmallAllowanceBytes) - index.SizeBytes - feed.SizeBytes;

    /// <summary>Whether the index may allocate a number of bytes more.</summary>
    internal bool MayGrowBy(long bytes) => !IsInBytes || !AreOn || _budget.FootprintBytes + bytes <= BlockLimitBytes;

    /// <summary>The mean footprint of an entry; an estimate while there are few.</summary>
    internal long MeanEntryBytes()
    {
        long count = _budget.Entries;
        return count < EntriesThatTell ? TypicalEntryBytes : Math.Max(1, _budget.FootprintBytes / count);
    }

    /// <summary>The weight of an entry in the evictor: its footprint if bytes are limited, else 1.</summary>
    internal double WeightOf(long payloadBytes) => IsInBytes ? heap.FootprintBytesOf(payloadBytes) : 1;

    /// <summary>
    /// Begins to enforce limits, or changes them; without any, to know who goes when the pile is full. No thread is in the table.
    /// </summary>
    /// <param name="options">The limits.</param>
    /// <param name="count">The entries that the table has.</param>
    /// <param name="footprintBytes">Their footprint.</param>
    /// <param name="host">The evictor's view of the table.</param>
    /// <returns>The backfill to be completed in the background; null if there is none.</returns>
    internal Backfill? Begin(TableOptions options, long count, long footprintBytes, IEvictionHost host)
    {
        SetGivesWay(options);
        long maxBytes = options.MaxBytes ?? long.MaxValue;
        Volatile.Write(ref _maxBytes, options.MaxBytes == null && options.MaxEntries != null ? 0 : maxBytes);
        // No put holds a reservation now, so the usage is what the counters say.
        _budget.Begin(options.MaxEntries ?? long.MaxValue, count, footprintBytes);
        long expected = Math.Min(_budget.MaxEntries, maxBytes / MeanEntryBytes());
        var capacity = new TableCapacity(Math.Max(1, expected), options.MaxBytes ?? expected);
        if (Evictor is { } evictor && !evictor.IsTooDivided(capacity))
        {
            evictor.SetCapacity(capacity); // it keeps what it has learned
            return null;
        }
        DropEvictor();
        evictor = new Evictor(host, capacity, isCertain: !IsInBytes);
        Volatile.Write(ref _evictor, evictor);
        _budget.ClearByPriority();
        return count == 0 ? null : BeginBackfill(evictor);
    }

    /// <summary>Ends the enforcement. No thread is in the table.</summary>
    internal void End(TableOptions options)
    {
        SetGivesWay(options);
        Volatile.Write(ref _maxBytes, options.MaxBytes ?? 0);
        DropEvictor();
    }

    private void SetGivesWay(TableOptions options)
    {
        GivesWay = options.MayGiveWay && heap.HasLimit;
        if (GivesWay)
            heap.Separation.Begin();
    }

    /// <summary>Has another evictor choose, with another policy. No thread is in the table. For tests.</summary>
    internal void Use(Evictor evictor) => Volatile.Write(ref _evictor, evictor);

    /// <summary>Frees the evictor. Calls are refused by now.</summary>
    internal void Dispose()
    {
        _evictor?.Dispose();
        Volatile.Write(ref _evictor, null);
    }

    /// <summary>Prefetches what the evictor reads of a hash. Takes no lock.</summary>
    internal void Prefetch(ulong hash, EntryPriority priority) => _evictor!.Prefetch(hash, priority);

    /// <summary>Reserves for a new entry, if it fits.</summary>
    /// <param name="hash">The hash of its key.</param>
    /// <param name="priority">Its priority.</param>
    /// <param name="footprintBytes">Its footprint.</param>
    /// <param name="queue">Its queue in the evictor, where that is known.</param>
    internal bool TryReserve(ulong hash, EntryPriority priority, long footprintBytes, ref EntryQueue queue)
    {
        if (!_budget.TryTake(takesEntry: true, footprintBytes, BlockLimitBytes))
            return false;
        if (queue == EntryQueue.Undecided)
            queue = _evictor!.QueueBelowCapacity(hash, priority); // Undecided: Enter chooses
        return true;
    }

    /// <summary>Reserves one entry or none, and bytes, if they fit.</summary>
    internal bool TryTake(bool takesEntry, long bytes) => _budget.TryTake(takesEntry, bytes, BlockLimitBytes);

    internal void Release(in Reservation reserved) => _budget.Release(reserved.HasEntry ? 1 : 0, reserved.FootprintBytes);

    /// <summary>Whether enough may be evicted to reserve some bytes more. Asked before the first eviction.</summary>
    internal bool CanEvictFor(long moreBytes, EntryPriority priority, in OwnEntry own)
    {
        if (moreBytes == 0)
            return true;
        bool isOwnEvictable = own.IsThere && own.Priority <= priority && own.Priority != EntryPriority.NeverEvict;
        long evictableBytes = _budget.EvictableBytes(priority) - (isOwnEvictable ? own.FootprintBytes : 0);
        return _budget.FootprintBytes - evictableBytes + moreBytes + GrowthOfQueuesBytes <= BlockLimitBytes;
    }

    /// <summary>
    /// Whether a block of this size replaces so many entries that it is allocated before them: else all of them might be evicted for
    /// nothing. One that replaces a few is allocated after their eviction, as theirs may be all the space that the pile has.
    /// </summary>
    internal bool ReplacesMany(long moreBytes) => IsInBytes && moreBytes > MostForNothing * MeanEntryBytes();

    /// <summary>Evicts a few entries for a block that the full pile refuses.</summary>
    internal void EvictFew(ulong hash, EntryPriority priority, in OwnEntry own, long now)
    {
        for (int i = 0; i < MostForNothing && TryEvict(hash, priority, now, own.Address); i++)
            continue;
    }

    /// <summary>Evicts entries until a reservation for another one fits.</summary>
    /// <param name="hash">The hash of its key.</param>
    /// <param name="priority">Its priority.</param>
    /// <param name="own">The entry that the key has already; it stays.</param>
    /// <param name="moreBytes">The bytes to reserve.</param>
    /// <param name="weight">The weight of the new entry.</param>
    /// <param name="now">The time.</param>
    /// <param name="queue">Its queue in the evictor, which this may choose.</param>
    /// <returns><see langword="false"/> when not enough may go.</returns>
    internal bool TryEvictFor(
        ulong hash, EntryPriority priority, in OwnEntry own, long moreBytes, double weight, long now, ref EntryQueue queue)
    {
        // A new entry is admitted before anything is evicted for it: the victim is what it was compared with.
        if (!own.IsThere && queue == EntryQueue.Undecided)
        {
            queue = Admit(hash, priority, weight, now, out bool hasEvicted);
            if (hasEvicted && TryTake(takesEntry: true, moreBytes))
                return true;
        }
        // Other puts may take what an eviction frees, so it goes on until the reservation succeeds. The key's own entry is pinned.
        do
        {
            if (!TryEvict(hash, priority, now, own.Address))
                return false;
        }
        while (!TryTake(takesEntry: !own.IsThere, moreBytes));
        return true;
    }

    /// <summary>
    /// Passes a reservation, and the footprint of the entry that went, to a published one; the rest is released. The old block is freed by
    /// now: the usage never falls below what is there.
    /// </summary>
    /// <param name="reserved">The reservation.</param>
    /// <param name="old">The entry that went; not there: none, or a tombstone.</param>
    /// <param name="added">The new entry; not there: a tombstone.</param>
    internal void Exchange(in Reservation reserved, in OwnEntry old, in OwnEntry added)
    {
        int count = (reserved.HasEntry ? 1 : 0) + (old.IsThere ? 1 : 0) - (added.IsThere ? 1 : 0);
        long bytes = reserved.FootprintBytes + old.FootprintBytes - added.FootprintBytes;
        Debug.Assert(count >= 0 && bytes >= 0, "It releases no more than it held.");
        _budget.Release(count, bytes);
        if (old.Priority == added.Priority) // at once: what a priority may evict never seems less than it is
        {
            _budget.AddToPriority(added.Priority, added.FootprintBytes - old.FootprintBytes);
            return;
        }
        _budget.AddToPriority(old.Priority, -old.FootprintBytes);
        _budget.AddToPriority(added.Priority, added.FootprintBytes);
    }

    /// <summary>Returns what an entry held that was removed.</summary>
    internal void Return(EntryPriority priority, long footprintBytes)
    {
        if (!AreOn)
            return;
        _budget.Release(1, footprintBytes);
        _budget.AddToPriority(priority, -footprintBytes);
    }

    /// <summary>Enters a new entry into the evictor's queues. The caller holds no bucket's lock.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)] // its frame is large, and without a limit nobody needs it
    internal void Enter(ulong hash, EntryPriority priority, long payloadBytes, EntryQueue queue)
    {
        // A backfill that has yet to reach the bucket enters the entry with the rest.
        if (!IsBackfilledLater(hash, priority))
            Evictor?.Enter(hash, priority, WeightOf(payloadBytes), queue);
    }

    /// <summary>Enters an entry that a walk found. The caller holds no bucket's lock.</summary>
    internal void EnterFound(ulong hash, EntryPriority priority) => Evictor?.EnterFound(hash, priority, isInMain: false);

    internal bool IsOver() =>
        AreOn && (_budget.Entries > _budget.MaxEntries || _budget.FootprintBytes > BlockLimitBytes);

    /// <summary>
    /// Whether lowered limits leave far more to evict than one put should: all of it would be copied before any is written to the file.
    /// </summary>
    internal bool IsFarOver()
    {
        const int MostEntries = 256; // above the limit
        const long MostBytes = 1 << 20; // above the limit
        return AreOn && (_budget.Entries - MostEntries > _budget.MaxEntries || _budget.FootprintBytes - MostBytes > BlockLimitBytes);
    }

    private void DropEvictor()
    {
        Volatile.Write(ref _backfill, null);
        Dispose();
    }
}

/// <summary>What a put has reserved of the table's limits.</summary>
/// <param name="HasEntry">Whether it has one of the entries that are allowed.</param>
/// <param name="FootprintBytes">The bytes that it has, of <see cref="TableLimits.BlockLimitBytes"/>.</param>
internal readonly record struct Reservation(bool HasEntry, long FootprintBytes)
{
    /// <summary>Whether it suffices for an entry that replaces an old one, or none.</summary>
    internal bool IsEnough(long footprintBytes, bool hasOld, long oldFootprintBytes) =>
        // The old entry passes on its place among the entries, and its bytes.
        (HasEntry || hasOld) && FootprintBytes + oldFootprintBytes >= footprintBytes;
}

/// <summary>The entry that the key of a put has already. It passes its footprint to the new one, and must not be evicted for it.</summary>
/// <param name="IsThere">Whether there is one that counts for the limits.</param>
/// <param name="FootprintBytes">Its footprint; 0: none.</param>
/// <param name="Priority">Its priority.</param>
/// <param name="Address">The address of its block; 0: none.</param>
internal readonly record struct OwnEntry(bool IsThere, long FootprintBytes, EntryPriority Priority, ulong Address);
