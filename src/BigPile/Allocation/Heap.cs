using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using BigPile.Layout;
using BigPile.Memory;
using BigPile.Memory.Concurrency;

namespace BigPile.Allocation;

/// <summary>The pages that some threads allocate from. There are as many heaps as processors, rounded up to a power of two.</summary>
/// <remarks>
/// Each kind of pages has a current page, and a list of other pages with a free slot; full pages are in no list. An empty page goes back to
/// the pool unless it is the current one of its kind, so that a pile that alternates between no object and one lays out no page each time.
/// The lock is nearly always free: a thread that meets another one moves to the next heap, and other threads only come to free. It is held
/// for some nanoseconds.
/// Invariant over all heaps together, while no lock is held and no page is in transit: <see cref="PageBytes"/> =
/// <see cref="LiveSlotBytes"/> + free slots + <see cref="PendingFreeBytes"/> + <see cref="UnusableBytes"/>. In a single heap, PageBytes and
/// the last two count its own pages. Live slots are added in the heap that they were taken from, and subtracted in the page's present heap.
/// </remarks>
internal sealed unsafe partial class Heap : CacheLineIsolated, IDisposable
{
    private const long MinFragmentedBytes = 1 << 20;
    private const int FragmentedShare = 8;

    private readonly int _index; // the owner number in this heap's pages
    private readonly EventCount _transferEvents; // counts transfers: of pages between heaps and pool, and what flushes and trims free
    private readonly ChangedPages _changed; // pages that changed through this heap, of whichever heap
    private HeapClass* _classes; // one for each kind of pages; under the lock
    private TinySpinLock _lock; // protects all members, and the metadata of the pages that this heap owns

#pragma warning disable CS0169, IDE0051 // padding: the runtime lays structs out last, so this keeps the next object's fields off the line
    private readonly CacheLinePair _padding;
#pragma warning restore CS0169, IDE0051

    internal Heap(int index, bool tracksFlushed, EventCount transferEvents)
    {
        _index = index;
        _transferEvents = transferEvents;
        _changed = new ChangedPages(tracksFlushed ? Allocator.FirstSnapshot : 0);
        _classes = (HeapClass*)NativeMemory.AllocZeroed(PageKind.End, (nuint)sizeof(HeapClass));
    }

    // The counters: written under the lock; read under all heaps' locks and the pool's (AllocatorCounters), by IsFragmented without.

    /// <summary>Blocks taken from this heap less those freed in its pages; may be negative.</summary>
    internal long LiveBlocks { get; private set; }

    /// <summary>Bytes of payloads, owner words of link targets included.</summary>
    internal long PayloadBytes { get; private set; }

    /// <summary>Bytes of live slots, counted as <see cref="LiveBlocks"/>.</summary>
    internal long LiveSlotBytes { get; private set; }

    /// <summary>Bytes of this heap's pages.</summary>
    internal long PageBytes { get; private set; }

    /// <summary>Bytes of this heap's pages behind the last slot, and of exhausted slots.</summary>
    internal long UnusableBytes { get; private set; }

    /// <summary>Whether so many slots are free that a block should take a larger slot before the pile grows.</summary>
    internal bool IsFragmented => FreeSlotBytes > MinFragmentedBytes && FreeSlotBytes > PageBytes / FragmentedShare;

    /// <summary>Bytes of free slots.</summary>
    internal long FreeSlotBytes => PageBytes - LiveSlotBytes - UnusableBytes - PendingFreeBytes;

    internal void EnterLock() => _lock.Enter();

    internal void ExitLock() => _lock.Exit();

    /// <summary>Takes a slot; none when all pages of the kind are full.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal Slot TryTake(int kind, long payloadBytes, CriticalRegion critical)
    {
        if (_lock.EnterAndReportContention())
            critical.Shard++;
        PageMeta* page = _classes[kind].Current;
        if (page == null || page->FreeCount == 0)
        {
            page = NextPageLocked(kind);
            if (page == null)
            {
                _lock.Exit();
                return default;
            }
        }
        Debug.Assert(page->Owner == _index && page->Kind == kind, "The page is of another heap, or kind.");
        _changed.Add(page);
        int slot = page->TakeSlot();
        LiveBlocks++;
        PayloadBytes += payloadBytes;
        LiveSlotBytes += page->SlotBytes;
        byte* start = page->Start + slot * page->SlotBytes;
        ulong address = page->FirstAddress + (ulong)(slot * page->SlotBytes) / SizeClasses.GranuleBytes;
        int capacityBytes = page->SlotBytes - BlockHeader.SizeBytes;
        uint floor = page->GenerationFloor;
        _lock.Exit();
        Debug.Assert(new BlockHeader(*(ulong*)start).IsFree, "A slot is taken that is not free.");
        uint generation = new BlockHeader(*(ulong*)start).Generation;
        if (generation < floor)
            generation = RaiseGeneration(start, floor);
        return new Slot(start, address, generation, capacityBytes);
    }

    /// <summary>Frees the slot of a block whose header already says free.</summary>
    /// <param name="page">The block's page.</param>
    /// <param name="slot">The slot in the page.</param>
    /// <param name="generation">The generation in the header now.</param>
    /// <param name="payloadBytes">The bytes of the payload that was there.</param>
    /// <param name="emptied">The page, if it is empty: the caller returns it to the pool, and then ends the transfer.</param>
    /// <returns><see langword="false"/> when another heap owns the page by now.</returns>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool TryReturn(PageMeta* page, int slot, uint generation, long payloadBytes, out PageMeta* emptied)
    {
        emptied = null;
        _lock.Enter();
        if (page->Owner != _index)
        {
            _lock.Exit();
            return false;
        }
        Debug.Assert((uint)slot < page->SlotCount && !page->IsFree(slot), "The slot is free already.");
        LiveBlocks--;
        PayloadBytes -= payloadBytes;
        LiveSlotBytes -= page->SlotBytes;
        _changed.Add(page);
        page->MaxGeneration = Math.Max(page->MaxGeneration, generation);
        if (page->AddFreed(slot))
        {
            CountPendingFreeLocked(page);
        }
        else
        {
            FreeSlotLocked(page, slot, generation);
            if (IsToGiveUpLocked(page))
                emptied = GiveUpLocked(page);
        }
        _lock.Exit();
        return true;
    }

    /// <summary>Corrects the payload bytes after a block was replaced in place.</summary>
    internal void AdjustPayload(long deltaBytes)
    {
        _lock.Enter();
        PayloadBytes += deltaBytes;
        _lock.Exit();
    }

    public void Dispose()
    {
        NativeMemory.Free(_classes);
        _classes = null;
    }

    // Stored before the slot is used: after a kill, the next owner continues from the generation that it finds.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static uint RaiseGeneration(byte* slot, uint floor)
    {
        BlockTransitions.Store((ulong*)slot, BlockHeader.Free(floor));
        return floor;
    }

    private void FreeSlotLocked(PageMeta* page, int slot, uint generation)
    {
        Debug.Assert(
            new BlockHeader(*(ulong*)page->BlockAt(slot)).Generation == generation, "The generation is not that of the slot's header.");
        if (generation == PilePointer.MaxGeneration)
        {
            page->ExhaustedCount++; // never used again: its generation has no successor
            if (!page->IsInTransit)
                UnusableBytes += page->SlotBytes;
            return;
        }
        page->ReturnSlot(slot);
        ListIfFreeLocked(page);
    }
}
