using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Runtime.InteropServices;
using BigPile.Allocation;
using BigPile.Layout;

namespace BigPile.Durability;

/// <summary>Copies the blocks that changed since the last flush. No change runs meanwhile.</summary>
internal sealed unsafe class SnapshotWriter(SegmentMap map, Allocator allocator, ShadowHeaderTable shadowHeaders, bool hasChecksums, ulong lastVersion)
{
    /// <summary>Collects the addresses that changed, each once, begins new lists, and freezes what is there.</summary>
    /// <returns><see langword="null"/> when there were too many to be listed.</returns>
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

    /// <summary>Sorts addresses and leaves out those that were there already.</summary>
    /// <returns>A part of the list, which is not to be used any more.</returns>
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

    /// <summary>Copies blocks as they are now, behind room for a batch's head.</summary>
    /// <returns>The batch, or none when it would be larger than the limit.</returns>
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
            _ = TryAdd(batch, ChangeRecord.OfVersion(lastVersion), limitBytes);
        foreach (ulong address in addresses)
        {
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
        // from the segment and not from the readers' map, which learns of a page that was just examined later than the allocator
        if (!word.Info.HasSlotAt(address))
            return new ChangeRecord { Address = address, PageWord = word.Word };
        BlockHeader header = HeaderOf(block, address);
        if (header.Kind == BlockKind.Link && word.IsRunHead && word.RunPages > 1)
            // the payload that the run had is durably gone with this flush: a link needs the first page only
            word = PageWord.RunHead(1, word.GenerationBase);
        bool hasPayload = !header.IsFree && header.Kind != BlockKind.Link;
        long bytes = hasPayload ? header.PayloadBytes + (hasChecksums ? BlockChecksum.TailBytesOf(header, word.CapacityBytes) : 0) : 0;
        Debug.Assert(bytes <= word.CapacityBytes, "The record would have bytes of the next block.");
        return new ChangeRecord
        {
            Address = address,
            HeaderWord = header.Word,
            PageWord = word.Word,
            TailWords = word.IsRunHead ? segment.TailWords(page, word.RunPages) : default,
            Bytes = new ReadOnlySpan<byte>(block + BlockHeader.SizeBytes, (int)bytes),
        };
    }

    // The one that recovery is to find: a moved block has it in the table, and a freed one must not say any more what it was.
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
