using System.Collections.Generic;
using System.Diagnostics;

namespace BigPile.Allocation;

/// <summary>Slots that were flushed: freed, they stay as they are until their end is flushed too.</summary>
internal sealed unsafe partial class Heap
{
    private readonly List<ulong> _quarantine = [];

    /// <summary>Bytes of slots in quarantine, in the pages of this heap.</summary>
    internal long QuarantinedBytes { get; private set; }

    /// <summary>Takes the slots that were put into quarantine since the last call.</summary>
    internal void TakeQuarantine(List<ulong> addresses)
    {
        _lock.Enter();
        addresses.AddRange(_quarantine);
        _quarantine.Clear();
        _lock.Exit();
    }

    /// <summary>Notes a block that is free and leased: its header is to be settled with the others.</summary>
    internal void NoteDeferred(ulong address)
    {
        _lock.Enter();
        _quarantine.Add(address | Allocator.DeferredBit);
        _lock.Exit();
    }

    /// <summary>Freezes what is in a page.</summary>
    /// <returns><see langword="false"/> when another heap owns the page by now.</returns>
    internal bool TryFreeze(PageMeta* page)
    {
        _lock.Enter();
        bool isOwn = page->Owner == _index;
        if (isOwn)
            page->Freeze();
        _lock.Exit();
        return isOwn;
    }

    /// <summary>Frees a slot whose end is durable.</summary>
    /// <param name="page">Its page.</param>
    /// <param name="slot">The slot in the page.</param>
    /// <param name="isDeferred">The slot is leased: it goes through <see cref="TryReturn"/> yet.</param>
    /// <param name="emptied">The page, when the caller has to return it to the pool.</param>
    /// <returns><see langword="false"/> when another heap owns the page by now.</returns>
    internal bool TryRelease(PageMeta* page, int slot, bool isDeferred, out PageMeta* emptied)
    {
        emptied = null;
        _lock.Enter();
        bool isOwn = page->Owner == _index;
        if (isOwn)
        {
            uint generation = PagePool.SettleFree(page->Start + slot * page->SlotBytes);
            page->Thaw(slot);
            if (!isDeferred)
            {
                page->QuarantinedCount--;
                QuarantinedBytes -= page->SlotBytes;
                ReturnLocked(page, slot, generation);
                if (IsToReturnLocked(page))
                    emptied = GiveUpLocked(page);
            }
        }
        _lock.Exit();
        return isOwn;
    }

    private void QuarantineLocked(PageMeta* page, int slot, uint generation)
    {
        page->MaxGeneration = System.Math.Max(page->MaxGeneration, generation);
        page->QuarantinedCount++;
        QuarantinedBytes += page->SlotBytes;
        _quarantine.Add(page->FirstAddress + (ulong)(slot * page->SlotBytes) / SizeClasses.GranuleBytes);
        Debug.Assert(page->FreeCount + page->QuarantinedCount <= page->SlotCount, "More slots than the page has.");
    }
}
