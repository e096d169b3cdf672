using System;
using System.Diagnostics;
using System.Numerics;
using BigPile.Layout;

namespace BigPile.Allocation;

/// <summary>What changed in a page before the last snapshot, as a flush takes it, page by page.</summary>
/// <remarks>Thread safety: the flush's lock. <see cref="Take"/> also needs the lock of the page's owner.</remarks>
internal sealed unsafe class PageChanges
{
    private readonly ulong[] _changed = new ulong[PageMeta.MostBitWords]; // slots that were not flushed before
    private readonly ulong[] _pending = new ulong[PageMeta.MostBitWords]; // flushed slots that were freed
    private readonly ulong[] _flushed = new ulong[PageMeta.MostBitWords]; // slots that were not free at the snapshot
    private readonly uint[] _generations = new uint[PageMeta.MostBitWords * 64]; // of the changed slots that were free at it
    private int _wordCount; // of the bits; 0 if the page held no slots

    internal PageMeta* Page { get; private set; }

    /// <summary>The page's word at the snapshot, or younger, if it held nothing then.</summary>
    internal PageWord Word { get; private set; }

    internal ReadOnlySpan<ulong> Changed => _changed.AsSpan(0, _wordCount);

    internal ReadOnlySpan<ulong> Pending => _pending.AsSpan(0, _wordCount);

    /// <summary>Whether a slot held a block at the snapshot, or was pending.</summary>
    internal bool IsFlushed(int slot) => (_flushed[slot >> 6] >> slot & 1) != 0;

    internal bool IsPending(int slot) => (_pending[slot >> 6] >> slot & 1) != 0;

    /// <summary>The generation of a changed slot that was free at the snapshot, or a later one.</summary>
    internal uint GenerationOf(int slot) => _generations[slot];

    internal void Take(Segment segment, PageMeta* page, int snapshot)
    {
        Page = page;
        Word = page->WordSnapshot == snapshot ? new PageWord(page->SnapshotWord) : segment.WordOf(segment.IndexOf(page));
        _wordCount = 0;
        if (!Word.HasSlots)
            return;
        page->BringUpTo(snapshot);
        _wordCount = page->WordCount;
        page->TakeChanges(_changed.AsSpan(0, _wordCount), _pending.AsSpan(0, _wordCount), _flushed.AsSpan(0, _wordCount));
        Debug.Assert(page->SlotCount == 0 || page->SizeClass == Word.SizeClass, "The page was laid out anew, and its word was not kept.");
        if (!Changed.ContainsAnyExcept(0ul) && !Pending.ContainsAnyExcept(0ul))
            _changed[0] = 1; // laid out since what changed was there: any slot tells that it is gone
        for (int word = 0; word < _wordCount; word++)
        {
            // Under the lock: behind it the page may be laid out anew. A later generation than that of the snapshot does no harm.
            for (ulong bits = _changed[word] & ~_flushed[word]; bits != 0; bits &= bits - 1)
            {
                int slot = word * 64 + BitOperations.TrailingZeroCount(bits);
                _generations[slot] = new BlockHeader(*(ulong*)page->BlockAt(slot)).Generation;
            }
        }
    }
}
