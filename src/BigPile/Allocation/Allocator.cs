using System;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Layout;
using BigPile.Memory;
using BigPile.Memory.Concurrency;

namespace BigPile.Allocation;

/// <summary>Allocates slots and runs, and takes them back.</summary>
/// <remarks>
/// There is one heap per processor, rounded up to a power of two. A thread stays with its heap until it meets another thread there.
/// (Choosing by the processor that a thread runs on let two threads share a heap for seconds.) The heaps share a pool of pages. When a
/// heap has no free slot, <see cref="AllocatorSlowPath"/> takes over.
/// <para>
/// Lock order, outermost first: the trim lock; a page's recovery lock (<c>PageRecovery</c>); the heap locks, in the order of their numbers;
/// the pool's growth lock; the pool's lock; the segment store's lock. Most calls take one lock only. <see cref="Snapshot"/> and a failed
/// search take all heap locks and then the pool's. <see cref="AttachFound"/> takes one heap lock and then the pool's. No trim waits for
/// readers while it holds one of the pool's locks. Code that holds a heap lock or the pool's lock calls nothing that may take an earlier
/// lock.
/// </para>
/// </remarks>
internal sealed unsafe partial class Allocator : IDisposable
{
    private readonly Heap[] _heaps; // a power of two of them; a thread uses number CriticalRegion.Shard & (Length - 1)
    private readonly AllocatorSlowPath _slowPath; // searches the pool and the other heaps
    private readonly SegmentMap _map; // memory and page metadata by address
    private readonly PileLimit _limit; // of all segments; for messages
    private readonly bool _tracksFlushed; // whether slots have flushed bits: in mapped piles
    private readonly Lock _trimming = new(); // held for a whole trim; the outermost lock
    private int _snapshot; // the number of the last snapshot; written while no writer runs

    internal Allocator(SegmentMap map, SegmentStore store, PileLimit limit, Guid pileId, uint generationBase)
    {
        _map = map;
        _limit = limit;
        _tracksFlushed = store.IsCopyOnWrite;
        _snapshot = _tracksFlushed ? FirstSnapshot : 0;
        Pool = new PagePool(map, store, limit.Bytes, pileId, generationBase, TransferEvents, _tracksFlushed);
        _heaps = new Heap[BitOperations.RoundUpToPowerOf2((uint)Environment.ProcessorCount)];
        for (int i = 0; i < _heaps.Length; i++)
            _heaps[i] = new Heap(i, _tracksFlushed, TransferEvents);
        _slowPath = new AllocatorSlowPath(_heaps, Pool, TransferEvents);
    }

    internal PagePool Pool { get; }

    /// <summary>Counts transfers of memory: tells a failed search whether memory was freed meanwhile.</summary>
    internal EventCount TransferEvents { get; } = new();

    /// <summary>Allocates memory for a block.</summary>
    /// <param name="critical">The region that the caller is in.</param>
    /// <param name="blockBytes">The bytes of the block, header included.</param>
    /// <param name="payloadBytes">How many of them are payload, for the statistics.</param>
    /// <param name="isEvictable">Whether it may be evicted when the pile is full.</param>
    /// <param name="failure">Why there is none: no memory is free, and the pile can't grow.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal Slot Take(CriticalRegion critical, long blockBytes, long payloadBytes, bool isEvictable, out PileException? failure)
    {
        isEvictable |= !Pool.Separation.IsOn; // then all lie together
        if (blockBytes > SizeClasses.MaxSlotBytes)
            return TakeRun(blockBytes, payloadBytes, isEvictable, out failure);
        failure = null;
        int kind = PageKind.Of(SizeClasses.ClassOf((int)blockBytes), isEvictable);
        Slot slot = _heaps[critical.Shard & (_heaps.Length - 1)].TryTake(kind, payloadBytes, critical);
        if (slot.IsNone)
        {
            // By its parts: returned as a whole it would be in memory on the fast path too, where each put waited for it.
            Slot slow = TakeSlow(kind, payloadBytes, critical, out failure);
            slot = new Slot(slow.Start, slow.Address, slow.Generation, slow.CapacityBytes);
        }
        return slot;
    }

    /// <summary>Frees the memory of a block whose header already says free.</summary>
    /// <param name="address">The block.</param>
    /// <param name="before">Its header while it was live.</param>
    internal void Return(ulong address, BlockHeader before)
    {
        _ = _map.Find(address, out PageInfo* infoAt);
        Return(address, SegmentMap.Load(infoAt), before);
    }

    /// <summary>Like <see cref="Return(ulong, BlockHeader)"/>, for a caller that has loaded the page info.</summary>
    internal void Return(ulong address, PageInfo info, BlockHeader before)
    {
        PageMeta* page = _map.MetaOf(address);
        uint generation = before.Freed.Generation;
        if (info.ClassPlusOne == 0)
        {
            if (Pool.ReturnRun(page, generation, before.PayloadBytes))
                RequestFlushIfNeeded();
            return;
        }
        ReturnSlot(page, (int)info.SlotAt(address), generation, before.PayloadBytes);
    }

    /// <summary>Like <see cref="Return(ulong, BlockHeader)"/>, for a block in a slot.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void ReturnSlot(PageMeta* page, int slot, uint generation, long payloadBytes)
    {
        PageMeta* emptied;
        Heap heap;
        while (!(heap = _heaps[Volatile.Read(ref page->Owner)]).TryReturn(page, slot, generation, payloadBytes, out emptied))
        {
        }
        if (emptied != null)
            ReturnPage(emptied);
        if (heap.WantsFlushCheck)
            RequestFlushIfNeeded(heap);
    }

    /// <summary>Bytes of free slots that wait for blocks of their size, beside those that heaps allocate from.</summary>
    internal long IdleSlotBytes()
    {
        long sum = 0;
        foreach (Heap heap in _heaps)
            sum += heap.IdleSlotBytes();
        return sum;
    }

    /// <inheritdoc cref="Heap.TryIsolate"/>
    internal bool TryIsolate(PageMeta* page) =>
        Volatile.Read(ref page->Owner) is >= 0 and int owner && _heaps[owner].TryIsolate(page);

    /// <summary>Returns an isolated page to the pool if it is empty, else to its heap.</summary>
    /// <returns>Whether it is empty.</returns>
    internal bool EndIsolation(PageMeta* page)
    {
        bool isEmpty = _heaps[page->Owner].EndIsolation(page);
        if (isEmpty)
            Pool.ReturnPage(page);
        TransferEvents.End();
        return isEmpty;
    }

    /// <summary>Frees all pages of a run but the first. Its payload lives elsewhere by now.</summary>
    internal void CutRun(ulong address) => Pool.CutRun(_map.MetaOf(address));

    /// <summary>The capacity in bytes of the block at an address, header included.</summary>
    internal long BlockBytesAt(ulong address, PageInfo info) =>
        info.ClassPlusOne == 0 ? Pool.RunBytes(_map.MetaOf(address)) : SizeClasses.SlotBytes(info.ClassPlusOne - 1);

    /// <summary>Corrects the statistics after a payload changed its length in place.</summary>
    internal void AdjustPayload(ulong address, PageInfo info, long deltaBytes)
    {
        if (deltaBytes == 0)
            return;
        if (info.ClassPlusOne == 0)
            Pool.AdjustRunPayload(deltaBytes);
        else
            _heaps[Volatile.Read(ref _map.MetaOf(address)->Owner)].AdjustPayload(deltaBytes);
    }

    /// <summary>Gives a page that was found in a file to one of the heaps, chosen by page number.</summary>
    internal void AttachFound(PageMeta* page, long blocks, long payloadBytes) =>
        _heaps[page->PageNumber & (_heaps.Length - 1)].AttachFound(page, blocks, payloadBytes, Pool);

    /// <summary>All counters at one instant: holds all heap locks and the pool's.</summary>
    internal AllocatorCounters Snapshot()
    {
        _slowPath.EnterHeaps();
        Pool.EnterLock();
        var counters = new AllocatorCounters(Pool, _heaps);
        Pool.ExitLock();
        _slowPath.ExitHeaps();
        return counters;
    }

    public void Dispose()
    {
        Pool.Dispose();
        foreach (Heap heap in _heaps)
            heap.Dispose();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private Slot TakeSlow(int kind, long payloadBytes, CriticalRegion critical, out PileException? failure)
    {
        Slot slot = _slowPath.TakeSlot(kind, payloadBytes, critical, out int events);
        failure = slot.IsNone ? Full(PageKind.SlotBytes(kind), events, PageKind.IsEvictable(kind)) : null;
        return slot;
    }

    private Slot TakeRun(long blockBytes, long payloadBytes, bool isEvictable, out PileException? failure)
    {
        int pages = (int)((blockBytes + SizeClasses.PageBytes - 1) / SizeClasses.PageBytes);
        isEvictable |= pages >= Segment.LeastPagesOfLarge;
        PageMeta* first = _slowPath.TakeRun(pages, payloadBytes, isEvictable, out int events);
        failure = first == null ? Full(blockBytes, events, isEvictable) : null;
        if (first == null)
            return default;
        long capacityBytes = (long)pages * SizeClasses.PageBytes - BlockHeader.SizeBytes;
        return new Slot(first->Start, first->FirstAddress, new BlockHeader(*(ulong*)first->Start).Generation, capacityBytes);
    }

    private PileException Full(long blockBytes, int events, bool isEvictable)
    {
        Exception? growthFailure = Pool.Growth.Failure;
        if (growthFailure is DirectoryChangedException changed)
            return new PileStorageException(changed.Message, changed); // not a lack of space
        long pendingBytes = PendingFreeBytes;
        if (pendingBytes != 0)
            FlushWanted?.Invoke(); // a caller that can't flush itself finds space soon
        string reason = pendingBytes != 0
            ? $"{pendingBytes:N0} of them were freed and can be used again after the next flush"
            : growthFailure is { } failure
            ? $"the store could not grow: {failure.Message}"
            : _limit.Refusal;
        string withheld = Pool.Allowance.WithheldBytes is > 0 and var bytes
            ? $", {bytes:N0} bytes of them are withheld while the system is short of memory"
            : "";
        string message =
            $"No space for a block of {blockBytes:N0} bytes: {Pool.ReservedBytes:N0} bytes are reserved{withheld}, and {reason}.";
        return new PileFullException(message, growthFailure)
        {
            ObservedEvents = events,
            BlockBytes = blockBytes,
            IsEvictable = isEvictable,
        };
    }
}

/// <summary>A slot or run that was allocated: the caller writes the payload behind the header, then publishes the header.</summary>
internal readonly unsafe struct Slot(byte* start, ulong address, uint generation, long capacityBytes)
{
    internal readonly byte* Start = start;
    internal readonly ulong Address = address;
    internal readonly uint Generation = generation;

    /// <summary>The most bytes of a payload.</summary>
    internal readonly long CapacityBytes = capacityBytes;

    internal bool IsNone => Start == null;

    /// <summary>The pointer to the block once it is published.</summary>
    internal PilePointer Pointer
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)] // a call would keep the slot in memory instead of registers, on each put
        get => new(Address, Generation);
    }
}
