using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Allocation;
using BigPile.Concurrency;
using BigPile.Durability;
using BigPile.Layout;

namespace BigPile.Access;

/// <summary>Walks over all blocks in address order, some pages at a time.</summary>
internal sealed unsafe class BlockWalk(BlockStore blocks, BlockReader reader, SharedReader? shared)
{
    private const int PagesAtOnce = 64; // 4 MiB in one critical region
    private const ulong UnitsPerPage = SizeClasses.PageBytes / SizeClasses.GranuleBytes;

    private readonly BlockStore _blocks = blocks; // barrier, allocator and page recovery
    private readonly BlockReader _reader = reader; // reads what a walk finds, by the rules of any read
    private readonly SharedReader? _shared = shared; // null unless the pile is open for reading only
    private readonly SegmentMap _map = blocks.Map; // memory and page info by address

    /// <summary>Collects entries from an address on.</summary>
    /// <returns>Their number; 0 at the end of the pile.</returns>
    internal int Collect(ref ulong address, Span<PileEntry> entries)
    {
        Debug.Assert(!entries.IsEmpty, "A walk with an empty span would never advance.");
        int count = 0;
        while (CollectFew(ref address, entries, ref count) && count == 0) // each call in a critical region of its own
        {
        }
        return count;
    }

    /// <summary>Collects the entries of a few pages in one critical region, so that flushes and trims do not wait long for it.</summary>
    /// <returns><see langword="false"/> at the end of the pile.</returns>
    private bool CollectFew(ref ulong address, Span<PileEntry> entries, ref int count)
    {
        using ReadScope scope = _blocks.EnterReader();
        if (address == 0)
            _shared?.MapNewSegments();
        ulong end = _map.AddressOf(_blocks.Allocator.Pool.SegmentsEnd);
        for (int pages = 0; pages < PagesAtOnce && address < end && count < entries.Length; pages++)
            CollectPage(ref address, entries, ref count);
        return address < end;
    }

    /// <summary>Collects the addresses of table entries from an address on; any of them may be freed meanwhile.</summary>
    /// <param name="address">Where to continue; advanced.</param>
    /// <param name="end">Where to end; the start of a page.</param>
    /// <param name="found">The addresses.</param>
    /// <returns>The number found; <paramref name="address"/> reaches the end when there are no more.</returns>
    internal int CollectTableEntries(ref ulong address, ulong end, Span<ulong> found)
    {
        Debug.Assert(_shared == null, "A pile open for reading only has no tables.");
        int count = 0;
        while (address < end && count == 0)
            CollectFewTableEntries(ref address, end, found, ref count);
        return count;
    }

    private void CollectFewTableEntries(ref ulong address, ulong end, Span<ulong> found, ref int count)
    {
        using ReadScope scope = _blocks.EnterReader();
        for (int pages = 0; pages < PagesAtOnce && address < end && count < found.Length; pages++)
            CollectTableEntriesOfPage(ref address, found, ref count);
    }

    private void CollectPage(ref ulong address, Span<PileEntry> entries, ref int count)
    {
        PageSlots slots = SlotsFrom(address);
        byte* block = slots.Block;
        for (ulong at = slots.First; at < slots.End; at += slots.StepUnits, block += slots.StepUnits * SizeClasses.GranuleBytes)
        {
            if (count == entries.Length)
            {
                address = at;
                return;
            }
            if (TryDescribe(at, block, out entries[count]))
                count++;
        }
        address = slots.NextPage;
    }

    // Reads only headers, and checksums if every read verifies them: with many entries each extra read is felt.
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    private void CollectTableEntriesOfPage(ref ulong address, Span<ulong> found, ref int count)
    {
        PageSlots slots = SlotsFrom(address);
        byte* block = slots.Block;
        bool checks = _blocks.ChecksEveryRead;
        int filled = count;
        for (ulong at = slots.First; at < slots.End; at += slots.StepUnits, block += slots.StepUnits * SizeClasses.GranuleBytes)
        {
            bool isEntry = new BlockHeader(Volatile.Read(ref *(ulong*)block)).Kind == BlockKind.TableEntry;
            if (!isEntry || (checks && !TryDescribe(at, block, out _)))
                continue;
            if (filled == found.Length)
            {
                address = at;
                count = filled;
                return;
            }
            found[filled++] = at;
        }
        address = slots.NextPage;
        count = filled;
    }

    private PageSlots SlotsFrom(ulong address)
    {
        Debug.Assert(PileRegions.Current.IsOpen, "A segment's memory stays only during the critical region.");
        ulong page = address & ~(UnitsPerPage - 1);
        byte* start = _map.Find(page, out PageInfo* infoAt);
        PageInfo info = _shared != null ? _shared.InfoAt(page) : start == null ? default : SegmentMap.Load(infoAt);
        if (info.IsUnrecovered)
            info = RecoveredInfo(page, start, infoAt);
        ulong step = info.ClassPlusOne == 0 ? UnitsPerPage : (ulong)SizeClasses.SlotBytes(info.ClassPlusOne - 1) / SizeClasses.GranuleBytes;
        // The page may have been laid out anew since the previous batch; blocks of the new layout are newer than the walk.
        ulong first = page + (address - page + step - 1) / step * step;
        return new PageSlots
        {
            First = first,
            End = page + (ulong)info.SlotCount * step,
            StepUnits = step,
            NextPage = page + UnitsPerPage,
            Block = start + (first - page) * SizeClasses.GranuleBytes,
        };
    }

    // The block was located with its page. If the segment is trimmed meanwhile nothing is found any more, but its memory stays until this
    // critical region ends.
    private bool TryDescribe(ulong address, byte* block, out PileEntry entry)
    {
        entry = default;
        BlockHeader header;
        if (_shared != null)
            header = _shared.HeaderAt(address);
        else
            header = new BlockHeader(Volatile.Read(ref *(ulong*)block));
        if (!header.IsAddressable)
            return false;
        var pointer = new PilePointer(address, header.Generation);
        var reader = default(SizeReader);
        if (!_reader.TryReadInRegion(pointer, ref reader))
            return false;
        entry = new PileEntry(pointer, (int)reader.LengthBytes, BlockStore.PayloadKindOf(reader.Kind));
        return true;
    }

    // A cold page takes 16 page faults: take them before the page's lock.
    private PageInfo RecoveredInfo(ulong page, byte* start, PageInfo* infoAt)
    {
        PageRecovery.ReadAhead(start);
        _blocks.PageRecovery!.RecoverPage(page);
        return SegmentMap.Load(infoAt);
    }

    /// <summary>The slots of a page that a walk still has to visit.</summary>
    private readonly ref struct PageSlots
    {
        internal ulong First { get; init; }

        internal ulong End { get; init; }

        internal ulong StepUnits { get; init; }

        internal ulong NextPage { get; init; }

        /// <summary>The first block; not valid memory if there is none.</summary>
        internal byte* Block { get; init; }
    }
}
