using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace BigPile.Allocation;

/// <summary>Slots that were flushed: freed, they stay as they are until their end is flushed too.</summary>
internal sealed unsafe partial class Heap
{
    private const int FlushCheckShift = 16;

    private readonly List<nint> _pendingPages = []; // each once, whichever heap owns it by now
    private readonly List<ulong> _deferred = [];
    private long _pendingFreeBytes;

    /// <summary>Bytes of slots in quarantine, in the pages of this heap.</summary>
    internal long PendingFreeBytes => _pendingFreeBytes;

    /// <summary>Pages of which no flush has taken what went into quarantine, as far as that was here.</summary>
    internal int PendingPageCount => _pendingPages.Count;

    /// <summary>Whether the quarantine has grown so far that somebody should look how large it is.</summary>
    internal bool WantsFlushCheck { get; set; }

    /// <summary>Takes the slots that were put into quarantine since the last call. No change runs.</summary>
    internal void TakePendingFrees(PendingFrees pending)
    {
        _lock.Enter();
        foreach (nint page in _pendingPages)
            pending.Take((PageMeta*)page);
        _pendingPages.Clear();
        pending.Deferred.AddRange(_deferred);
        _deferred.Clear();
        _lock.Exit();
    }

    /// <summary>Notes a block that is free and leased: it gets its plain header with the others.</summary>
    internal void AddDeferred(ulong address)
    {
        _lock.Enter();
        _deferred.Add(address);
        _lock.Exit();
    }

    /// <summary>Freezes what is in a page.</summary>
    /// <returns><see langword="false"/> when another heap owns the page by now.</returns>
    internal bool TryMarkFlushed(PageMeta* page)
    {
        _lock.Enter();
        bool isOwn = page->Owner == _index;
        if (isOwn)
            page->MarkFlushed();
        _lock.Exit();
        return isOwn;
    }

    /// <summary>Notes that what a slot held is gone for good; the slot itself goes through <see cref="TryReturn"/> yet.</summary>
    /// <returns><see langword="false"/> when another heap owns the page by now.</returns>
    internal bool TryClearFlushed(PageMeta* page, int slot)
    {
        _lock.Enter();
        bool isOwn = page->Owner == _index;
        if (isOwn)
            page->ClearFlushed(slot);
        _lock.Exit();
        return isOwn;
    }

    /// <summary>Frees slots whose end is durable, and whose headers say plainly that they are free.</summary>
    /// <param name="page">Their page.</param>
    /// <param name="released">The slots.</param>
    /// <param name="retired">Those of them whose generation is used up.</param>
    /// <param name="emptied">The page, when the caller has to return it to the pool, and then to state the end of giving it back.</param>
    /// <returns><see langword="false"/> when another heap owns the page by now.</returns>
    internal bool TryRelease(PageMeta* page, ReadOnlySpan<ulong> released, ReadOnlySpan<ulong> retired, out PageMeta* emptied)
    {
        emptied = null;
        _lock.Enter();
        bool isOwn = page->Owner == _index;
        if (isOwn)
        {
            if (!page->IsInTransit)
                CountLocked(page, -1);
            page->Release(released, retired);
            if (!page->IsInTransit)
                CountLocked(page, +1);
            ListIfFreeLocked(page);
            if (IsToReturnLocked(page))
                emptied = GiveUpLocked(page);
        }
        _lock.Exit();
        return isOwn;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void AddPendingFreeLocked(PageMeta* page, int slot)
    {
        page->AddPendingFree(slot);
        long bytes = _pendingFreeBytes + (page->IsInTransit ? 0 : page->SlotBytes); // of one in transit all is counted when it comes
        if (bytes >> FlushCheckShift != _pendingFreeBytes >> FlushCheckShift)
            WantsFlushCheck = true;
        _pendingFreeBytes = bytes;
        if (!page->HasNewPendingFrees)
            AddPendingPageLocked(page);
        Debug.Assert(page->FreeCount + page->PendingFreeCount <= page->SlotCount, "More slots than the page has.");
    }

    private void AddPendingPageLocked(PageMeta* page)
    {
        page->HasNewPendingFrees = true;
        _pendingPages.Add((nint)page);
    }
}
