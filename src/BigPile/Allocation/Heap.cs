using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;
using BigPile.Concurrency;
using BigPile.Layout;
using BigPile.Memory;

namespace BigPile.Allocation;

/// <summary>The pages that some threads allocate from; there are as many heaps as processors.</summary>
/// <remarks>
/// For each class there is a current page, and a list of other pages that have a free slot; full pages are in no list. A page that
/// becomes empty goes back to the pool, unless it is the current one of its class: a pile that goes from one object to none and back
/// must not lay out a page each time.
/// The lock is nearly always free: a thread that meets another one here goes to the next heap for its later allocations, and the others
/// come only to free. It is held for some nanoseconds.
/// Accounting, true over all heaps together whenever their locks are free and no page is in transit: <see cref="PageBytes"/> =
/// <see cref="LiveSlotBytes"/> + free slots + <see cref="PendingFreeBytes"/> + <see cref="UnusableBytes"/>. Of one heap alone the first and
/// the last two are those of its own pages; what is live is counted where it was taken, and freed where its page is by then.
/// </remarks>
internal sealed unsafe partial class Heap : CacheLineIsolated, IDisposable
{
    private const long MinFragmentedBytes = 1 << 20;
    private const int FragmentedShare = 8;

    private readonly int _index;
    private readonly ReclaimEvents _reclaimEvents;
    private readonly DirtyList? _dirty; // null where nobody wants to know: on the way of each put, a list for nobody costs more
    private HeapClass* _classes;
    private TinySpinLock _lock;

#pragma warning disable CS0169, IDE0051 // there for its size: structures come last, so this keeps the next object's fields away
    private readonly CacheLinePair _padding;
#pragma warning restore CS0169, IDE0051

    internal Heap(int index, bool tracksFlushed, ReclaimEvents reclaimEvents)
    {
        _index = index;
        _reclaimEvents = reclaimEvents;
        _dirty = tracksFlushed ? new DirtyList(DirtyList.Capacity) : null;
        _classes = (HeapClass*)NativeMemory.AllocZeroed((nuint)SizeClasses.Count, (nuint)sizeof(HeapClass));
    }

    internal long LiveBlocks { get; private set; }

    /// <summary>Bytes of payloads, link targets' back words included.</summary>
    internal long PayloadBytes { get; private set; }

    internal long LiveSlotBytes { get; private set; }

    internal long PageBytes { get; private set; }

    /// <summary>Bytes of pages behind their last slot, and of slots whose generation is used up.</summary>
    internal long UnusableBytes { get; private set; }

    /// <summary>
    /// Whether so much of the pages is free slots that objects should go into slots of larger sizes before the pile grows.
    /// </summary>
    internal bool IsFragmented
    {
        get
        {
            long freeBytes = PageBytes - LiveSlotBytes - UnusableBytes - PendingFreeBytes;
            return freeBytes > MinFragmentedBytes && freeBytes > PageBytes / FragmentedShare;
        }
    }

    internal void EnterLock() => _lock.Enter();

    internal void ExitLock() => _lock.Exit();

    /// <summary>Takes a slot, or none when all pages of the class are full.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal Slot TryTake(int sizeClass, long payloadBytes, CriticalRegion critical)
    {
        if (_lock.EnterAndReportContention())
            critical.Heap++;
        PageMeta* page = _classes[sizeClass].Current;
        if (page == null || page->FreeCount == 0)
        {
            page = NextPageLocked(sizeClass);
            if (page == null)
            {
                _lock.Exit();
                return default;
            }
        }
        Debug.Assert(page->Owner == _index && page->SizeClass == sizeClass, "The page is of another heap, or class.");
        int slot = page->TakeSlot();
        LiveBlocks++;
        PayloadBytes += payloadBytes;
        LiveSlotBytes += page->SlotBytes;
        byte* start = page->Start + slot * page->SlotBytes;
        ulong address = page->FirstAddress + (ulong)(slot * page->SlotBytes) / SizeClasses.GranuleBytes;
        int capacityBytes = page->SlotBytes - BlockHeader.SizeBytes;
        uint floor = page->GenerationFloor;
        _dirty?.Add(address);
        _lock.Exit();
        Debug.Assert(new BlockHeader(*(ulong*)start).IsFree, "A slot is taken that is not free.");
        uint generation = new BlockHeader(*(ulong*)start).Generation;
        if (generation < floor)
            generation = RaiseGeneration(start, floor);
        return new Slot(start, address, generation, capacityBytes);
    }

    /// <summary>Takes back the slot of a block whose header says free already.</summary>
    /// <param name="page">The block's page.</param>
    /// <param name="slot">The slot in the page.</param>
    /// <param name="generation">The generation in the header now.</param>
    /// <param name="payloadBytes">The bytes of the payload that was there.</param>
    /// <param name="emptied">The page, when the caller has to return it to the pool, and then to state the end of giving it back.</param>
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
        _dirty?.Add(page->FirstAddress + (ulong)(slot * page->SlotBytes) / SizeClasses.GranuleBytes);
        page->MaxGeneration = Math.Max(page->MaxGeneration, generation);
        if (page->IsFlushed(slot))
        {
            AddPendingFreeLocked(page, slot);
        }
        else
        {
            ReturnLocked(page, slot, generation);
            if (IsToReturnLocked(page))
                emptied = GiveUpLocked(page);
        }
        _lock.Exit();
        return true;
    }

    /// <summary>
    /// Takes what changed in blocks that this heap's threads took, freed or replaced; false when that was more than was listed.
    /// </summary>
    internal bool TryTakeDirty(List<ulong> addresses)
    {
        _lock.Enter();
        bool isWhole = _dirty?.TryTake(addresses) ?? true;
        _lock.Exit();
        return isWhole;
    }

    /// <summary>Notes that a block was changed where it lies.</summary>
    internal void MarkDirty(ulong address)
    {
        _lock.Enter();
        _dirty?.Add(address);
        _lock.Exit();
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
        _dirty?.Dispose();
    }

    // Stored before the slot is used: the next owner goes on from what it finds.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static uint RaiseGeneration(byte* slot, uint floor)
    {
        Volatile.Write(ref *(ulong*)slot, BlockHeader.Free(floor).Word);
        return floor;
    }

    private void ReturnLocked(PageMeta* page, int slot, uint generation)
    {
        Debug.Assert(
            new BlockHeader(*(ulong*)page->BlockAt(slot)).Generation == generation, "The generation is not that of the slot's header.");
        if (generation == PilePointer.MaxGeneration)
        {
            page->RetiredCount++; // the slot is never given out again: its generation has no next value
            if (!page->IsInTransit)
                UnusableBytes += page->SlotBytes;
            return;
        }
        page->ReturnSlot(slot);
        ListIfFreeLocked(page);
    }
}
