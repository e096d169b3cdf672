using System;
using System.Diagnostics;
using System.Threading;
using BigPile.Allocation;
using BigPile.Concurrency;
using BigPile.Durability;
using BigPile.Layout;

namespace BigPile.Access;

/// <summary>Walks over everything in the order of addresses, some pages at a time.</summary>
internal sealed unsafe class BlockWalk
{
    private const int PagesAtOnce = 64;
    private const ulong UnitsPerPage = SizeClasses.PageBytes / SizeClasses.GranuleBytes;

    private readonly BlockSpace _space;
    private readonly BlockReader _reader;
    private readonly SharedReader? _shared;
    private readonly SegmentMap _map;

    /// <summary>Walks over the blocks of a pile.</summary>
    internal BlockWalk(BlockSpace space, BlockReader reader, SharedReader? shared)
    {
        _space = space;
        _reader = reader;
        _shared = shared;
        _map = space.Map;
    }

    /// <summary>Collects entries from an address on.</summary>
    /// <returns>How many; zero at the end of the pile.</returns>
    internal int Collect(ref ulong address, Span<PileEntry> entries)
    {
        Debug.Assert(!entries.IsEmpty, "A walk without room would never come on.");
        int count = 0;
        while (CollectFew(ref address, entries, ref count) && count == 0)
        {
        }
        return count;
    }

    /// <summary>Collects the entries of some pages: whoever waits for the walk to leave the pile does not wait for long.</summary>
    /// <returns><see langword="false"/> at the end of the pile.</returns>
    private bool CollectFew(ref ulong address, Span<PileEntry> entries, ref int count)
    {
        ThreadPresence presence = _space.Gate.Enter();
        try
        {
            if (address == 0)
                _shared?.MapNewSegments();
            ulong end = _map.AddressOf(_space.Allocator.Pool.SegmentsEnd);
            for (int pages = 0; pages < PagesAtOnce && address < end && count < entries.Length; pages++)
                CollectPage(ref address, entries, ref count);
            return address < end;
        }
        finally
        {
            _space.Exit(presence);
        }
    }

    private void CollectPage(ref ulong address, Span<PileEntry> entries, ref int count)
    {
        Debug.Assert(ThreadPresence.Mine.IsInside, "A segment's memory stays until the walk has left the pile.");
        ulong page = address & ~(UnitsPerPage - 1);
        byte* start = _map.Find(page, out PageInfo* infoAt);
        PageInfo info = _shared != null ? _shared.InfoAt(page) : start == null ? default : SegmentMap.Load(infoAt);
        if (info.IsUnexamined)
            info = ExaminedInfo(page, start, infoAt);
        ulong step = info.ClassPlusOne == 0 ? UnitsPerPage : (ulong)SizeClasses.SlotBytes(info.ClassPlusOne - 1) / SizeClasses.GranuleBytes;
        ulong end = page + (ulong)info.SlotCount * step;
        // The page may have been laid out anew since the batch before; what is in it now did not live through the walk.
        ulong at = page + (address - page + step - 1) / step * step;
        for (; at < end; at += step)
        {
            if (count == entries.Length)
            {
                address = at;
                return;
            }
            if (TryDescribe(at, start + (at - page) * SizeClasses.GranuleBytes, out entries[count]))
                count++;
        }
        address = page + UnitsPerPage;
    }

    // The block's place was found with its page: the segment may be given back meanwhile, and then nothing is found any more, while its
    // memory stays until the walk has left the pile.
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
        if (!_reader.TryReadInside<SizeReader, AllReadChecks>(pointer, ref reader))
            return false;
        entry = new PileEntry(pointer, (int)reader.LengthBytes, BlockSpace.PayloadKindOf(reader.Kind));
        return true;
    }

    // A cold page is sixteen faults: they are taken before the page's lock is.
    private PageInfo ExaminedInfo(ulong page, byte* start, PageInfo* infoAt)
    {
        PageExaminer.ReadAhead(start);
        _space.Examiner!.Examine(page);
        return SegmentMap.Load(infoAt);
    }
}
