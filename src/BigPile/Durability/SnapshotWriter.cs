using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Runtime.InteropServices;
using BigPile.Allocation;
using BigPile.Layout;

namespace BigPile.Durability;

/// <summary>Copies the blocks that changed since the last flush into a batch. Writers are blocked meanwhile.</summary>
internal sealed unsafe class SnapshotWriter(
    SegmentMap map, Allocator allocator, ShadowHeaderTable shadowHeaders, bool hasChecksums, ulong lastVersion)
{
    /// <summary>Takes the changed addresses without duplicates, starts new dirty lists, and marks the blocks as flushed.</summary>
    /// <returns><see langword="null"/> if the dirty lists overflowed.</returns>
    internal static ulong[]? TakeAddresses(Allocator allocator)
    {
        var addresses = new List<ulong>();
        if (!allocator.TryTakeDirty(addresses))
        {
            allocator.MarkAllFlushed();
            return null;
        }
        Span<ulong> distinct = Distinct(addresses);
        allocator.MarkFlushed(distinct);
        return [.. distinct];
    }

    /// <summary>Sorts addresses and removes duplicates.</summary>
    /// <returns>A span over the list; the list must not be used afterwards.</returns>
    internal static Span<ulong> Distinct(List<ulong> addresses)
    {
        addresses.Sort();
        int count = 0;
        for (int i = 0; i < addresses.Count; i++)
        {
            if (i == 0 || addresses[i] != addresses[count - 1])
                addresses[count++] = addresses[i];
        }
        return CollectionsMarshal.AsSpan(addresses)[..count];
    }

    /// <summary>Copies the blocks as they are now into a batch that begins with space for its head.</summary>
    /// <returns>The batch, or null if it would exceed the limit.</returns>
    internal FlushBatch? Capture(ReadOnlySpan<ulong> addresses, long limitBytes)
    {
        Debug.Assert(limitBytes >= FlushLog.HeadBytes, "Not even an empty batch fits.");
        FlushBatch? whole = null;
        var batch = new FlushBatch();
        try
        {
            if (TryAddAll(batch, addresses, limitBytes))
                whole = batch;
        }
        finally
        {
            if (whole == null)
                batch.Dispose();
        }
        return whole;
    }

    private bool TryAddAll(FlushBatch batch, ReadOnlySpan<ulong> addresses, long limitBytes)
    {
        if (addresses.Length != 0)
            _ = TryAdd(batch, ChangeRecord.OfVersion(lastVersion), limitBytes); // recovery tells later entries by it
        foreach (ulong address in addresses)
        {
            // No memory at the address: its segment was trimmed, and all in it was free.
            if (map.Find(address, out _) != null && !TryAdd(batch, Describe(address), limitBytes))
                return false;
        }
        return true;
    }

    private ChangeRecord Describe(ulong address)
    {
        byte* block = map.Find(address, out _);
        PageMeta* meta = map.MetaOf(address);
        Segment segment = allocator.Pool.SegmentOf(meta);
        int page = PagePool.PageIn(segment, meta);
        PageWord word = segment.WordOf(page);
        // Read the segment, not the readers' map: after page recovery the map learns of a page later than the allocator does.
        if (!word.Info.HasSlotAt(address)) // its page was freed, or laid out anew: the word says it all
            return new ChangeRecord { Address = address, PageWord = word.Word };
        BlockHeader header = HeaderOf(block, address);
        if (header.Kind == BlockKind.Link && word.IsRunHead && word.RunPages > 1)
            // This flush makes the run's payload durably dead: a link needs the first page only.
            word = PageWord.RunHead(1, word.GenerationBase);
        // Payload with its checksum: replay writes both, so the block is whole whatever the segment holds.
        bool hasPayload = !header.IsFree && header.Kind != BlockKind.Link;
        long bytes = hasPayload ? header.PayloadBytes + (hasChecksums ? BlockChecksum.TailBytesOf(header, word.CapacityBytes) : 0) : 0;
        Debug.Assert(bytes <= word.CapacityBytes, "The record would include bytes of the next block.");
        return new ChangeRecord
        {
            Address = address,
            HeaderWord = header.Word,
            PageWord = word.Word,
            TailWords = word.IsRunHead ? segment.TailWords(page, word.RunPages) : default,
            Bytes = new ReadOnlySpan<byte>(block + BlockHeader.SizeBytes, (int)bytes),
        };
    }

    // The header that recovery must find: the shadow header of a shadowed block, and a plain free header (not undoable) of a freed one.
    private BlockHeader HeaderOf(byte* block, ulong address)
    {
        var own = new BlockHeader(*(ulong*)block);
        ulong* word = own.IsBusy && !own.IsFree ? shadowHeaders.Find(address, own.Generation) : null;
        BlockHeader header = word == null ? own : new BlockHeader(*word);
        return header.IsFree ? BlockHeader.Free(header.Generation) : header.NotBusy;
    }

    private static bool TryAdd(FlushBatch batch, ChangeRecord record, long limitBytes)
    {
        if ((long)batch.LengthBytes + record.SizeBytes > Math.Min(limitBytes, Array.MaxLength))
            return false;
        record.Write(batch.Add(record.SizeBytes));
        return true;
    }
}
