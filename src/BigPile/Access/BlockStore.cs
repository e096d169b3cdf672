using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Allocation;
using BigPile.Checking;
using BigPile.Concurrency;
using BigPile.Durability;
using BigPile.Layout;
using BigPile.Memory.Concurrency;

namespace BigPile.Access;

/// <summary>The blocks of a pile, and the steps that the read and write protocols share.</summary>
/// <remarks>
/// Set up once, before the first operation. The protocols are types of their own: <see cref="BlockReader"/>, <see cref="BlockWriter"/>,
/// <see cref="Replacer"/>, <see cref="Remover"/>, <see cref="Lessor"/>. Thread safety: all members may be called concurrently.
/// </remarks>
internal sealed unsafe partial class BlockStore
{
    private readonly bool _hasChecksums; // the next field as a flag: every put reads it
    private readonly BlockChecksumKind _checksums; // of the pile, as its superblock states
    private readonly OperationBarrier _barrier; // admits operations
    private readonly SegmentMap _map; // memory, page info and metadata by address; written by the page pool
    private readonly Allocator _allocator; // slots, runs, changed pages, pending frees
    private readonly FreePages _freePages; // the pool's: whether a trim is wanted
    private readonly LeaseTable _leases = new(); // written by Lessor, and by who frees a leased block
    private readonly ShadowHeaderTable _shadowHeaders; // written by writers; emptied by flushes
    // Link targets made less those freed since the pile was opened; interlocked.
    private long _linkCount;
    // The log epoch that marks frees; written by the flusher, while writers are blocked or the pile is closed.
    private long _freeEpoch;

    /// <summary>Combines what was opened.</summary>
    internal BlockStore(
        OperationBarrier barrier, SegmentMap map, Allocator allocator, SeqLockStripes stripes, Reclaimer reclaimer, in BlockRules rules)
    {
        _barrier = barrier;
        _map = map;
        _allocator = allocator;
        _freePages = allocator.Pool.Free;
        Stripes = stripes;
        Reclaimer = reclaimer;
        _checksums = rules.Checksums;
        _hasChecksums = _checksums != BlockChecksumKind.None;
        _shadowHeaders = rules.ShadowHeaders;
        Redo = rules.Redo;
        ChecksEveryRead = rules.ChecksEveryRead;
        DirectoryPath = rules.DirectoryPath;
        PageRecovery = rules.PageRecovery;
        FreeMarkEpoch = rules.FreeMarkEpoch;
    }

    /// <summary>Admits operations.</summary>
    internal OperationBarrier Barrier => _barrier;

    /// <summary>Maps addresses to memory.</summary>
    internal SegmentMap Map => _map;

    /// <summary>Allocates and frees slots.</summary>
    internal Allocator Allocator => _allocator;

    /// <summary>Serialises replacements of one address, and makes them visible to readers.</summary>
    internal SeqLockStripes Stripes { get; }

    /// <summary>Which blocks are leased.</summary>
    internal LeaseTable Leases => _leases;

    /// <summary>The current headers of flushed blocks that changed since.</summary>
    internal ShadowHeaderTable ShadowHeaders => _shadowHeaders;

    /// <summary>The redo log for payloads that are overwritten in place.</summary>
    internal Redo Redo { get; }

    /// <summary>Reclaims freed space.</summary>
    internal Reclaimer Reclaimer { get; }

    internal bool HasChecksums => _hasChecksums;

    internal BlockChecksumKind Checksums => _checksums;

    /// <summary>Whether each read verifies the checksum.</summary>
    internal bool ChecksEveryRead { get; }

    /// <summary>The directory of a mapped pile, or <see langword="null"/>.</summary>
    internal string? DirectoryPath { get; }

    /// <summary>Recovers pages that were found when a mapped pile was opened; null for any other pile.</summary>
    internal PageRecovery? PageRecovery { get; }

    /// <summary>Link targets made since the pile was opened, less those freed.</summary>
    internal long LinkCount => Volatile.Read(ref _linkCount);

    /// <summary>The log epoch that marks freed flushed blocks, and pages that are laid out.</summary>
    internal long FreeMarkEpoch
    {
        get => Volatile.Read(ref _freeEpoch);
        set
        {
            Volatile.Write(ref _freeEpoch, value);
            _allocator.Pool.BeginEpoch(value);
        }
    }

    /// <summary>
    /// Whether headers of flushed blocks may be links that the device does not have yet; then the payloads in these blocks are still the
    /// flushed ones. True from a snapshot until its flush is durable, as that copies payloads behind it, and may store such headers; and
    /// after a kill, which may have interrupted one. Written under the flush lock.
    /// </summary>
    internal bool HasNewHeaders { get; set; }

    /// <summary>Whether a trim may return a whole segment.</summary>
    internal bool IsTrimWanted => _freePages.IsTrimWanted;

    /// <summary>Enters as a reader.</summary>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ReadScope EnterReader() => new(Barrier.EnterReader(), this);

    /// <summary>Enters as a writer. The caller holds no lock that others wait for within a region.</summary>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ChangeScope EnterWriter() => new(Barrier.EnterWriter(), this);

    /// <summary>Flushes if the shadow header table is nearly full, unless this is a nested call.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void EnsureShadowCapacity()
    {
        // Before the critical region: the flush would wait for it. A nested call goes on; HasShadowCapacity keeps it from filling the
        // table.
        if (_shadowHeaders.IsNearlyFull && !PileRegions.Current.IsOpen)
            _ = Reclaimer.TryFlush();
    }

    /// <summary>Takes a slot for a payload, with space for it to grow. The caller is in this critical region.</summary>
    internal Slot TakeSlot(
        CriticalRegion critical, long payloadBytes, long capacityBytes, out PileException? failure, bool isEvictable = false)
    {
        if (capacityBytes > PileBuffer.MaxLengthBytes)
            PileBuffer.ThrowTooLong(capacityBytes);
        return TakeAnySlot(critical, payloadBytes, capacityBytes, out failure, isEvictable);
    }

    /// <summary>As <see cref="TakeSlot"/>, without the payload limit: a link target is longer by its owner word.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal Slot TakeAnySlot(
        CriticalRegion critical, long payloadBytes, long capacityBytes, out PileException? failure, bool isEvictable = false)
    {
        Debug.Assert(capacityBytes >= payloadBytes, "A slot holds its payload.");
        long tailBytes = _hasChecksums ? BlockChecksum.TailBytesFor(capacityBytes) : 0;
        return _allocator.Take(critical, BlockHeader.SizeBytes + capacityBytes + tailBytes, payloadBytes, isEvictable, out failure);
    }

    /// <summary>Makes a block live: one store with release, after everything written to it.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal PilePointer Publish(Slot slot, BlockKind kind, long payloadBytes)
    {
        Debug.Assert(payloadBytes <= slot.CapacityBytes, "A payload lies within its slot.");
        Debug.Assert(PileRegions.Current.IsOpen, "A flush sees a block before or after its publication, never in between.");
        BlockHeader header = HeaderOf(slot.Start, kind, slot.Generation, payloadBytes, slot.CapacityBytes);
        // Release: payload and checksum are stored before. Pairs with the loads of the header in BlockReader and TableHeap. A kill
        // before leaves a free slot, behind it the object.
        if (Mutation.HeaderFirst)
            *(ulong*)slot.Start = header.Word; // perhaps again
        else
            BlockTransitions.Store((ulong*)slot.Start, header);
        return slot.Pointer;
    }

    /// <summary>The header for a payload that is already written; also writes the checksum if blocks have one.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal BlockHeader HeaderOf(byte* block, BlockKind kind, uint generation, long payloadBytes, long capacityBytes) =>
        _hasChecksums
            ? BlockChecksum.Write(block, kind, generation, payloadBytes, capacityBytes)
            : new BlockHeader(kind, generation, (ulong)payloadBytes);

    /// <summary>The most payload bytes of a block's slot.</summary>
    internal long CapacityBytes(Block block)
    {
        Debug.Assert(block.Info.HasSlotAt(block.Address), "A slot begins where the block does.");
        return _allocator.BlockBytesAt(block.Address, block.Info) - BlockHeader.SizeBytes;
    }

    /// <summary>The bytes that a block with such a payload occupies, header and slack included.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal long FootprintBytesOf(long payloadBytes)
    {
        long blockBytes = payloadBytes + BlockHeader.SizeBytes + (_hasChecksums ? BlockChecksum.TailBytesFor(payloadBytes) : 0);
        return blockBytes <= SizeClasses.MaxSlotBytes
            ? SizeClasses.SlotBytes(SizeClasses.ClassOf((int)blockBytes))
            : (blockBytes + SizeClasses.PageBytes - 1) / SizeClasses.PageBytes * SizeClasses.PageBytes;
    }

    internal static PayloadKind PayloadKindOf(BlockKind kind) => kind switch
    {
        BlockKind.String or BlockKind.Utf16String => PayloadKind.String,
        BlockKind.Bytes => PayloadKind.Bytes,
        BlockKind.TableEntry => PayloadKind.TableEntry,
        _ => PayloadKind.Object,
    };
}
