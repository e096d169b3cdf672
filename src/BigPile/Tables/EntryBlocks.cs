using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics.X86;
using System.Threading;
using BigPile.Access;
using BigPile.Allocation;
using BigPile.Concurrency;
using BigPile.Layout;

namespace BigPile.Tables;

/// <summary>The blocks that belong to tables. Every member is called inside the pile, between an entry and an exit.</summary>
internal sealed unsafe class EntryBlocks
{
    private const int PrefetchedLineBytes = 64;

    private readonly BlockStore _blocks;
    private readonly SegmentMap _map;
    private readonly Allocator _allocator;
    private readonly LeaseTable _leases;
    private readonly Remover _remover;
    private readonly BlockWalk _walk;

    /// <summary>Serves the tables of a pile.</summary>
    internal EntryBlocks(BlockStore blocks, Remover remover, BlockWalk walk)
    {
        _blocks = blocks;
        _map = blocks.Map;
        _allocator = blocks.Allocator;
        _leases = blocks.Leases;
        _remover = remover;
        _walk = walk;
    }

    /// <summary>The end of the addresses that may hold blocks at this instant.</summary>
    internal ulong EndAddress => _map.AddressOf(_allocator.Pool.SegmentsEnd);

    /// <summary>The addresses of one segment.</summary>
    internal ulong SegmentUnits => _map.AddressOf(1);

    /// <summary>Frees an entry. Its table's lock for the key is held, so it is freed once only.</summary>
    internal void Free(ulong address)
    {
        Debug.Assert(CriticalRegion.Current.IsInRegion, "The bucket's lock keeps the entry, and being inside its memory.");
        byte* start = _map.Find(address, out PageInfo* infoAt);
        PageInfo info = SegmentMap.Load(infoAt);
        uint slot = info.SlotAt(address);
        if (slot >= (uint)info.SlotCount || info.ClassPlusOne == 0 || _leases.IsAny)
        {
            FreeAny(start, infoAt, address);
            return;
        }
        var header = new BlockHeader(*(ulong*)start);
        Debug.Assert(header.Kind == BlockKind.TableEntry, "An entry is freed once: its slot may be anybody's by the second time.");
        PageMeta* page = _map.MetaOf(address);
        BlockHeader freed = _blocks.HeaderOfFreed(page, (int)slot, header);
        Volatile.Write(ref *(ulong*)start, freed.Word);
        CrashPoints.Pass(CrashPoint.FreedBeforeReturned);
        _allocator.ReturnSlot(page, (int)slot, freed.Generation, header.OwnPayloadBytes);
    }

    // One in a run, in a page that nobody has examined, or perhaps leased.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void FreeAny(byte* start, PageInfo* info, ulong address)
    {
        _ = _blocks.RecoverPageIfNeeded(SegmentMap.Load(info), address);
        var block = new Block(start, (ulong*)start, address, new BlockHeader(*(ulong*)start), *info);
        Debug.Assert(block.Header.Kind == BlockKind.TableEntry, "An entry is freed once: its slot may be anybody's by the second time.");
        block.Publish(_blocks.FreedHeader(block));
        CrashPoints.Pass(CrashPoint.FreedBeforeReturned);
        _blocks.FreeBlock(block);
    }

    /// <summary>Looks at what is at an address that an index gave, which may be out of date.</summary>
    internal EntryView View(ulong address)
    {
        byte* start = _map.Find(address, out PageInfo* infoAt);
        if (start == null)
            return default;
        if (_blocks.RecoverPageIfNeeded(SegmentMap.Load(infoAt), address)) // before the header is loaded: see BlockStore.TryLocate
            return View(address);
        var header = new BlockHeader(Volatile.Read(ref *(ulong*)start));
        PageInfo info = SegmentMap.Load(infoAt);
        return header.Kind == BlockKind.TableEntry && info.HasSlotAt(address) ? new EntryView(start, infoAt, header, info) : default;
    }

    /// <summary>As <see cref="View"/>, in a page that was examined; none in any other.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal EntryView ViewRecovered(ulong address)
    {
        byte* start = _map.Find(address, out PageInfo* infoAt);
        if (start == null)
            return default;
        var header = new BlockHeader(Volatile.Read(ref *(ulong*)start));
        PageInfo info = SegmentMap.Load(infoAt);
        return header.Kind == BlockKind.TableEntry && info.HasSlotAt(address) ? new EntryView(start, infoAt, header, info) : default;
    }

    /// <summary>What header and page say at an address, to be compared with what they say later.</summary>
    internal EntryTrace Trace(ulong address)
    {
        byte* start = _map.Find(address, out PageInfo* info);
        if (start == null)
            return default;
        var trace = new EntryTrace(address, Volatile.Read(ref *(ulong*)start), SegmentMap.Load(info).Word);
        Volatile.ReadBarrier(); // before whatever is looked at between two traces
        return trace;
    }

    /// <summary>
    /// Whether an entry matches its checksum; <see langword="false"/> when it was changed meanwhile, which calls for another look.
    /// </summary>
    /// <exception cref="PileStorageException">It does not match.</exception>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal bool IsIntact(ulong address, in EntryView view)
    {
        bool isIntact = view.IsIntact(address, _blocks);
        bool isSame = view.IsUnchanged();
        if (isSame && !isIntact)
            Throw.Damaged(_blocks.DirectoryPath, view.PayloadBytes);
        return isSame;
    }

    /// <summary>Takes room for an entry, to be filled and then published or abandoned. Nobody sees it before.</summary>
    internal Slot Take(long payloadBytes) => _blocks.TakeSlot(payloadBytes);

    /// <summary>Publishes a filled entry.</summary>
    internal void Publish(Slot slot, long payloadBytes) => _ = _blocks.Publish(slot, BlockKind.TableEntry, payloadBytes);

    /// <summary>Gives back the room of an entry that was never published.</summary>
    internal void Abandon(Slot slot, long payloadBytes)
    {
        Debug.Assert(Mutation.HeaderFirst || new BlockHeader(*(ulong*)slot.Start).IsFree, "What is abandoned was never live.");
        var never = new BlockHeader(BlockKind.TableEntry, slot.Generation, (ulong)payloadBytes);
        Volatile.Write(ref *(ulong*)slot.Start, never.Freed.Word);
        _allocator.Return(slot.Address, never);
    }

    /// <summary>Takes room for an object and fills it. Nobody sees it before it is published; or it is abandoned, as an entry is.</summary>
    internal Slot FillObject(ReadOnlySpan<byte> payload)
    {
        Slot slot = _blocks.TakeSlot(payload.Length);
        payload.CopyTo(new Span<byte>(slot.Start + BlockHeader.SizeBytes, payload.Length));
        return slot;
    }

    /// <summary>Publishes an object whose slot was filled.</summary>
    internal void PublishObject(Slot slot, BlockKind kind, long payloadBytes)
    {
        Debug.Assert(new BlockHeader(kind, 0, 0).IsPlain, "An application's pointer leads to the object.");
        _ = _blocks.Publish(slot, kind, payloadBytes);
    }

    /// <summary>Brings the first lines of a block towards the processor.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Prefetch(ulong address)
    {
        byte* start = _map.Find(address, out _);
        if (start == null || !Sse.IsSupported)
            return;
        Sse.Prefetch0(start);
        Sse.Prefetch0(start + PrefetchedLineBytes);
    }

    /// <summary>
    /// Deletes what a pointer names; the caller is inside the pile, and called <see cref="BlockStore.EnsureShadowCapacity"/> before.
    /// </summary>
    internal bool TryDeleteObject(PilePointer pointer) => _remover.TryFreePlain(pointer) || _remover.TryFree(pointer, usesReserve: true);

    /// <summary>Collects the addresses of table entries from an address on, by the pile's own walk.</summary>
    /// <param name="address">Where to go on; raised.</param>
    /// <param name="end">Where to end; the start of a page.</param>
    /// <param name="found">The addresses.</param>
    /// <returns>How many were found; <paramref name="address"/> reaches the end when there are no more.</returns>
    internal int Collect(ref ulong address, ulong end, Span<ulong> found) => _walk.CollectTableEntries(ref address, end, found);
}
