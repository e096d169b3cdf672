using System;
using System.Collections.Generic;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Concurrency;
using BigPile.Layout;
using BigPile.Memory;

namespace BigPile.Allocation;

/// <summary>Gives out slots and runs, and takes them back.</summary>
/// <remarks>
/// There is a heap for each processor, and each thread keeps to one of them until it meets another thread there. (By the number of the
/// processor that a thread is on, two threads were seen to share a heap for seconds.) The heaps share a pool of pages. Where a heap has no
/// free slot, <see cref="AllocatorSlowPath"/> goes on.
/// <para>
/// The order of locks, each taken inside those before it only: that of trims; a page's (<c>PageRecovery</c>); the heaps' in the order of
/// their numbers; the pool's; the store's, which the pool asks for segments. Mostly it is one of them alone: only <see cref="Snapshot"/>,
/// and a search that finds nothing, takes all heaps and then the pool, only <see cref="AttachFound"/> a heap and then the pool, and no trim
/// waits for readers inside the pool's. Whoever holds a heap's or the pool's calls nobody who could want another one of them.
/// </para>
/// </remarks>
internal sealed unsafe partial class Allocator : IDisposable
{
    private readonly Heap[] _heaps;
    private readonly AllocatorSlowPath _slowPath;
    private readonly SegmentMap _map;
    private readonly long _limitBytes;
    private readonly bool _tracksFlushed;
    private readonly Lock _trimming = new();

    internal Allocator(SegmentMap map, SegmentStore store, long limitBytes, Guid pileId, uint generationBase)
    {
        _map = map;
        _limitBytes = limitBytes;
        _tracksFlushed = store.IsCopyOnWrite;
        Pool = new PagePool(map, store, limitBytes, pileId, generationBase, ReclaimEvents, _tracksFlushed);
        _heaps = new Heap[BitOperations.RoundUpToPowerOf2((uint)Environment.ProcessorCount)];
        for (int i = 0; i < _heaps.Length; i++)
            _heaps[i] = new Heap(i, _tracksFlushed, ReclaimEvents);
        _slowPath = new AllocatorSlowPath(_heaps, Pool, ReclaimEvents);
    }

    internal PagePool Pool { get; }

    /// <summary>Who gives room back, for those who found none.</summary>
    internal ReclaimEvents ReclaimEvents { get; } = new();

    /// <summary>Takes room for a block.</summary>
    /// <param name="blockBytes">The bytes of the block, header included.</param>
    /// <param name="payloadBytes">The bytes of them that are payload, for the statistics.</param>
    /// <exception cref="PileFullException">There is no room, and none could be made.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal Slot Take(long blockBytes, long payloadBytes)
    {
        if (blockBytes > SizeClasses.MaxSlotBytes)
            return TakeRun(blockBytes, payloadBytes);
        int sizeClass = SizeClasses.ClassOf((int)blockBytes);
        CriticalRegion critical = CriticalRegion.Current;
        Slot slot = _heaps[critical.Heap & (_heaps.Length - 1)].TryTake(sizeClass, payloadBytes, critical);
        return slot.IsNone ? TakeSlow(sizeClass, payloadBytes, critical) : slot;
    }

    /// <summary>Takes back the room of a block whose header says free already.</summary>
    /// <param name="address">The block.</param>
    /// <param name="before">Its header while it was live.</param>
    internal void Return(ulong address, BlockHeader before)
    {
        _ = _map.Find(address, out PageInfo* infoAt);
        Return(address, SegmentMap.Load(infoAt), before);
    }

    /// <summary>As <see cref="Return(ulong, BlockHeader)"/>, where the page's info is known.</summary>
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

    /// <summary>As <see cref="Return(ulong, BlockHeader)"/>, of a block in a slot.</summary>
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

    /// <summary>Notes that a block was changed where it lies, for the next flush.</summary>
    internal void MarkDirty(ulong address)
    {
        if (_tracksFlushed)
            _heaps[CriticalRegion.Current.Heap & (_heaps.Length - 1)].MarkDirty(address);
    }

    /// <summary>Takes what changed, and begins new lists. No change runs; pages may be examined meanwhile, and change lists too.</summary>
    /// <returns><see langword="false"/> when there was more than the lists hold.</returns>
    internal bool TryTakeDirty(List<ulong> addresses)
    {
        bool areWhole = Pool.TryTakeDirty(addresses);
        foreach (Heap heap in _heaps)
            areWhole &= heap.TryTakeDirty(addresses);
        return areWhole;
    }

    /// <summary>Gives back all pages but the first of a run whose payload has moved elsewhere.</summary>
    internal void CutRun(ulong address) => Pool.CutRun(_map.MetaOf(address));

    /// <summary>The bytes that the block at an address may have, header included.</summary>
    internal long BlockBytesAt(ulong address, PageInfo info) =>
        info.ClassPlusOne == 0 ? Pool.RunBytes(_map.MetaOf(address)) : SizeClasses.SlotBytes(info.ClassPlusOne - 1);

    /// <summary>Corrects the statistics after a block's payload changed its length in place.</summary>
    internal void AdjustPayload(ulong address, PageInfo info, long deltaBytes)
    {
        if (deltaBytes == 0)
            return;
        if (info.ClassPlusOne == 0)
            Pool.AdjustRunPayload(deltaBytes);
        else
            _heaps[Volatile.Read(ref _map.MetaOf(address)->Owner)].AdjustPayload(deltaBytes);
    }

    /// <summary>Hands a page that was found in a file to the heaps, in turn.</summary>
    internal void AttachFound(PageMeta* page, long blocks, long payloadBytes) =>
        _heaps[page->PageNumber & (_heaps.Length - 1)].AttachFound(page, blocks, payloadBytes, Pool);

    /// <summary>All counters at one instant.</summary>
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
    private Slot TakeSlow(int sizeClass, long payloadBytes, CriticalRegion critical)
    {
        Slot slot = _slowPath.TakeSlot(sizeClass, payloadBytes, critical, out int events);
        return slot.IsNone ? throw Full(SizeClasses.SlotBytes(sizeClass), events) : slot;
    }

    private Slot TakeRun(long blockBytes, long payloadBytes)
    {
        int pages = (int)((blockBytes + SizeClasses.PageBytes - 1) / SizeClasses.PageBytes);
        PageMeta* first = _slowPath.TakeRun(pages, payloadBytes, out int events);
        if (first == null)
            throw Full(blockBytes, events);
        long capacityBytes = (long)pages * SizeClasses.PageBytes - BlockHeader.SizeBytes;
        return new Slot(first->Start, first->FirstAddress, new BlockHeader(*(ulong*)first->Start).Generation, capacityBytes);
    }

    private PileException Full(long blockBytes, int events)
    {
        if (Pool.GrowthFailure is DirectoryChangedException changed)
            return new PileStorageException(changed.Message, changed); // room is not what is missing
        long pendingBytes = PendingFreeBytes;
        if (pendingBytes != 0)
            FlushWanted?.Invoke(); // who can't flush here and now finds room soon
        string reason = pendingBytes != 0
            ? $"{pendingBytes:N0} of them were freed and can be used again after the next flush"
            : Pool.GrowthFailure is { } failure
            ? $"the store could not grow: {failure.Message}"
            : $"the limit is {_limitBytes:N0} bytes. Raise PileOptions.MaxBytes, or delete objects";
        string message = $"No room for a block of {blockBytes:N0} bytes: {Pool.ReservedBytes:N0} bytes are reserved, and {reason}.";
        return new PileFullException(message, Pool.GrowthFailure) { ObservedEvents = events };
    }
}
