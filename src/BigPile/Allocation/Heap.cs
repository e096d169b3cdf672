using System;
using System.Collections.Generic;
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
/// Accounting, true whenever the lock is free: <see cref="PageBytes"/> = live slots + free slots + slots in quarantine + what a page has
/// left over.
/// </remarks>
internal sealed unsafe partial class Heap : CacheLineIsolated, IDisposable
{
    private const long MinFragmentedBytes = 1 << 20;
    private const int FragmentedShare = 8;

    private readonly int _index;
    private readonly ChangeList? _changes;
    private HeapClass* _classes;
    private SpinGate _lock;

#pragma warning disable CS0169, IDE0051 // there for its size: structures come last, so this keeps the next object's fields away
    private readonly CacheLinePair _roomBehind;
#pragma warning restore CS0169, IDE0051

    internal Heap(int index, bool notesChanges)
    {
        _index = index;
        _changes = notesChanges ? new ChangeList() : null;
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
            long freeBytes = PageBytes - LiveSlotBytes - UnusableBytes - QuarantinedBytes;
            return freeBytes > MinFragmentedBytes && freeBytes > PageBytes / FragmentedShare;
        }
    }

    internal void EnterLock() => _lock.Enter();

    internal void ExitLock() => _lock.Exit();

    /// <summary>Takes a slot, or none when all pages of the class are full.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal Slot TryTake(int sizeClass, long payloadBytes, ThreadPresence presence)
    {
        if (_lock.EnterAndTellIfMet())
            presence.Heap++;
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
        int slot = page->TakeSlot();
        LiveBlocks++;
        PayloadBytes += payloadBytes;
        LiveSlotBytes += page->SlotBytes;
        byte* start = page->Start + slot * page->SlotBytes;
        ulong address = page->FirstAddress + (ulong)(slot * page->SlotBytes) / SizeClasses.GranuleBytes;
        int capacityBytes = page->SlotBytes - BlockHeader.SizeBytes;
        uint floor = page->GenerationFloor;
        _changes?.Add(address);
        _lock.Exit();
        uint generation = new BlockHeader(*(ulong*)start).Generation;
        if (generation < floor)
            generation = RaiseGeneration(start, floor);
        return new Slot(start, address, generation, capacityBytes);
    }

    /// <summary>Makes a page from the pool or from another heap this heap's own.</summary>
    /// <returns>The page, when it is empty and not needed any more: the caller has to return it to the pool.</returns>
    internal PageMeta* Attach(PageMeta* page)
    {
        _lock.Enter();
        PageMeta* current = _classes[page->SizeClass].Current;
        bool isNeeded = !page->IsEmpty || current == null || current->FreeCount == 0;
        if (isNeeded)
            AttachLocked(page);
        _lock.Exit();
        return isNeeded ? null : page;
    }

    /// <summary>Takes a page with free slots away from this heap, for another one; null when there is none to spare.</summary>
    internal PageMeta* Detach(int sizeClass, int newOwner)
    {
        _lock.Enter();
        PageMeta* page = _classes[sizeClass].Listed;
        if (page != null)
        {
            UnlistLocked(page);
            page->IsInTransit = true;
            page->Owner = newOwner;
            CountLocked(page, -1);
        }
        _lock.Exit();
        return page;
    }

    /// <summary>Takes back the slot of a block whose header says free already.</summary>
    /// <param name="page">The block's page.</param>
    /// <param name="slot">The slot in the page.</param>
    /// <param name="generation">The generation in the header now.</param>
    /// <param name="payloadBytes">The bytes of the payload that was there.</param>
    /// <param name="emptied">The page, when the caller has to return it to the pool.</param>
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
        LiveBlocks--;
        PayloadBytes -= payloadBytes;
        LiveSlotBytes -= page->SlotBytes;
        _changes?.Add(page->FirstAddress + (ulong)(slot * page->SlotBytes) / SizeClasses.GranuleBytes);
        page->MaxGeneration = Math.Max(page->MaxGeneration, generation);
        if (page->IsFrozen(slot))
        {
            QuarantineLocked(page, slot);
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
    internal bool TryTakeChanges(List<ulong> addresses)
    {
        _lock.Enter();
        bool isWhole = _changes?.TryTake(addresses) ?? true;
        _lock.Exit();
        return isWhole;
    }

    /// <summary>Notes that a block was changed where it lies.</summary>
    internal void NoteChange(ulong address)
    {
        _lock.Enter();
        _changes?.Add(address);
        _lock.Exit();
    }

    /// <summary>Corrects the payload bytes after a block was replaced in place.</summary>
    internal void AdjustPayload(long deltaBytes)
    {
        _lock.Enter();
        PayloadBytes += deltaBytes;
        _lock.Exit();
    }

    /// <summary>Gives up the empty pages that were kept; the caller returns them to the pool.</summary>
    internal PageMeta* GiveUpEmpty(int sizeClass)
    {
        _lock.Enter();
        PageMeta* page = _classes[sizeClass].Current;
        if (page != null && page->IsEmpty)
        {
            _classes[sizeClass].Current = null;
            page = GiveUpLocked(page);
        }
        else
        {
            page = null;
        }
        _lock.Exit();
        return page;
    }

    /// <summary>Takes in a page that was found in a file, with what is live in it; the pool counts it no more.</summary>
    internal void AttachFound(PageMeta* page, long blocks, long payloadBytes, PagePool pool)
    {
        _lock.Enter();
        if (page->QuarantinedCount != 0)
            NoteQuarantineLocked(page);
        LiveBlocks += blocks;
        PayloadBytes += payloadBytes;
        LiveSlotBytes += blocks * page->SlotBytes;
        AttachLocked(page);
        pool.NoteExamined(page); // inside this lock: no statistics may count the page twice, or not at all
        _lock.Exit();
    }

    public void Dispose()
    {
        NativeMemory.Free(_classes);
        _classes = null;
        _changes?.Dispose();
    }

    // Stored before the slot is used: the next owner goes on from what it finds.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static uint RaiseGeneration(byte* slot, uint floor)
    {
        Volatile.Write(ref *(ulong*)slot, BlockHeader.Free(floor).Word);
        return floor;
    }

    private PageMeta* NextPageLocked(int sizeClass)
    {
        HeapClass* heapClass = _classes + sizeClass;
        PageMeta* page = heapClass->Listed;
        if (page != null)
            UnlistLocked(page);
        heapClass->Current = page; // the one before is full, and comes back to the list when one of its slots is freed
        return page;
    }

    private void AttachLocked(PageMeta* page)
    {
        page->IsInTransit = false;
        page->Owner = _index;
        CountLocked(page, +1);
        HeapClass* heapClass = _classes + page->SizeClass;
        if (heapClass->Current == null || heapClass->Current->FreeCount == 0)
            heapClass->Current = page; // a full one comes to the list when one of its slots is freed
        else if (page->FreeCount != 0)
            ListLocked(page);
    }

    private void CountLocked(PageMeta* page, int sign)
    {
        int rest = SizeClasses.PageBytes - page->SlotCount * page->SlotBytes;
        PageBytes += sign * SizeClasses.PageBytes;
        UnusableBytes += sign * (rest + page->WornCount * page->SlotBytes);
        _quarantinedBytes += sign * page->QuarantinedCount * page->SlotBytes;
    }

    private void ReturnLocked(PageMeta* page, int slot, uint generation)
    {
        if (generation == PilePointer.MaxGeneration)
        {
            page->WornCount++; // the slot is never given out again: its generation has no next value
            UnusableBytes += page->SlotBytes;
            return;
        }
        page->ReturnSlot(slot);
        ListIfFreeLocked(page);
    }

    private void ListIfFreeLocked(PageMeta* page)
    {
        if (page->FreeCount != 0 && !page->IsListed && !page->IsInTransit && page != _classes[page->SizeClass].Current)
            ListLocked(page);
    }

    private bool IsToReturnLocked(PageMeta* page) =>
        page->IsEmpty && !page->IsInTransit && page != _classes[page->SizeClass].Current;

    private PageMeta* GiveUpLocked(PageMeta* page)
    {
        if (page->IsListed)
            UnlistLocked(page);
        page->Owner = PageMeta.NoOwner;
        CountLocked(page, -1);
        return page;
    }

    private void ListLocked(PageMeta* page)
    {
        HeapClass* heapClass = _classes + page->SizeClass;
        page->IsListed = true;
        page->Previous = null;
        page->Next = heapClass->Listed;
        if (page->Next != null)
            page->Next->Previous = page;
        heapClass->Listed = page;
    }

    private void UnlistLocked(PageMeta* page)
    {
        HeapClass* heapClass = _classes + page->SizeClass;
        if (page->Previous != null)
            page->Previous->Next = page->Next;
        else
            heapClass->Listed = page->Next;
        if (page->Next != null)
            page->Next->Previous = page->Previous;
        page->IsListed = false;
    }

    private struct HeapClass
    {
        internal PageMeta* Current;
        internal PageMeta* Listed;
    }
}
