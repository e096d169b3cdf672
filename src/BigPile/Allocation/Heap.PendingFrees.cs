using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace BigPile.Allocation;

/// <summary>Flushed slots that were freed: they are not reused before a flush has made their deletion durable.</summary>
internal sealed unsafe partial class Heap
{
    private const int FlushCheckShift = 16;

    private readonly List<ulong> _deferred = []; // addresses of freed blocks that are leased
    private long _pendingFreeBytes; // bytes of pending slots in this heap's pages; written under the lock

    /// <summary>Bytes of pending slots in the pages of this heap.</summary>
    internal long PendingFreeBytes => _pendingFreeBytes;

    /// <summary>The pages that changed since the last snapshot, as far as they did through this heap.</summary>
    internal int ChangedPageCount => _changed.Count;

    /// <summary>Whether pending frees have grown by 64 KiB, so that a caller should check whether a flush is due.</summary>
    internal bool WantsFlushCheck { get; set; }

    /// <summary>Begins a snapshot: what changed before it goes to <paramref name="taken"/>. No writer may run.</summary>
    internal void BeginSnapshot(int snapshot, PendingFrees taken)
    {
        _lock.Enter();
        _changed.Begin(snapshot, taken.Changed);
        taken.Leased.AddRange(_deferred);
        _deferred.Clear();
        _lock.Exit();
    }

    /// <summary>Adds a freed block that is leased: a flush stores its plain free header with the others.</summary>
    internal void AddDeferred(ulong address)
    {
        _lock.Enter();
        _deferred.Add(address);
        _lock.Exit();
    }

    /// <summary>Takes what changed in a page before the last snapshot.</summary>
    /// <returns><see langword="false"/> when another heap owns the page by now.</returns>
    internal bool TryTakeChanges(Segment segment, PageMeta* page, int snapshot, PageChanges changes)
    {
        _lock.Enter();
        bool isOwn = page->Owner == _index;
        if (isOwn)
            changes.Take(segment, page, snapshot);
        _lock.Exit();
        return isOwn;
    }

    /// <summary>Clears a slot's flushed bit, as its deletion is durable. The slot is freed later, by <see cref="TryReturn"/>.</summary>
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

    /// <summary>Frees pending slots whose deletion is durable, and whose plain free headers are stored.</summary>
    /// <param name="page">Their page.</param>
    /// <param name="released">The slots, as bits.</param>
    /// <param name="exhausted">Those of them whose generation is exhausted.</param>
    /// <param name="emptied">The page, if it is empty: the caller returns it to the pool, and then ends the transfer.</param>
    /// <returns><see langword="false"/> when another heap owns the page by now.</returns>
    internal bool TryRelease(PageMeta* page, ReadOnlySpan<ulong> released, ReadOnlySpan<ulong> exhausted, out PageMeta* emptied)
    {
        emptied = null;
        _lock.Enter();
        bool isOwn = page->Owner == _index;
        if (isOwn)
        {
            if (!page->IsInTransit)
                CountLocked(page, -1);
            page->Release(released, exhausted);
            if (!page->IsInTransit)
                CountLocked(page, +1);
            ListIfFreeLocked(page);
            if (IsToGiveUpLocked(page))
                emptied = GiveUpLocked(page);
        }
        _lock.Exit();
        return isOwn;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private void CountPendingFreeLocked(PageMeta* page)
    {
        long bytes = _pendingFreeBytes + (page->IsInTransit ? 0 : page->SlotBytes); // counted as a whole when it arrives
        if (bytes >> FlushCheckShift != _pendingFreeBytes >> FlushCheckShift)
            WantsFlushCheck = true;
        _pendingFreeBytes = bytes;
        Debug.Assert(page->FreeCount + page->PendingFreeCount <= page->SlotCount, "More slots than the page has.");
    }
}
