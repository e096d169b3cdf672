using System.Collections.Generic;
using System.Runtime.CompilerServices;

namespace BigPile.Allocation;

/// <summary>The pages in which a block was put or freed since the last snapshot, each in one list of the pile.</summary>
/// <remarks>
/// A snapshot is the instant of which a flush makes everything durable. It only begins new lists, while writers are blocked: what changes a
/// page first behind it brings the page's bits up to it, and keeps its word. Listed are addresses, as a segment may be trimmed meanwhile.
/// Thread safety: the lock of the heap, or the pool, that owns the list.
/// </remarks>
/// <param name="snapshot">The number of the last snapshot; 0 in piles without flushes, where no page is listed.</param>
internal sealed unsafe class ChangedPages(int snapshot)
{
    private readonly List<ulong> _addresses = []; // first addresses of pages
    private int _snapshot = snapshot;

    internal int Count => _addresses.Count;

    /// <summary>Called before a block in a page is put or freed.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Add(PageMeta* page)
    {
        if (page->ListSnapshot != _snapshot)
            AddFirst(page);
    }

    /// <summary>Called before the word of a page changes, under the pool's lock.</summary>
    internal void KeepWord(Segment segment, int page)
    {
        if (segment.Metas[page].WordSnapshot != _snapshot)
            SetWord(segment, page);
    }

    /// <summary>Called when a page was freed, under the pool's lock: a flush that comes to it later records it so.</summary>
    internal void KeepFreedWord(Segment segment, int page) =>
        // It held nothing at the snapshot, or the flush of the snapshot is durable: what was flushed keeps its page until then.
        SetWord(segment, page);

    /// <summary>Moves the addresses to <paramref name="addresses"/>, and begins the list of another snapshot. No writer runs.</summary>
    internal void Begin(int snapshot, List<ulong> addresses)
    {
        addresses.AddRange(_addresses);
        _addresses.Clear();
        _snapshot = snapshot;
    }

    private void SetWord(Segment segment, int page)
    {
        PageMeta* meta = segment.Metas + page;
        meta->BringUpTo(_snapshot); // as its next layout begins with the bits of this snapshot
        (meta->WordSnapshot, meta->SnapshotWord) = (_snapshot, segment.WordOf(page).Word);
    }

    // Not inlined: once a page and snapshot.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void AddFirst(PageMeta* page)
    {
        page->BringUpTo(_snapshot);
        page->ListSnapshot = _snapshot;
        _addresses.Add(page->FirstAddress);
    }
}
