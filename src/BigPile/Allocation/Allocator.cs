using System;
using System.Collections.Generic;
using System.Numerics;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Concurrency;
using BigPile.Layout;

namespace BigPile.Allocation;

/// <summary>Gives out slots and runs, and takes them back.</summary>
/// <remarks>
/// There is a heap for each processor, and each thread keeps to one of them until it meets another thread there. (By the number of the
/// processor that a thread is on, two threads were seen to share a heap for seconds.) The heaps share a pool of pages. A heap without free
/// slots asks the pool for a page that exists, then the other heaps for one to spare, and only then lets the pool grow.
/// <para>
/// The order of locks, each taken inside those before it only: that of trims; a page's (<c>PageExaminer</c>); the heaps' in the order of
/// their numbers; the pool's; the store's, which the pool asks for segments. Mostly it is one of them alone: only <see cref="Snapshot"/>,
/// and who finds no room at last, takes all heaps and then the pool, only <see cref="AttachFound"/> a heap and then the pool, and no trim
/// waits for readers inside the pool's. Whoever holds a heap's or the pool's calls nobody who could want another one of them.
/// </para>
/// </remarks>
internal sealed unsafe partial class Allocator : IDisposable
{
    private const int MostWaste = 2;
    private const int MostSearches = 32;

    private readonly Heap[] _heaps;
    private readonly SegmentMap _map;
    private readonly long _limitBytes;
    private readonly bool _knowsFrozen;
    private readonly Lock _trimming = new();

    internal Allocator(SegmentMap map, SegmentStore store, long limitBytes, Guid pileId, uint generationBase)
    {
        _map = map;
        _limitBytes = limitBytes;
        _knowsFrozen = store.Kind == StoreKind.Mapped;
        Pool = new PagePool(map, store, limitBytes, pileId, generationBase, GivingBack, _knowsFrozen);
        _heaps = new Heap[BitOperations.RoundUpToPowerOf2((uint)Environment.ProcessorCount)];
        for (int i = 0; i < _heaps.Length; i++)
            _heaps[i] = new Heap(i, _knowsFrozen, GivingBack);
    }

    internal PagePool Pool { get; }

    /// <summary>Who gives room back, for those who found none.</summary>
    internal GivingBack GivingBack { get; } = new();

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
        ThreadPresence presence = ThreadPresence.Mine;
        Slot slot = _heaps[presence.Heap & (_heaps.Length - 1)].TryTake(sizeClass, payloadBytes, presence);
        return slot.IsNone ? TakeSlow(sizeClass, payloadBytes, presence) : slot;
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
                LookAtQuarantine();
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
        if (heap.WantsLook)
            LookAtQuarantine(heap);
    }

    /// <summary>Notes that a block was changed where it lies, for the next flush.</summary>
    internal void NoteChange(ulong address)
    {
        if (_knowsFrozen)
            _heaps[ThreadPresence.Mine.Heap & (_heaps.Length - 1)].NoteChange(address);
    }

    /// <summary>Takes what changed, and begins new lists. No change runs; pages may be examined meanwhile, and change lists too.</summary>
    /// <returns><see langword="false"/> when there was more than the lists hold.</returns>
    internal bool TryTakeChanges(List<ulong> addresses)
    {
        bool areWhole = Pool.TryTakeChanges(addresses);
        foreach (Heap heap in _heaps)
            areWhole &= heap.TryTakeChanges(addresses);
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
        EnterHeaps();
        Pool.EnterLock();
        var counters = new AllocatorCounters(Pool, _heaps);
        Pool.ExitLock();
        ExitHeaps();
        return counters;
    }

    public void Dispose()
    {
        Pool.Dispose();
        foreach (Heap heap in _heaps)
            heap.Dispose();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private Slot TakeSlow(int sizeClass, long payloadBytes, ThreadPresence presence)
    {
        for (int searches = 1; ; searches++)
        {
            int look = GivingBack.Look();
            Slot slot = TakeFromNewPage(sizeClass, payloadBytes, presence);
            if (slot.IsNone)
                slot = TakeFromAny(sizeClass, payloadBytes, presence);
            if (!slot.IsNone)
                return slot;
            if (!(HasRoom(sizeClass) || GivingBack.HasEndedSince(look)) || searches == MostSearches)
                throw Full(SizeClasses.SlotBytes(sizeClass), look);
        }
    }

    // None as well where others were faster, and took all that the page had.
    private Slot TakeFromNewPage(int sizeClass, long payloadBytes, ThreadPresence presence)
    {
        int own = presence.Heap & (_heaps.Length - 1);
        PageMeta* page = Pool.TakePage(sizeClass, own, mayGrow: false);
        if (page == null)
            page = TakeFromOthers(sizeClass, own);
        if (page == null)
        {
            Slot larger = TakeLarger(sizeClass, payloadBytes, presence);
            if (!larger.IsNone)
                return larger;
            page = Pool.TakePage(sizeClass, own, mayGrow: true);
        }
        if (page == null)
            return default;
        page->IsInTransit = true;
        page = _heaps[own].Attach(page);
        if (page != null)
            Pool.ReturnPage(page);
        GivingBack.End();
        return _heaps[own].TryTake(sizeClass, payloadBytes, presence);
    }

    // No page is to be had. The heaps have pages that they don't give to others, and the caller's may have got one meanwhile.
    private Slot TakeFromAny(int sizeClass, long payloadBytes, ThreadPresence presence)
    {
        foreach (Heap heap in _heaps)
        {
            Slot slot = heap.TryTake(sizeClass, payloadBytes, presence);
            if (!slot.IsNone)
                return slot;
        }
        return default;
    }

    // In a fragmented pile a free slot of up to twice the size is better than a larger pile. The heaps are asked without their locks: an
    // answer that is out of date costs one search, or one segment.
    private Slot TakeLarger(int sizeClass, long payloadBytes, ThreadPresence presence)
    {
        int largestBytes = SizeClasses.SlotBytes(sizeClass) * MostWaste;
        for (int i = 0; i < _heaps.Length; i++)
        {
            Heap heap = _heaps[(presence.Heap + i) & (_heaps.Length - 1)];
            if (!heap.IsFragmented)
                continue;
            for (int larger = sizeClass + 1; larger < SizeClasses.Count && SizeClasses.SlotBytes(larger) <= largestBytes; larger++)
            {
                Slot slot = heap.TryTake(larger, payloadBytes, presence);
                if (!slot.IsNone)
                    return slot;
            }
        }
        return default;
    }

    private PageMeta* TakeFromOthers(int sizeClass, int own)
    {
        for (int i = 1; i < _heaps.Length; i++)
        {
            PageMeta* page = _heaps[(own + i) & (_heaps.Length - 1)].Detach(sizeClass, own);
            if (page != null)
                return page;
        }
        return null;
    }

    private Slot TakeRun(long blockBytes, long payloadBytes)
    {
        int pages = (int)((blockBytes + SizeClasses.PageBytes - 1) / SizeClasses.PageBytes);
        PageMeta* first;
        for (int searches = 1; ; searches++)
        {
            int look = GivingBack.Look();
            first = Pool.TakeRun(pages, payloadBytes, mayGrow: true);
            if (first == null)
                first = TakeRunOfAll(pages, payloadBytes);
            if (first != null)
                break;
            if (!GivingBack.HasEndedSince(look) || searches == MostSearches)
                throw Full(blockBytes, look);
        }
        long capacityBytes = (long)pages * SizeClasses.PageBytes - BlockHeader.SizeBytes;
        return new Slot(first->Start, first->FirstAddress, new BlockHeader(*(ulong*)first->Start).Generation, capacityBytes);
    }
}
