using System;
using System.Diagnostics;
using System.Threading;
using BigPile.Allocation;
using BigPile.Checking;
using BigPile.Layout;

namespace BigPile.Durability;

/// <summary>Lazy recovery: rebuilds a page's allocator metadata from the page, when it is needed or the walk reaches it.</summary>
/// <remarks>
/// Checks everything from the file before following it. A kill can leave free slots, also undoable ones, live slots, busy ones, and link
/// targets without a link. Anything else is damage: such a slot is dropped and never reused, since its generation is unknown. After a power
/// cut it is nearly always an unflushed block that was torn: dropped too, but reused. Lock order: a page's, then a heap's, then the pool's.
/// </remarks>
internal sealed unsafe class PageRecovery
{
    /// <summary>The most frees of a slot since its page was laid out; a header that states more is bytes of an older layout.</summary>
    private const uint MostFreesInALayout = 1 << 16;

    private const int LockCount = 64; // two pages that share one only wait for each other

    private readonly Lock[] _locks = new Lock[LockCount]; // pages share them by number
    private readonly SegmentMap _map; // memory, page info and metadata by address
    private readonly Allocator _allocator; // gets the recovered pages
    private readonly BlockInspector _inspector; // decides what a block is, from the files alone
    private long _linkCount; // link targets found; interlocked
    private long _orphanCount; // targets freed because nothing leads to them; interlocked

    internal PageRecovery(SegmentMap map, Allocator allocator, BlockInspector inspector, FaultLog faults)
    {
        Faults = faults;
        _map = map;
        _allocator = allocator;
        _inspector = inspector;
        for (int i = 0; i < LockCount; i++)
            _locks[i] = new Lock();
    }

    internal FaultLog Faults { get; }

    /// <summary>The number of link targets found.</summary>
    internal long LinkCount => Volatile.Read(ref _linkCount);

    /// <summary>The number of orphaned link targets that were freed.</summary>
    internal long OrphanCount => Volatile.Read(ref _orphanCount);

    /// <summary>Touches a page: a cold one takes 16 page faults, which should not happen under the page's lock.</summary>
    internal static void ReadAhead(byte* page)
    {
        for (int offset = 0; offset < SizeClasses.PageBytes; offset += 4096)
            _ = Volatile.Read(ref page[offset]);
    }

    /// <summary>Recovers the page of an address, unless it is recovered already.</summary>
    internal void RecoverPage(ulong address)
    {
        if (_map.Find(address, out PageInfo* infoAt) == null)
            return; // another thread has recovered and freed it meanwhile, and its segment was trimmed
        PageMeta* meta = _map.MetaOf(address);
        lock (_locks[meta->PageNumber % LockCount])
        {
            if (!SegmentMap.Load(infoAt).IsUnrecovered) // again under the lock: another thread was first
                return;
            Segment segment = _allocator.Pool.SegmentOf(meta);
            int page = PagePool.PageIn(segment, meta);
            PageWord word = segment.WordOf(page);
            Debug.Assert(meta->Owner == PageMeta.NoOwner, "A heap hands out slots of an unrecovered page.");
            Debug.Assert(word.IsIntact && (word.IsRunHead || word.HasSlots), "The page was changed before it was recovered.");
            if (word.IsRunHead)
                RecoverRun(segment, page, word);
            else
                RecoverSlots(segment, page, word);
        }
    }

    private void RecoverSlots(Segment segment, int page, PageWord word)
    {
        PageMeta* meta = segment.Metas + page;
        meta->LayOut(word.SizeClass, allFree: false);
        RecordLostLayouts(segment, page, 1); // before any header is corrected
        long blocks = 0;
        long payloadBytes = 0;
        byte* lastFree = null;
        if (LegacySlots.AreIn(word))
            LegacySlots.Inspect(meta, meta->SlotBytes, _inspector, Faults, marksFree: true);
        bool isDurable = !_inspector.HasTracesOfCut || word.IsDurableIn(_inspector.Epoch);
        for (int slot = 0; slot < meta->SlotCount; slot++)
        {
            byte* block = meta->Start + slot * meta->SlotBytes;
            ulong address = meta->FirstAddress + (ulong)(slot * meta->SlotBytes / SizeClasses.GranuleBytes);
            BlockHeader header = RecoverBlock(
                block, address, meta->SlotBytes - BlockHeader.SizeBytes, word.GenerationBase, isDurable, out bool isPendingFree);
            meta->MaxGeneration = Math.Max(meta->MaxGeneration, header.Generation);
            bool isExhausted = header.IsFree && !isPendingFree && header.Generation >= PilePointer.MaxGeneration - 1;
            if (!isExhausted && ((header.IsFree && !isPendingFree) || _inspector.GenerationSkip != 0))
                meta->GenerationFloor = Math.Max(meta->GenerationFloor, FloorAbove(header.Generation));
            if (!header.IsFree)
            {
                blocks++;
                payloadBytes += header.PayloadBytes;
            }
            else if (isPendingFree)
            {
                meta->AddFoundPending(slot);
            }
            else if (isExhausted)
            {
                StoreExhausted(block, header);
                meta->ExhaustedCount++;
            }
            else
            {
                meta->ReturnSlot(slot);
                lastFree = block;
            }
        }
        Debug.Assert(
            meta->FreeCount + meta->ExhaustedCount + meta->PendingFreeCount + blocks == meta->SlotCount,
            "A slot is lost, or counted twice.");
        if (_inspector.GenerationSkip != 0 && lastFree != null)
            *(ulong*)lastFree = BlockHeader.Free(meta->GenerationFloor).Word; // stored for later owners, which then start above it too
        meta->MaxGeneration = Math.Max(meta->MaxGeneration, meta->GenerationFloor);
        if (meta->IsAllFree)
        {
            segment.PublishInfo(page, default); // before the pool may lay the page out anew
            _allocator.Pool.FreeRecovered(meta);
            return;
        }
        if (meta->FlushedBits != null)
            meta->MarkFlushed(); // which blocks were flushed is unknown: treat all as flushed
        // Before the readers' info: a reader of a slot that is handed out early then comes here, and waits for the lock. Headers are
        // correct by now: one loaded before its page's info proves no absence, as its deletion may have been undone since.
        _allocator.AttachFound(meta, blocks, payloadBytes); // slots may be handed out from here on
        segment.PublishInfo(page, word.Info); // last: readers find corrected headers
    }

    // Before the power cut slots may have been handed out with higher generations than those found.
    private uint FloorAbove(uint found) => Math.Min(found + 1 + _inspector.GenerationSkip, PilePointer.MaxGeneration - 1);

    // Pointers with any of the slot's last generations may exist: none is left that is certainly new.
    private static void StoreExhausted(byte* block, BlockHeader header)
    {
        Debug.Assert(header.IsFree, "A live block would be lost.");
        if (header.Generation != PilePointer.MaxGeneration)
            *(ulong*)block = BlockHeader.Free(PilePointer.MaxGeneration).Word;
    }

    private void RecoverRun(Segment segment, int page, PageWord word)
    {
        int pages = word.RunPages;
        Debug.Assert(pages >= 1 && page + pages <= segment.PageCount, "The scan accepts no run that ends behind its segment.");
        PageMeta* meta = segment.Metas + page;
        RecordLostLayouts(segment, page, pages);
        if (LegacySlots.IsLostRun(word, meta->Start, _inspector))
            Faults.Add(new PileFault(
                _inspector.DescribeLocation(meta->Start, meta->FirstAddress), BlockInspector.StaleFaultOf(default), 0));
        BlockHeader header = RecoverBlock(
            meta->Start, meta->FirstAddress, word.CapacityBytes, word.GenerationBase, isDurable: true, out bool isPendingFree);
        meta->MaxGeneration = Math.Max(meta->MaxGeneration, header.Generation);
        SkipGenerations(segment, page, pages);
        if (header.IsFree && !isPendingFree)
        {
            segment.PublishInfo(page, default); // as above
            _allocator.Pool.FreeRecoveredRun(meta, pages);
            return;
        }
        if (header.IsFree)
            _allocator.Pool.AddPendingFreeRun(meta, pages);
        else
            _allocator.Pool.AddRecoveredRun(meta, pages, header.PayloadBytes);
        segment.PublishInfo(page, word.Info); // last, as of slots
    }

    // Blocks lost in the power cut may have been in any of these pages, whatever is there now: each page skips generations by itself.
    private void SkipGenerations(Segment segment, int first, int pages)
    {
        if (_inspector.GenerationSkip == 0)
            return;
        for (int page = first; page < first + pages; page++)
        {
            uint found = segment.Metas[page].MaxGeneration;
            if (found < PilePointer.MaxGeneration)
                segment.Metas[page].MaxGeneration = FloorAbove(found);
        }
    }

    // Called before anything changes: the pages must be as the device has them.
    private void RecordLostLayouts(Segment segment, int first, int pages)
    {
        if (_allocator.Pool.GenerationAbove is not { } generationAbove)
            return;
        for (int page = first; page < first + pages; page++)
            segment.Metas[page].MaxGeneration = generationAbove(segment, page);
    }

    /// <summary>Recovers one block, and frees it if it must not be there.</summary>
    /// <param name="block">Its start.</param>
    /// <param name="address">Its address.</param>
    /// <param name="capacityBytes">The most payload bytes of its slot.</param>
    /// <param name="generationBase">The generation base of its page.</param>
    /// <param name="isDurable">Whether the device is known to have the page's layout, so that a header of an older one is damage.</param>
    /// <param name="isPendingFree">Whether it is free, but must not be reused before the next flush.</param>
    /// <returns>Its header after recovery.</returns>
    private BlockHeader RecoverBlock(
        byte* block, ulong address, long capacityBytes, uint generationBase, bool isDurable, out bool isPendingFree)
    {
        var found = new BlockHeader(*(ulong*)block);
        bool isShadowed = _inspector.IsShadowed(found, address, out _);
        BlockHeader header = _inspector.CurrentHeader(block, address, capacityBytes); // without the busy bit: no replacement is running
        if (found.Generation < generationBase || header.Generation < generationBase)
        {
            isPendingFree = false;
            return isDurable
                ? DropDamaged(block, address, found, generationBase, BlockInspector.StaleFaultOf(found))
                : DropStale(block, address, found, generationBase);
        }
        if (header.IsUndoableFree && IsNoLongerPending(header))
            header = BlockHeader.Free(header.Generation);
        else if (header.IsUndoableFree && _inspector.Shutdown == ShutdownKind.Killed)
            header = header.WithEpoch(_inspector.FreeMarkEpoch); // a failed checkpoint may have left marks of an epoch that never began
        if (header.Word != found.Word && !isShadowed)
            *(ulong*)block = header.Word; // one word: a kill leaves either, and they recover alike
        isPendingFree = header.IsUndoableFree || (isShadowed && header.IsFree);
        string? fault = _inspector.FaultOf(block, address, header, capacityBytes);
        if (fault != null)
        {
            isPendingFree = false;
            return DropDamaged(block, address, header, generationBase, fault);
        }
        if (_inspector.IsUnflushedTaking(block, header))
        {
            *(ulong*)block = header.Freed.Word; // a removal that was not flushed: what it removed may be there again
            return header.Freed;
        }
        if (header.Kind != BlockKind.LinkTarget)
            return header;
        // Link and target may lie in two pages, of which one is recovered. Writers have the target's page recovered before they change a
        // link (BlockStore.TryLocate), so the link that is read here does not change.
        if (Mutation.OrphansKept || !_inspector.IsOrphan(block, address))
        {
            Interlocked.Increment(ref _linkCount);
            return header;
        }
        Interlocked.Increment(ref _orphanCount);
        if (_inspector.Shutdown == ShutdownKind.Closed)
            Faults.Add(new PileFault(_inspector.DescribeLocation(block, address), BlockInspector.OrphanFault, header.PayloadBytes));
        RecordLostOrigin(block);
        // After a kill it stays undoable: if the link changed since the flush, this may be the target of the flushed link.
        bool mayBeFlushed = _inspector.Shutdown == ShutdownKind.Killed && _allocator.Pool.TracksFlushed;
        BlockHeader freed = mayBeFlushed ? header.UndoableFree(capacityBytes, _inspector.FreeMarkEpoch) : header.Freed;
        *(ulong*)block = freed.Word;
        isPendingFree = freed.IsUndoableFree;
        return freed;
    }

    // The link may be in a lost layout, and a power cut may undo this free: the link's generation must not be handed out again.
    private void RecordLostOrigin(byte* target)
    {
        if (_allocator.Pool.GenerationAbove == null)
            return;
        var back = new OwnerWord(*(ulong*)(target + BlockHeader.SizeBytes));
        _allocator.Pool.RecordLostBlock(back.LinkAddress, back.LinkGeneration);
    }

    // Never in a closed pile: it has no undoable headers, so one found there is damage.
    private bool IsNoLongerPending(BlockHeader undoable) =>
        _inspector.Shutdown == ShutdownKind.PowerCut
        || (_inspector.Shutdown == ShutdownKind.Killed && !undoable.IsPendingIn(_inspector.Epoch));

    // The header is of an older layout: before the power cut the page's word reached the device, and the slot did not. Its block was
    // deleted before the page was laid out anew.
    private BlockHeader DropStale(byte* block, ulong address, BlockHeader header, uint generationBase)
    {
        if (!header.IsFree)
            Faults.Add(new PileFault(
                _inspector.DescribeLocation(block, address), BlockInspector.StaleFaultOf(header), header.PayloadBytes));
        BlockHeader free = BlockHeader.Free(generationBase);
        *(ulong*)block = free.Word;
        return free;
    }

    private BlockHeader DropDamaged(byte* block, ulong address, BlockHeader header, uint generationBase, string what)
    {
        Faults.Add(new PileFault(_inspector.DescribeLocation(block, address), what, header.PayloadBytes));
        var dropped =
            BlockHeader.Free(_inspector.HasTracesOfCut ? GenerationOfTorn(header, generationBase) + 1 : PilePointer.MaxGeneration);
        *(ulong*)block = dropped.Word;
        return dropped;
    }

    // After a power cut a block that does not match its checksum was not flushed, so its slot can be reused. Its header is in one sector
    // and so never torn: it is the block's own, or bytes of an older layout, which nearly always state an impossible generation.
    private static uint GenerationOfTorn(BlockHeader header, uint generationBase) =>
        header.Generation - generationBase < MostFreesInALayout && header.Generation < PilePointer.MaxGeneration - 1
            ? header.Generation
            : generationBase;
}
