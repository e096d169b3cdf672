using System;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Access;
using BigPile.Allocation;
using BigPile.Concurrency;
using BigPile.Layout;

namespace BigPile;

/// <summary>Blocks that belong to tables. Every member is called inside the pile, between <see cref="Enter"/> and an exit.</summary>
public sealed unsafe partial class Pile
{
    /// <summary>Writes and publishes an entry of three parts.</summary>
    /// <returns>The block's address.</returns>
    internal ulong PutEntry(ReadOnlySpan<byte> head, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        long payloadBytes = (long)head.Length + key.Length + value.Length;
        Slot slot = TakeSlot(payloadBytes);
        var payload = new Span<byte>(slot.Start + BlockHeader.SizeBytes, (int)payloadBytes);
        head.CopyTo(payload);
        key.CopyTo(payload[head.Length..]);
        if (Fault.HeaderFirst)
            _ = Publish(slot, BlockKind.TableEntry, payloadBytes);
        KillPoint.CopyHalf(value, slot.Start + BlockHeader.SizeBytes + head.Length + key.Length, KillWindow.PutHalfOfPayload);
        value.CopyTo(payload[(head.Length + key.Length)..]);
        KillPoint.Pass(KillWindow.PutBeforeHeader);
        _ = Publish(slot, BlockKind.TableEntry, payloadBytes);
        return slot.Address;
    }

    /// <summary>Frees an entry. Its table's lock for the key is held, so it is freed once only.</summary>
    internal void FreeEntry(ulong address)
    {
        byte* start = _map.Find(address, out PageInfo* infoAt);
        PageInfo info = SegmentMap.Load(infoAt);
        uint slot = info.SlotAt(address);
        if (slot >= (uint)info.SlotCount || info.ClassPlusOne == 0 || _leases.IsAny)
        {
            FreeAnyEntry(start, infoAt, address);
            return;
        }
        var header = new BlockHeader(*(ulong*)start);
        PageMeta* page = _map.MetaOf(address);
        BlockHeader freed = HeaderOfFreed(page, (int)slot, header);
        Volatile.Write(ref *(ulong*)start, freed.Word);
        KillPoint.Pass(KillWindow.FreedBeforeReturned);
        _allocator.ReturnSlot(page, (int)slot, freed.Generation, header.OwnPayloadBytes);
    }

    // One in a run, in a page that nobody has examined, or perhaps leased.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void FreeAnyEntry(byte* start, PageInfo* info, ulong address)
    {
        _ = IsExaminedNow(SegmentMap.Load(info), address);
        var block = new Block(start, (ulong*)start, address, new BlockHeader(*(ulong*)start), *info);
        block.Publish(FreedHeader(block));
        KillPoint.Pass(KillWindow.FreedBeforeReturned);
        FreeBlock(block);
    }

    /// <summary>Looks at what is at an address that an index gave, which may be out of date.</summary>
    internal EntryView ViewEntry(ulong address)
    {
        byte* start = _map.Find(address, out PageInfo* infoAt);
        if (start == null)
            return default;
        var header = new BlockHeader(Volatile.Read(ref *(ulong*)start));
        PageInfo info = SegmentMap.Load(infoAt);
        if (IsExaminedNow(info, address))
            return ViewEntry(address);
        return header.Kind == BlockKind.TableEntry && info.HasSlotAt(address) ? new EntryView(start, infoAt, header, info) : default;
    }

    /// <summary>As <see cref="ViewEntry"/>, in a page that was examined; none in any other.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal EntryView ViewExaminedEntry(ulong address)
    {
        byte* start = _map.Find(address, out PageInfo* infoAt);
        if (start == null)
            return default;
        var header = new BlockHeader(Volatile.Read(ref *(ulong*)start));
        PageInfo info = SegmentMap.Load(infoAt);
        return header.Kind == BlockKind.TableEntry && info.HasSlotAt(address) ? new EntryView(start, infoAt, header, info) : default;
    }

    /// <summary>What header and page say at an address, to be compared with what they say later.</summary>
    internal EntryTrace TraceEntry(ulong address)
    {
        byte* start = _map.Find(address, out PageInfo* info);
        if (start == null)
            return default;
        var trace = new EntryTrace(address, Volatile.Read(ref *(ulong*)start), SegmentMap.Load(info).Word);
        Volatile.ReadBarrier(); // before whatever is looked at between two traces
        return trace;
    }

    /// <summary>Frees memory that readers inside the pile may still look at, once none can.</summary>
    internal void Retire(nint memory)
    {
        _retired.Enqueue(memory);
        Volatile.Write(ref _hasRetired, true);
    }

    /// <summary>
    /// Header and page of an address at one instant. Each freeing raises the header's generation, so two equal ones mean that nothing was
    /// there between.
    /// </summary>
    internal readonly record struct EntryTrace(ulong Address, ulong Header, ulong Page)
    {
        /// <summary>Whether no entry of at least so many bytes is there.</summary>
        internal bool IsNone(int leastBytes)
        {
            var header = new BlockHeader(Header);
            return header.Kind != BlockKind.TableEntry || !new PageInfo(Page).HasSlotAt(Address) || header.OwnPayloadBytes < leastBytes;
        }
    }

    /// <summary>An entry as it was found; everything read through it counts only if <see cref="IsUnchanged"/> afterwards.</summary>
    internal readonly struct EntryView(byte* start, PageInfo* infoAt, BlockHeader header, PageInfo info)
    {
        private readonly BlockHeader _header = header;
        private readonly PageInfo _info = info;

        internal bool IsNone => start == null;

        internal byte* Payload => start + BlockHeader.SizeBytes;

        internal long PayloadBytes => _header.OwnPayloadBytes;

        /// <summary>Whether the block matches its checksum, if it is unchanged afterwards.</summary>
        internal bool IsIntact(ulong address, Pile pile) => pile.IsIntact(start, _header, address, _info);

        /// <summary>Whether what was read before this call is whole.</summary>
        internal bool IsUnchanged()
        {
            Volatile.ReadBarrier(); // pairs with the release of whoever freed the block and used its slot again
            return *(ulong*)start == _header.Word && infoAt->Word == _info.Word;
        }
    }
}
