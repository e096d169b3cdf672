using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace BigPile.Allocation;

/// <summary>Slots that were flushed: freed, they stay as they are until their end is flushed too.</summary>
internal sealed unsafe partial class Heap
{
    private const int BytesPerLookShift = 16;

    private readonly List<nint> _quarantinedPages = []; // each once, whichever heap owns it by now
    private readonly List<ulong> _deferred = [];
    private long _quarantinedBytes;

    /// <summary>Bytes of slots in quarantine, in the pages of this heap.</summary>
    internal long QuarantinedBytes => _quarantinedBytes;

    /// <summary>Pages of which no flush has taken what went into quarantine, as far as that was here.</summary>
    internal int NotedQuarantine => _quarantinedPages.Count;

    /// <summary>Whether the quarantine has grown so far that somebody should look how large it is.</summary>
    internal bool WantsLook { get; set; }

    /// <summary>Takes the slots that were put into quarantine since the last call. No change runs.</summary>
    internal void TakeQuarantine(Quarantine quarantine)
    {
        _lock.Enter();
        foreach (nint page in _quarantinedPages)
            quarantine.Take((PageMeta*)page);
        _quarantinedPages.Clear();
        quarantine.Deferred.AddRange(_deferred);
        _deferred.Clear();
        _lock.Exit();
    }

    /// <summary>Notes a block that is free and leased: it gets its plain header with the others.</summary>
    internal void NoteDeferred(ulong address)
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
    /// <param name="worn">Those of them whose generation is used up.</param>
    /// <param name="emptied">The page, when the caller has to return it to the pool, and then to state the end of giving it back.</param>
    /// <returns><see langword="false"/> when another heap owns the page by now.</returns>
    internal bool TryRelease(PageMeta* page, ReadOnlySpan<ulong> released, ReadOnlySpan<ulong> worn, out PageMeta* emptied)
    {
        emptied = null;
        _lock.Enter();
        bool isOwn = page->Owner == _index;
        if (isOwn)
        {
            if (!page->IsInTransit)
                CountLocked(page, -1);
            page->Release(released, worn);
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
    private void QuarantineLocked(PageMeta* page, int slot)
    {
        page->Quarantine(slot);
        long bytes = _quarantinedBytes + (page->IsInTransit ? 0 : page->SlotBytes); // of one in transit all is counted when it comes
        if (bytes >> BytesPerLookShift != _quarantinedBytes >> BytesPerLookShift)
            WantsLook = true;
        _quarantinedBytes = bytes;
        if (!page->HasQuarantine)
            NoteQuarantineLocked(page);
        Debug.Assert(page->FreeCount + page->QuarantinedCount <= page->SlotCount, "More slots than the page has.");
    }

    private void NoteQuarantineLocked(PageMeta* page)
    {
        page->HasQuarantine = true;
        _quarantinedPages.Add((nint)page);
    }
}
