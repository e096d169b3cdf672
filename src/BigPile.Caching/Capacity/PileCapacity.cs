using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.Linq;
using System.Threading;
using BigPile.Access;
using BigPile.Allocation;
using BigPile.Caching.Entries;
using BigPile.Layout;
using BigPile.Memory.Limits;
using BigPile.Tables;

namespace BigPile.Caching.Capacity;

/// <summary>The second level of capacity: tables of a full pile make space for a put, each in proportion to what it may evict.</summary>
/// <remarks>
/// First the policies of the tables choose who goes, for many puts at once. Where that leaves no slot of the size, a page is emptied; for a
/// large block as many as it needs. While many slots are idle, or policies free what others need, pages come first. A table without limits
/// counts nothing until the pile is nearly full: from then on it has an evictor.
/// Tables give way one after the other, and the caller is in no critical region: no lock of one table's buckets or evictor is held while
/// another's is taken. It may hold the lock of a key stripe, which no table waits for to give way.
/// Thread safety: all members may be called concurrently.
/// </remarks>
internal sealed class PileCapacity(TableHeap heap) : IGivesWay, IPageVictims, IDisposable
{
    private const int BatchShare = 64; // of what may go: a mapped pile has freed space only after a flush, which is worth more than one
    private const long MostBatchBytes = 1 << 20; // the pause of one put
    private const int IdleShare = 16; // of what is in use: free slots that wait for blocks of their size
    private const long NeverGoes = -1;
    private const int MostSwept = 1 << 16; // buckets for one attempt of a put: some milliseconds
    private const int MostAttempts = 32; // of one put; others may take what went for it

    // For the end of a rebuild, where the caller may hold a stripe's lock, which that end may need.
    private static readonly TimeSpan LongestWait = TimeSpan.FromSeconds(1);

    private readonly ConcurrentDictionary<int, IEvictingTable> _tables = new(); // by id
    private readonly PolicyTurns _policyFirst = new();
    private MemoryMonitor? _monitor; // null: off
    private ITimer? _monitoring; // its
    private bool _isPrepared; // tables count what they hold from now on; the store may be at its end before the limit

    /// <summary>Whether tables that give way count what they hold.</summary>
    internal bool IsNearlyFull => Volatile.Read(ref _isPrepared) || heap.IsNearlyFull;

    /// <summary>Whether tables of the pile have files that take what they evict.</summary>
    internal bool IsSpilling { get; init; }

    /// <summary>Begins to watch the memory of the process, if the pile is in native memory and the options say so.</summary>
    internal void Monitor(PileCacheOptions options)
    {
        if (!options.MonitorsMemory || !heap.CanDiscard)
            return;
        _monitor = new MemoryMonitor(heap, this, static () => MemoryLimit.OfProcess().Bytes, heap.Memory.Available);
        _monitoring = heap.Background.Every(options.TimeProvider, MemoryMonitor.Period, "the memory monitor", _monitor.Run);
    }

    public void Dispose()
    {
        _monitoring?.Dispose();
        _monitor?.End();
    }

    internal void Add(IEvictingTable table) => _tables[table.Id] = table;

    internal void Remove(IEvictingTable table) => _tables.TryRemove(new KeyValuePair<int, IEvictingTable>(table.Id, table));

    /// <summary>Has tables without limits begin to know who goes.</summary>
    public void Prepare()
    {
        Volatile.Write(ref _isPrepared, true);
        foreach (IEvictingTable table in _tables.Values)
            table.TryBeginToGiveWay();
    }

    /// <inheritdoc/>
    public bool TryGiveWay(PileFullException refused, int attempt)
    {
        if (attempt >= MostAttempts)
            return false;
        Prepare();
        IEvictingTable[] tables = [.. _tables.Values];
        long[] evictable = Array.ConvertAll(tables, static table => table.EvictableBytes);
        long all = evictable.Sum();
        bool isEnough = all > 0 && (attempt != 0 || all >= refused.BlockBytes); // later what has gone counts as well
        if (!isEnough || !TryEvict(refused, attempt, tables, evictable, all))
        {
            return TryAllowMore(refused.BlockBytes) || TrySweepExpired(refused.BlockBytes, attempt)
                || (TryWaitForRebuild() && TryGiveWay(refused, attempt));
        }
        QueueDrain(); // for a caller that knows no tables, and for one that holds a stripe's lock
        return true;
    }

    // Victims of a policy free slots of all sizes. Where many of these lie idle, others must not go for the size that lacks: the cheapest
    // pages to clear are those with the most free slots. A block that stays takes no victim's slot, but a page.
    private bool TryEvict(PileFullException refused, int attempt, IEvictingTable[] tables, long[] evictable, long all)
    {
        long blockBytes = refused.BlockBytes;
        bool takesSlots = refused.IsEvictable || !heap.Separation.IsOn;
        // A policy frees no pages in a row where a search through all found none that could be emptied.
        bool isPolicyInVain = blockBytes > SizeClasses.MaxSlotBytes && heap.IsClearingInVain(blockBytes);
        bool isPages = !takesSlots || isPolicyInVain || (attempt == 0 && HasManyIdleSlots) || !_policyFirst.IsTurn(blockBytes, attempt);
        long batchBytes = Math.Max(blockBytes, Math.Min(all / BatchShare, MostBatchBytes));
        if (isPages && heap.TryClearPages(blockBytes, refused.IsEvictable, batchBytes, this))
        {
            if (!refused.IsEvictable && heap.HasLimit)
                heap.Separation.Begin();
            return true;
        }
        if (isPages && tables.Sum(static table => table.OwnedBytes) < blockBytes)
            return takesSlots && heap.TryClearSlots(blockBytes, this);
        // Also objects, which only their entries' tables find.
        GiveWayInProportion(tables, evictable, Math.Min(1, batchBytes / (double)all));
        return true;
    }

    private bool HasManyIdleSlots => heap.IdleSlotBytes() > heap.UsedBytes / IdleShare;

    /// <summary>The footprint of what may go.</summary>
    internal long EvictableBytes => _tables.Values.Sum(static table => table.EvictableBytes);

    /// <summary>What tables have evicted and not written to their files yet.</summary>
    internal DemotionBacklog Backlog { get; } = new(heap);

    /// <summary>Writes what tables have evicted to their files, in the background.</summary>
    internal void QueueDrain() => Backlog.QueueWrite();

    /// <inheritdoc/>
    public long CostOf(ulong address) =>
        TryFindTable(address, out EntryHead head, out long payloadBytes, out IEvictingTable? table)
            ? table.CostOf(head, payloadBytes)
            : NeverGoes;

    /// <inheritdoc/>
    public long Evict(ulong address)
    {
        long bytes = EvictOnly(address);
        Backlog.WriteBurst();
        return bytes;
    }

    /// <summary>Evicts an entry as <see cref="Evict"/> does, and writes nothing.</summary>
    internal long EvictOnly(ulong address)
    {
        IEvictingTable? table;
        using (ReadScope scope = heap.EnterReader())
            _ = TryFindTable(address, out _, out _, out table);
        using (PileEviction.Begin())
            return table?.Evict(address) ?? 0;
    }

    // What the memory monitor has taken from tables that give way is still there for what must stay.
    private bool TryAllowMore(long blockBytes)
    {
        if (heap.AllowedBytes >= heap.LimitBytes)
            return false;
        // Pages that are withheld, or a whole segment: the pile grows by no less.
        long least = heap.WithheldBytes == 0 ? heap.SegmentBytes : Segment.GroupBytes;
        _ = heap.Allow(Math.Max(heap.AllowedBytes, heap.UsableBytes) + Math.Max(2 * blockBytes, least));
        return true;
    }

    // Also in tables that do not give way: what has expired keeps nothing out. Blocks of another size help once whole pages are free of
    // them, so the second time all goes that some milliseconds find.
    private bool TrySweepExpired(long blockBytes, int attempt)
    {
        int buckets = MostSwept;
        long enough = attempt == 0 ? Math.Max(blockBytes, MostBatchBytes) : long.MaxValue;
        long freed = 0;
        foreach (IEvictingTable table in _tables.Values)
        {
            if (freed < enough && buckets > 0)
                freed += table.SweepExpired(enough - freed, ref buckets);
        }
        return freed != 0;
    }

    // A table gives way once its index is complete: a put waits for that, as a removal that lacks space does.
    private bool TryWaitForRebuild()
    {
        TimeSpan most = IsSpilling ? LongestWait : TimeSpan.MaxValue;
        return _tables.Values.Any(table => table.TryWaitForRebuild(most));
    }

    private bool TryFindTable(ulong address, out EntryHead head, out long payloadBytes, [NotNullWhen(true)] out IEvictingTable? table)
    {
        BlockSnapshot view = heap.ViewRecovered(address);
        head = view.IsNone ? default : EntryHead.Of(view);
        payloadBytes = view.IsNone ? 0 : view.PayloadBytes;
        return _tables.TryGetValue(head.TableId, out table); // none has id 0
    }

    private static void GiveWayInProportion(IEvictingTable[] tables, long[] evictable, double share)
    {
        using var eviction = PileEviction.Begin();
        for (int i = 0; i < tables.Length; i++)
            tables[i].GiveWay((long)Math.Ceiling(share * evictable[i]));
    }
}

/// <summary>A table, as its full pile sees it.</summary>
internal interface IEvictingTable
{
    /// <summary>The table's id, which its entries carry.</summary>
    int Id { get; }

    /// <summary>The footprint of the entries that may go, with the objects that they own; 0 where none may.</summary>
    long EvictableBytes { get; }

    /// <summary>Of these, the bytes of the objects.</summary>
    long OwnedBytes { get; }

    /// <summary>Frees expired entries, from where its last sweep ended. The caller is outside of critical regions.</summary>
    /// <param name="bytes">Enough.</param>
    /// <param name="buckets">How many may be visited; reduced by those that were.</param>
    /// <returns>The bytes freed.</returns>
    long SweepExpired(long bytes, ref int buckets);

    /// <summary>Waits while its index is rebuilt, if it gives way after that. The caller is outside of critical regions.</summary>
    /// <param name="most">The longest wait.</param>
    /// <returns>Whether it waited, and the index is complete.</returns>
    bool TryWaitForRebuild(TimeSpan most);

    /// <summary>Has a table without limits begin to know who goes. The caller is outside of critical regions.</summary>
    void TryBeginToGiveWay();

    /// <summary>Evicts about so many bytes, by the table's own policy. The caller is outside of critical regions.</summary>
    void GiveWay(long bytes);

    /// <summary>The bytes that go with an entry and what it owns; negative where it stays. The caller is in a critical region.</summary>
    long CostOf(in EntryHead head, long payloadBytes);

    /// <summary>Evicts the entry at an address, if it is still there and may go. The caller is outside of critical regions.</summary>
    /// <returns>The bytes that went.</returns>
    long Evict(ulong address);

    /// <summary>Records that copies of what it has evicted wait for its file, until the next <see cref="Drain"/>.</summary>
    /// <returns><see langword="false"/> where that is recorded already.</returns>
    bool TryBeginToOwe();

    /// <summary>Writes what it has evicted to its file. The caller is outside of critical regions.</summary>
    /// <param name="mostBytes">It ends with the copy that reaches this.</param>
    /// <param name="waits">Whether it waits for keys that others move. A caller that holds a stripe lock must not.</param>
    /// <returns>The bytes of the copies that it took.</returns>
    long Drain(long mostBytes, bool waits);
}
