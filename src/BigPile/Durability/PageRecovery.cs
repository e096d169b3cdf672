using System;
using System.Diagnostics;
using System.Threading;
using BigPile.Allocation;
using BigPile.Concurrency;
using BigPile.Layout;

namespace BigPile.Durability;

/// <summary>
/// Rebuilds the allocator's record of a page from what the page itself says, when the page is needed or its turn has come.
/// </summary>
/// <remarks>
/// Nothing from the file is followed before it was checked. A kill can leave free slots, live slots, busy ones, and link targets without
/// an origin. Anything else is damage: such a slot is dropped and never given out again, since nobody knows its generation any more. After
/// a power cut it is nearly always what was torn before it was flushed: dropped too, and used again. Order: the page goes to its heap, then
/// its info to the readers. A slot of it may thus be given out before readers see the page; whoever reads it then comes here and waits for
/// the lock. Headers are put right before both: one that was loaded before its page's info says nothing of what is not there, as its
/// deletion may have been undone between. Links may cross pages of which one was examined and the other not. Whoever changes a link has its
/// target's page examined before, so what is looked at here through a link stands still. Locks: a page's, then a heap's, then the pool's.
/// </remarks>
internal sealed unsafe class PageRecovery
{
    /// <summary>
    /// How often a slot may have been freed since its page was laid out; what states more is taken for bytes of an older layout.
    /// </summary>
    private const uint MostFreesInALayout = 1 << 16;

    private const int LockCount = 64;

    private readonly Lock[] _locks = new Lock[LockCount];
    private readonly SegmentMap _map;
    private readonly Allocator _allocator;
    private readonly BlockInspector _inspector;
    private long _linkCount;
    private long _orphanCount;

    internal PageRecovery(SegmentMap map, Allocator allocator, BlockInspector inspector, FaultLog faults)
    {
        Faults = faults;
        _map = map;
        _allocator = allocator;
        _inspector = inspector;
        for (int i = 0; i < LockCount; i++)
            _locks[i] = new Lock();
    }

    /// <summary>What was found that is not what was written.</summary>
    internal FaultLog Faults { get; }

    /// <summary>Link targets that were found.</summary>
    internal long LinkCount => Interlocked.Read(ref _linkCount);

    /// <summary>Link targets that nothing led to, and that were freed.</summary>
    internal long OrphanCount => Interlocked.Read(ref _orphanCount);

    /// <summary>Touches a page: a cold one is sixteen faults, which are taken before the page's lock is.</summary>
    internal static void ReadAhead(byte* page)
    {
        for (int offset = 0; offset < SizeClasses.PageBytes; offset += 4096)
            _ = Volatile.Read(ref page[offset]);
    }

    /// <summary>Examines the page that an address lies in, unless it was examined before.</summary>
    internal void RecoverPage(ulong address)
    {
        if (_map.Find(address, out PageInfo* infoAt) == null)
            return; // somebody else has examined and freed it meanwhile, and its segment was given back
        PageMeta* meta = _map.MetaOf(address);
        lock (_locks[meta->PageNumber % LockCount])
        {
            if (!SegmentMap.Load(infoAt).IsUnrecovered)
                return;
            Segment segment = _allocator.Pool.SegmentOf(meta);
            int page = PagePool.PageIn(segment, meta);
            PageWord word = segment.WordOf(page);
            Debug.Assert(meta->Owner == PageMeta.NoOwner, "A heap gives out slots of a page that nobody has looked at.");
            Debug.Assert(word.IsIntact && (word.IsRunHead || word.HasSlots), "The page was changed before it was examined.");
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
        RecordLostLayouts(segment, page, 1);
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
            bool isRetired = header.IsFree && !isPendingFree && header.Generation >= PilePointer.MaxGeneration - 1;
            if (!isRetired && ((header.IsFree && !isPendingFree) || _inspector.GenerationSkip != 0))
                meta->GenerationFloor = Math.Max(meta->GenerationFloor, FloorAbove(header.Generation));
            if (!header.IsFree)
            {
                blocks++;
                payloadBytes += header.PayloadBytes;
            }
            else if (isPendingFree)
            {
                meta->AddPendingFree(slot);
            }
            else if (isRetired)
            {
                Retire(block, header);
                meta->RetiredCount++;
            }
            else
            {
                meta->ReturnSlot(slot);
                lastFree = block;
            }
        }
        Debug.Assert(
            meta->FreeCount + meta->RetiredCount + meta->PendingFreeCount + blocks == meta->SlotCount, "A slot is lost, or counted twice.");
        if (_inspector.GenerationSkip != 0 && lastFree != null)
            *(ulong*)lastFree = BlockHeader.Free(meta->GenerationFloor).Word; // found by later owners, which then begin above it as well
        meta->MaxGeneration = Math.Max(meta->MaxGeneration, meta->GenerationFloor);
        if (meta->IsEmpty)
        {
            segment.PublishInfo(page, default);
            _allocator.Pool.FreeRecovered(meta);
            return;
        }
        if (meta->FlushedBits != null)
            meta->MarkFlushed(); // which blocks were flushed is not known any more: all are treated as if they were
        _allocator.AttachFound(meta, blocks, payloadBytes);
        segment.PublishInfo(page, word.Info);
    }

    // Before the power cut slots may have been given out with generations above the one that was found.
    private uint FloorAbove(uint found) => Math.Min(found + 1 + _inspector.GenerationSkip, PilePointer.MaxGeneration - 1);

    // A pointer with any of the slot's last generations may be out: none is left that is certain to be new.
    private static void Retire(byte* block, BlockHeader header)
    {
        Debug.Assert(header.IsFree, "A block that is there would be lost.");
        if (header.Generation != PilePointer.MaxGeneration)
            *(ulong*)block = BlockHeader.Free(PilePointer.MaxGeneration).Word;
    }

    private void RecoverRun(Segment segment, int page, PageWord word)
    {
        int pages = word.RunPages;
        Debug.Assert(pages >= 1 && page + pages <= segment.PageCount, "The scan lets no run pass that ends behind its segment.");
        PageMeta* meta = segment.Metas + page;
        RecordLostLayouts(segment, page, pages);
        if (LegacySlots.IsLostRun(word, meta->Start, _inspector))
            Faults.Add(new PileFault(_inspector.DescribeLocation(meta->Start, meta->FirstAddress), BlockInspector.StaleFaultOf(default), 0));
        BlockHeader header = RecoverBlock(
            meta->Start, meta->FirstAddress, word.CapacityBytes, word.GenerationBase, isDurable: true, out bool isPendingFree);
        meta->MaxGeneration = Math.Max(meta->MaxGeneration, header.Generation);
        SkipGenerations(segment, page, pages);
        if (header.IsFree && !isPendingFree)
        {
            segment.PublishInfo(page, default);
            _allocator.Pool.FreeRecoveredRun(meta, pages);
            return;
        }
        if (header.IsFree)
            _allocator.Pool.AddPendingFreeRun(meta, pages);
        else
            _allocator.Pool.AddRecoveredRun(meta, pages, header.PayloadBytes);
        segment.PublishInfo(page, word.Info);
    }

    // Blocks that the power cut took may have lain in any of these pages, whatever is found there now: each skips generations by itself.
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

    // Before anything is changed: until then the pages are as the device has them.
    private void RecordLostLayouts(Segment segment, int first, int pages)
    {
        if (_allocator.Pool.GenerationAbove is not { } generationAbove)
            return;
        for (int page = first; page < first + pages; page++)
            segment.Metas[page].MaxGeneration = generationAbove(segment, page);
    }

    /// <summary>Looks at one block, and frees it if it must not be there.</summary>
    /// <param name="block">Where it is.</param>
    /// <param name="address">Its address.</param>
    /// <param name="capacityBytes">The most bytes of its payload.</param>
    /// <param name="generationBase">That of its page.</param>
    /// <param name="isDurable">Whether the layout of its page reached the device, so that a header of an older one is damage.</param>
    /// <param name="isPendingFree">Whether it is free, and not to be used yet.</param>
    /// <returns>Its header as it is now.</returns>
    private BlockHeader RecoverBlock(
        byte* block, ulong address, long capacityBytes, uint generationBase, bool isDurable, out bool isPendingFree)
    {
        var found = new BlockHeader(*(ulong*)block);
        bool isShadowed = _inspector.IsShadowed(found, address, out _);
        BlockHeader header = _inspector.CurrentHeader(block, address, capacityBytes); // not busy: nobody is replacing any more
        if (found.Generation < generationBase || header.Generation < generationBase)
        {
            isPendingFree = false;
            return isDurable
                ? DropDamaged(block, address, found, generationBase, BlockInspector.StaleFaultOf(found))
                : DropStale(block, address, found, generationBase);
        }
        if (header.IsUndoableFree && IsFinallyFree(header))
            header = BlockHeader.Free(header.Generation);
        else if (header.IsUndoableFree && _inspector.Shutdown == ShutdownKind.Killed)
            header = header.WithEpoch(_inspector.FreeEpoch); // a checkpoint that failed may have left marks of an epoch that did not come
        if (header.Word != found.Word && !isShadowed)
            *(ulong*)block = header.Word;
        isPendingFree = header.IsUndoableFree || (isShadowed && header.IsFree);
        string? fault = _inspector.FaultOf(block, address, header, capacityBytes);
        if (fault != null)
        {
            isPendingFree = false;
            return DropDamaged(block, address, header, generationBase, fault);
        }
        if (_inspector.IsUnflushedTaking(block, header))
        {
            *(ulong*)block = header.Freed.Word;
            return header.Freed;
        }
        if (header.Kind != BlockKind.LinkTarget)
            return header;
        if (Mutation.OrphansKept || !_inspector.IsOrphan(block, address))
        {
            Interlocked.Increment(ref _linkCount);
            return header;
        }
        Interlocked.Increment(ref _orphanCount);
        if (_inspector.Shutdown == ShutdownKind.Closed)
            Faults.Add(new PileFault(_inspector.DescribeLocation(block, address), BlockInspector.OrphanFault, header.PayloadBytes));
        RecordLostOrigin(block);
        // After a kill it stays undoable: it may be what the flushed link leads to, if the link was changed since the flush.
        bool mayBeFlushed = _inspector.Shutdown == ShutdownKind.Killed && _allocator.Pool.TracksFlushed;
        BlockHeader freed = mayBeFlushed ? header.UndoableFree(capacityBytes, _inspector.FreeEpoch) : header.Freed;
        *(ulong*)block = freed.Word;
        isPendingFree = freed.IsUndoableFree;
        return freed;
    }

    // The link may lie in a layout that was lost. The device may still have this target, and not that it was freed: its origin's generation
    // must not be given out again.
    private void RecordLostOrigin(byte* target)
    {
        if (_allocator.Pool.GenerationAbove == null)
            return;
        var back = new OwnerWord(*(ulong*)(target + BlockHeader.SizeBytes));
        _allocator.Pool.RecordLostBlock(back.LinkAddress, back.LinkGeneration);
    }

    // Not in a closed pile: it has no undoable headers, so one that is found is damage.
    private bool IsFinallyFree(BlockHeader undoable) =>
        _inspector.Shutdown == ShutdownKind.PowerCut || (_inspector.Shutdown == ShutdownKind.Killed && !undoable.IsPendingIn(_inspector.Epoch));

    // The header is of an older layout: the page's word reached the device before the power cut, and the slot did not. Its block was
    // deleted before the page was laid out anew.
    private BlockHeader DropStale(byte* block, ulong address, BlockHeader header, uint generationBase)
    {
        if (!header.IsFree)
            Faults.Add(new PileFault(_inspector.DescribeLocation(block, address), BlockInspector.StaleFaultOf(header), header.PayloadBytes));
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

    // After a power cut a block that does not match its checksum was not flushed, so its slot can be used again. Its header lies in one
    // sector and is never torn: it is the block's own, or bytes of an older layout, which mostly state a generation that can't be here.
    private static uint GenerationOfTorn(BlockHeader header, uint generationBase) =>
        header.Generation - generationBase < MostFreesInALayout && header.Generation < PilePointer.MaxGeneration - 1
            ? header.Generation
            : generationBase;
}
