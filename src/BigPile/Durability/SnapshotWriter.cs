using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Numerics;
using System.Threading;
using BigPile.Allocation;
using BigPile.Checking;
using BigPile.Concurrency;
using BigPile.Layout;

namespace BigPile.Durability;

/// <summary>Copies what changed before a snapshot into a batch, while writers go on.</summary>
/// <remarks>
/// What was there at the snapshot is flushed, so its payload stays; only its header may say by now that it is freed, or busy, and both can
/// be undone. A slot that was free at the snapshot is recorded as free. Thread safety: under the flush lock.
/// </remarks>
/// <param name="map">Memory by address.</param>
/// <param name="allocator">Has the pages.</param>
/// <param name="hasChecksums">Whether blocks have checksums.</param>
internal sealed unsafe class SnapshotWriter(SegmentMap map, Allocator allocator, bool hasChecksums)
{
    private readonly PageChanges _changes = new(); // of the page at hand
    private FlushBatch? _batch; // null where nothing is copied
    private long _limitBytes;
    private bool _isFull; // whether something did not fit

    /// <summary>Copies the changes, and takes the pending frees of the changed pages.</summary>
    /// <param name="pending">Has what the snapshot took.</param>
    /// <param name="shadowed">The shadow headers at the snapshot.</param>
    /// <param name="lastVersion">The last version at the snapshot.</param>
    /// <param name="limitBytes">The most bytes of the batch.</param>
    /// <returns>The batch, which begins with space for its head; null if it would exceed the limit.</returns>
    internal FlushBatch? Copy(PendingFrees pending, List<ShadowHeaderTable.Entry> shadowed, ulong lastVersion, long limitBytes)
    {
        bool isEmpty = pending.Changed.Count == 0 && shadowed.Count == 0 && pending.Leased.Count == 0 && pending.Runs.Count == 0;
        return InBatch(isEmpty, lastVersion, limitBytes, () =>
        {
            CopyPages(pending);
            foreach (ulong address in pending.Runs)
                CopyFreed(address, WordOf(address));
            foreach (ulong address in pending.Leased)
                CopyFreed(address, WordOf(address));
            CopyShadowed(shadowed); // last: of an address the last record counts
        });
    }

    /// <summary>Copies the shadowed blocks only: their headers are never in the segments.</summary>
    internal FlushBatch CopyShadowed(List<ShadowHeaderTable.Entry> shadowed, ulong lastVersion) =>
        InBatch(shadowed.Count == 0, lastVersion, long.MaxValue, () => CopyShadowed(shadowed))!;

    /// <summary>Takes the pending frees of the changed pages; copies nothing.</summary>
    internal void TakePending(PendingFrees pending)
    {
        _batch = null;
        CopyPages(pending);
    }

    private FlushBatch? InBatch(bool isEmpty, ulong lastVersion, long limitBytes, Action copy)
    {
        (_batch, _limitBytes, _isFull) = (new FlushBatch(), limitBytes, false);
        FlushBatch? whole = null;
        try
        {
            if (!isEmpty)
                Add(ChangeRecord.OfVersion(lastVersion)); // recovery tells later entries by it
            copy();
            whole = _isFull ? null : _batch;
        }
        finally
        {
            if (whole == null)
                _batch.Dispose();
            _batch = null;
        }
        return whole;
    }

    private void CopyPages(PendingFrees pending)
    {
        var freedRuns = new HashSet<ulong>(pending.Runs);
        foreach (ulong address in pending.Changed)
        {
            PileRegions.Current.Enter(); // page by page: a trim must not wait for the whole copy
            try
            {
                if (!allocator.TryTakeChanges(address, _changes))
                    continue; // all in it was free
                pending.Add(_changes);
                if (_batch != null && !_isFull)
                    CopyPage(address, freedRuns);
            }
            finally
            {
                PileRegions.Current.Exit();
            }
        }
        pending.Changed.Clear();
    }

    private void CopyPage(ulong address, HashSet<ulong> freedRuns)
    {
        PageWord word = _changes.Word;
        if (word.HasSlots)
            CopySlots(word);
        else if (word.IsRunHead && !freedRuns.Contains(address))
            Copy(address, word, FlushedHeader(address, word));
        else if (word.IsUnused)
            Add(new ChangeRecord { Address = address, PageWord = word.Word });
    }

    private void CopySlots(PageWord word)
    {
        int slotBytes = SizeClasses.SlotBytes(word.SizeClass);
        for (int index = 0; index < _changes.Changed.Length; index++)
        {
            for (ulong bits = _changes.Changed[index] | _changes.Pending[index]; bits != 0; bits &= bits - 1)
            {
                int slot = index * 64 + BitOperations.TrailingZeroCount(bits);
                ulong address = _changes.Page->FirstAddress + (ulong)(slot * slotBytes / SizeClasses.GranuleBytes);
                if (!_changes.IsFlushed(slot))
                    Copy(address, word, BlockHeader.Free(_changes.GenerationOf(slot)));
                else if (_changes.IsPending(slot))
                    CopyFreed(address, word);
                else
                    Copy(address, word, FlushedHeader(address, word));
            }
        }
    }

    // A block that was deleted before the snapshot, and keeps its memory.
    private void CopyFreed(ulong address, PageWord word)
    {
        var header = new BlockHeader(*(ulong*)map.Find(address, out _));
        if (header.IsFree) // else its free header is a shadow header
            Copy(address, word, BlockHeader.Free(header.Generation));
    }

    private void CopyShadowed(List<ShadowHeaderTable.Entry> shadowed)
    {
        foreach (ShadowHeaderTable.Entry entry in shadowed)
        {
            PageWord word = WordOf(entry.Address);
            if (entry.Header.Kind == BlockKind.Link && word.IsRunHead && word.RunPages > 1)
                // This flush makes the run's payload durably dead: a link needs the first page only.
                word = PageWord.RunHead(1, word.GenerationBase);
            Copy(entry.Address, word, entry.Header.IsFree ? BlockHeader.Free(entry.Header.Generation) : entry.Header);
        }
    }

    // What a block's own header was at the snapshot, since which the block is flushed.
    private BlockHeader FlushedHeader(ulong address, PageWord word)
    {
        var header = new BlockHeader(Volatile.Read(ref *(ulong*)map.Find(address, out _)));
        if (!header.IsFree)
            return header.NotBusy;
        return header.IsUndoableFree && !Mutation.CopiedNotUndone
            ? header.Undone(word.CapacityBytes)
            : BlockHeader.Free(header.Generation); // freed before the snapshot, under a lease
    }

    // The segment's, not the readers' map: after page recovery the map learns of a page later than the allocator does.
    private PageWord WordOf(ulong address) => SegmentOf(address, out int page).WordOf(page);

    private Segment SegmentOf(ulong address, out int page)
    {
        Segment segment = allocator.Pool.SegmentOf(map.MetaOf(address));
        page = segment.PageOf(address);
        return segment;
    }

    private void Copy(ulong address, PageWord word, BlockHeader header)
    {
        byte* block = map.Find(address, out _);
        // Payload with its checksum: replay writes both, so the block is whole whatever the segment holds.
        bool hasPayload = !header.IsFree && header.Kind != BlockKind.Link;
        long bytes = hasPayload ? header.PayloadBytes + (hasChecksums ? BlockChecksum.TailBytesOf(header, word.CapacityBytes) : 0) : 0;
        Debug.Assert(bytes <= word.CapacityBytes, "The record would include bytes of the next block.");
        Add(new ChangeRecord
        {
            Address = address,
            HeaderWord = header.Word,
            PageWord = word.Word,
            TailWords = word.IsRunHead ? SegmentOf(address, out int page).TailWords(page, word.RunPages) : default,
            Bytes = new ReadOnlySpan<byte>(block + BlockHeader.SizeBytes, (int)bytes),
        });
    }

    private void Add(ChangeRecord record)
    {
        _isFull |= _batch!.LengthBytes + (long)record.SizeBytes > Math.Min(_limitBytes, Array.MaxLength);
        if (!_isFull)
            record.Write(_batch.Add(record.SizeBytes));
    }
}
