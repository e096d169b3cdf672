using System;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Runtime.Intrinsics.X86;
using BigPile.Access;
using BigPile.Allocation;
using BigPile.Checking;
using BigPile.Concurrency;
using BigPile.Layout;
using BigPile.Lifecycle;
using BigPile.Memory.Checking;
using BigPile.Memory.Concurrency;
using Microsoft.Extensions.Logging;

namespace BigPile.Tables;

/// <summary>What tables use of a pile: critical regions, blocks of entries and their objects, versions, background work.</summary>
/// <remarks>
/// Blocks are taken, viewed, published and freed in a critical region. Thread safety: all members may be called concurrently.
/// </remarks>
internal sealed unsafe partial class TableHeap
{
    private const int PrefetchedLineBytes = 64;

    private readonly BlockStore _blocks; // publication, checksums, page recovery
    private readonly OperationBarrier _barrier; // admits readers and writers
    private readonly SegmentMap _map; // memory, page info and metadata by address
    private readonly Allocator _allocator; // takes slots back
    private readonly LeaseTable _leases; // which entries are leased
    private readonly BlockReader _reader; // reads objects that entries own
    private readonly Remover _remover; // deletes objects that entries own
    private readonly BlockWalk _walk; // finds entries by their headers
    private readonly Lessor _lessor;
    private readonly ObjectStore _objects;
    private readonly PageClearing _clearing;
    private readonly PileEngine _engine; // catalog, codecs, versions, files, background work

    /// <summary>Serves the tables of a pile.</summary>
    internal TableHeap(
        PileEngine engine, BlockReader reader, Remover remover, BlockWalk walk, Lessor lessor, ObjectStore objects, ILogger logger)
    {
        _engine = engine;
        _blocks = engine.Blocks;
        _barrier = _blocks.Barrier;
        _map = _blocks.Map;
        _allocator = _blocks.Allocator;
        _leases = _blocks.Leases;
        _reader = reader;
        _remover = remover;
        _walk = walk;
        _lessor = lessor;
        _objects = objects;
        _clearing = new PageClearing(_blocks);
        Logger = logger;
        ChecksEveryRead = _blocks.ChecksEveryRead;
    }

    /// <summary>The end of the addresses that may hold blocks at this instant.</summary>
    internal ulong EndAddress => _map.AddressOf(_allocator.Pool.SegmentsEnd);

    /// <summary>The number of addresses of one segment.</summary>
    internal ulong SegmentUnits => _map.AddressOf(1);

    /// <summary>Frees an entry. Its table's lock for the key is held, so it is freed once only.</summary>
    internal void Free(ulong address)
    {
        Debug.Assert(PileRegions.Current.IsOpen, "The bucket's lock keeps the entry, and the critical region its memory.");
        byte* start = _map.Find(address, out PageInfo* infoAt);
        PageInfo info = SegmentMap.Load(infoAt);
        uint slot = info.SlotAt(address);
        // IsAny may be asked before the store: a lease of this entry begins under the bucket's lock, which the caller holds.
        if (slot >= (uint)info.SlotCount || info.ClassPlusOne == 0 || _leases.IsAny)
        {
            FreeAny(start, infoAt, address);
            return;
        }
        var header = new BlockHeader(*(ulong*)start);
        Debug.Assert(header.Kind == BlockKind.TableEntry, "An entry is freed once: a second free could hit another block.");
        PageMeta* page = _map.MetaOf(address);
        BlockHeader freed = _blocks.HeaderOfFreed(page, (int)slot, header);
        // A store instead of a swap: only the holder of the bucket's lock frees the entry, and entries are never busy. The header before
        // the slot, as in Remover.TryFreePlain.
        BlockTransitions.Store((ulong*)start, freed);
        CrashPoints.Pass(CrashPoint.FreedBeforeReturned);
        _allocator.ReturnSlot(page, (int)slot, freed.Generation, header.OwnPayloadBytes);
    }

    // An entry in a run, in a page not recovered yet, or possibly leased.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private void FreeAny(byte* start, PageInfo* info, ulong address)
    {
        _ = _blocks.RecoverPageIfNeeded(SegmentMap.Load(info), address);
        var block = new Block(start, (ulong*)start, address, new BlockHeader(*(ulong*)start), *info);
        Debug.Assert(block.Header.Kind == BlockKind.TableEntry, "An entry is freed once: a second free could hit another block.");
        block.Publish(_blocks.FreedHeader(block));
        CrashPoints.Pass(CrashPoint.FreedBeforeReturned);
        _blocks.FreeBlock(block);
    }

    /// <summary>The entry at an address from an index. That may be out of date: then it is another entry, or none.</summary>
    internal BlockSnapshot View(ulong address)
    {
        // Before the header is loaded, as in BlockStore.TryLocate: recovery corrects headers, and then publishes the info. A header from
        // before, with the info from behind, would show a caller that locks the bucket, and so validates nothing, a block that was dropped.
        if (_map.Find(address, out PageInfo* infoAt) != null)
            _ = _blocks.RecoverPageIfNeeded(SegmentMap.Load(infoAt), address);
        return ViewRecovered(address);
    }

    /// <summary>As <see cref="View"/>, but finds nothing in pages not recovered yet.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal BlockSnapshot ViewRecovered(ulong address)
    {
        byte* start = _map.Find(address, out PageInfo* infoAt);
        if (start == null)
            return default;
        var block = new BlockSnapshot(start, infoAt);
        return IsEntry(block, address) ? block : default;
    }

    /// <summary>A snapshot of whatever is at an address, to be compared later.</summary>
    internal BlockSnapshot ViewAny(ulong address) => BlockSnapshot.Take(_map, address);

    /// <summary>Whether a snapshot shows an entry.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool IsEntry(in BlockSnapshot block, ulong address) =>
        block.Header.Kind == BlockKind.TableEntry && block.Info.HasSlotAt(address);

    /// <summary>Whether an address is as it was when a snapshot was taken, though it may have been none.</summary>
    internal bool Validate(in BlockSnapshot block, ulong address) => block.IsNone ? ViewAny(address).IsNone : block.Validate();

    /// <summary>Whether an entry matches its checksum, if it is unchanged afterwards.</summary>
    internal bool MatchesChecksum(ulong address, in BlockSnapshot view) => _blocks.IsIntact(view.Start, view.Header, address, view.Info);

    /// <summary>
    /// Whether an entry matches its checksum; <see langword="false"/> if it changed meanwhile, so that it must be read again.
    /// </summary>
    /// <exception cref="PileStorageException">It does not match.</exception>
    [MethodImpl(MethodImplOptions.NoInlining)]
    internal bool IsIntact(ulong address, in BlockSnapshot view)
    {
        bool isIntact = MatchesChecksum(address, view);
        bool isSame = view.Validate();
        if (isSame && !isIntact)
            Throw.Damaged(_blocks.DirectoryPath, view.PayloadBytes);
        return isSame;
    }

    /// <summary>Takes a slot for an entry, to be filled and then published or abandoned. Invisible until then.</summary>
    /// <param name="critical">The region that the caller is in.</param>
    /// <param name="payloadBytes">The bytes of its payload.</param>
    /// <param name="isEvictable">Whether it may be evicted when the pile is full.</param>
    /// <param name="failure">Why there is none.</param>
    internal Slot Take(CriticalRegion critical, long payloadBytes, bool isEvictable, out PileException? failure) =>
        _blocks.TakeSlot(critical, payloadBytes, payloadBytes, out failure, isEvictable);

    internal void Publish(Slot slot, long payloadBytes) => _ = _blocks.Publish(slot, BlockKind.TableEntry, payloadBytes);

    /// <summary>Returns the slot of an entry that was never published.</summary>
    internal void Abandon(Slot slot, long payloadBytes)
    {
        Debug.Assert(Mutation.HeaderFirst || new BlockHeader(*(ulong*)slot.Start).IsFree, "An abandoned slot was never published.");
        var never = new BlockHeader(BlockKind.TableEntry, slot.Generation, (ulong)payloadBytes);
        // Return counts the slot as freed with the next generation, so its header has to have that one.
        BlockTransitions.Store((ulong*)slot.Start, never.Freed);
        _allocator.Return(slot.Address, never);
    }

    /// <summary>Takes a slot for an object and fills it. Invisible until it is published, or abandoned as an entry is.</summary>
    internal Slot FillObject(CriticalRegion critical, ReadOnlySpan<byte> payload, out PileException? failure)
    {
        Slot slot = _blocks.TakeSlot(critical, payload.Length, payload.Length, out failure);
        if (failure == null)
            payload.CopyTo(new Span<byte>(slot.Start + BlockHeader.SizeBytes, payload.Length));
        return slot;
    }

    /// <summary>Publishes an object whose slot was filled.</summary>
    internal void PublishObject(Slot slot, BlockKind kind, long payloadBytes)
    {
        Debug.Assert(new BlockHeader(kind, 0, 0).IsPlain, "The object's block is plain.");
        _ = _blocks.Publish(slot, kind, payloadBytes);
    }

    /// <summary>The bytes that the deletion of an object frees; 0 where a pointer names none. The caller is in a critical region.</summary>
    /// <remarks>It waits for nobody: while another thread replaces the object, it may count without what that adds.</remarks>
    internal long FootprintBytesOf(PilePointer pointer)
    {
        BlockSnapshot block = pointer.IsValid ? BlockSnapshot.Take(_map, pointer.Address) : default;
        if (block.IsNone || block.Header.Generation != pointer.Generation || !block.Header.IsAddressable)
            return 0;
        return BlockBytesOf(pointer.Address, block)
            + (block.Header.Kind == BlockKind.Link ? BlockBytesAt(block.Header.TargetAddress) : 0);
    }

    private long BlockBytesAt(ulong address) =>
        BlockSnapshot.Take(_map, address) is { IsNone: false } block ? BlockBytesOf(address, block) : 0;

    private long BlockBytesOf(ulong address, in BlockSnapshot block) =>
        block.Info.HasSlotAt(address) ? _allocator.BlockBytesAt(address, block.Info) : 0;

    /// <summary>Prefetches the first cache lines of a block.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Prefetch(ulong address)
    {
        byte* start = _map.Find(address, out _);
        if (start == null || !Sse.IsSupported)
            return;
        Sse.Prefetch0(start);
        Sse.Prefetch0(start + PrefetchedLineBytes);
    }

    /// <summary>Whether an object can be deleted under a lock that is held; asked before anything is changed.</summary>
    /// <param name="pointer">The object; it may be invalid, or dead.</param>
    /// <param name="failure">Why not: the flush failed, and the shadow headers reserved for deletions under locks are used up.</param>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal bool CanDeleteObject(PilePointer pointer, [NotNullWhen(false)] out PileException? failure)
    {
        failure = null;
        return !pointer.IsValid || !_blocks.ShadowHeaders.IsReserveUsed || !_remover.NeedsShadowHeader(pointer, out failure);
    }

    /// <summary>
    /// Deletes what a pointer names; the caller is in a critical region, and called <see cref="BlockStore.EnsureShadowCapacity"/> before
    /// entering it.
    /// </summary>
    internal bool TryDeleteObject(PilePointer pointer)
    {
        if (_remover.TryFreePlain(pointer))
            return true;
        bool found = _remover.TryFree(pointer, usesReserve: true, out PileException? failure);
        return failure == null ? found : throw failure; // the caller has not asked CanDeleteObject
    }

    /// <summary>Collects the addresses of table entries from an address on, by the pile's own walk.</summary>
    /// <param name="address">Where to continue; advanced.</param>
    /// <param name="end">Where to end; the start of a page.</param>
    /// <param name="found">The addresses.</param>
    /// <returns>The number found; <paramref name="address"/> reaches the end when there are no more.</returns>
    internal int Collect(ref ulong address, ulong end, Span<ulong> found) => _walk.CollectTableEntries(ref address, end, found);
}
