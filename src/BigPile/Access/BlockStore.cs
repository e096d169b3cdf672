using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Allocation;
using BigPile.Concurrency;
using BigPile.Durability;
using BigPile.Layout;

namespace BigPile.Access;

/// <summary>The blocks of a pile, and the steps that the protocols of reading and changing share.</summary>
/// <remarks>
/// Set up once, before anybody comes in. The protocols are in types of their own: <see cref="BlockReader"/>, <see cref="BlockWriter"/>,
/// <see cref="Replacer"/>, <see cref="Remover"/>, <see cref="Lessor"/>.
/// </remarks>
internal sealed unsafe partial class BlockStore
{
    private readonly bool _hasChecksums;
    private readonly BlockChecksumKind _checksums;
    private readonly OperationBarrier _barrier;
    private readonly SegmentMap _map;
    private readonly Allocator _allocator;
    private readonly ReclaimEvents _reclaimEvents;
    private readonly LeaseTable _leases = new();
    private readonly ShadowHeaderTable _shadowHeaders;
    private long _linkCount;
    private long _freeEpoch;

    /// <summary>Puts together what was opened.</summary>
    internal BlockStore(OperationBarrier barrier, SegmentMap map, Allocator allocator, SeqLockStripes stripes, Reclaimer reclaimer, in BlockRules rules)
    {
        _barrier = barrier;
        _map = map;
        _allocator = allocator;
        _reclaimEvents = allocator.ReclaimEvents;
        Stripes = stripes;
        Reclaimer = reclaimer;
        _checksums = rules.Checksums;
        _hasChecksums = _checksums != BlockChecksumKind.None;
        _shadowHeaders = rules.ShadowHeaders;
        Redo = rules.Redo;
        ChecksEveryRead = rules.ChecksEveryRead;
        DirectoryPath = rules.DirectoryPath;
        PageRecovery = rules.PageRecovery;
        FreeEpoch = rules.FreeEpoch;
    }

    /// <summary>Who may come in.</summary>
    internal OperationBarrier Barrier => _barrier;

    /// <summary>Where addresses are.</summary>
    internal SegmentMap Map => _map;

    /// <summary>Gives slots out and takes them back.</summary>
    internal Allocator Allocator => _allocator;

    /// <summary>Keeps replacements apart, and tells readers of them.</summary>
    internal SeqLockStripes Stripes { get; }

    /// <summary>Which blocks are leased.</summary>
    internal LeaseTable Leases => _leases;

    /// <summary>The headers that count of blocks whose own header must stay.</summary>
    internal ShadowHeaderTable ShadowHeaders => _shadowHeaders;

    /// <summary>Where a payload goes before it is written over another one.</summary>
    internal Redo Redo { get; }

    /// <summary>Makes room of what was freed.</summary>
    internal Reclaimer Reclaimer { get; }

    /// <summary>Whether blocks have checksums.</summary>
    internal bool HasChecksums => _hasChecksums;

    /// <summary>Which checksums blocks have.</summary>
    internal BlockChecksumKind Checksums => _checksums;

    /// <summary>Whether each read compares with the checksum.</summary>
    internal bool ChecksEveryRead { get; }

    /// <summary>The directory of a mapped pile, or <see langword="null"/>.</summary>
    internal string? DirectoryPath { get; }

    /// <summary>Examines pages that were found when a mapped pile was opened. Of any other one no page is unexamined.</summary>
    internal PageRecovery? PageRecovery { get; }

    /// <summary>Payloads behind links that were made since the pile was opened, less those that are gone.</summary>
    internal long LinkCount => Interlocked.Read(ref _linkCount);

    /// <summary>The log's epoch that what is freed of what was flushed gets as its mark, and so does a page that is laid out.</summary>
    internal long FreeEpoch
    {
        get => Volatile.Read(ref _freeEpoch);
        set
        {
            Volatile.Write(ref _freeEpoch, value);
            _allocator.Pool.BeginEpoch(value);
        }
    }

    /// <summary>
    /// Whether headers of flushed blocks may be links that the device does not have: until it does, what is in the blocks is what was
    /// flushed. So it is after a checkpoint that stored them and failed, and after a kill, which may have come in such a one.
    /// </summary>
    internal bool HasNewHeaders { get; set; }

    /// <summary>Leaves the pile.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void Exit(CriticalRegion critical)
    {
        critical.Exit();
        GC.KeepAlive(this); // a pile that nobody refers to any more must not be collected under its own last call
    }

    /// <summary>Leaves the pile after something was freed, and gives memory back if there is enough of it.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void ExitAfterFree(CriticalRegion critical)
    {
        bool wantsTrim = _reclaimEvents.IsTrimWanted;
        critical.Exit();
        if (wantsTrim && !critical.IsInRegion)
            Reclaimer.TrimQuietly();
    }

    /// <summary>Flushes first if there would be no room in the table of moved blocks; a call within a call goes on.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal void EnsureShadowCapacity()
    {
        if (_shadowHeaders.IsNearlyFull && !CriticalRegion.Current.IsInRegion)
            _ = Reclaimer.TryFlush();
    }

    /// <summary>Takes a slot for a payload.</summary>
    internal Slot TakeSlot(long payloadBytes) => TakeSlot(payloadBytes, payloadBytes);

    /// <summary>Takes a slot for a payload, with room for it to grow.</summary>
    internal Slot TakeSlot(long payloadBytes, long capacityBytes)
    {
        if (capacityBytes > PileBuffer.MaxLengthBytes)
            PileBuffer.ThrowTooLong(capacityBytes);
        return TakeAnySlot(payloadBytes, capacityBytes);
    }

    /// <summary>
    /// As <see cref="TakeSlot(long, long)"/>, for what a limit of payloads does not count: a link target is longer by its back word.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal Slot TakeAnySlot(long payloadBytes, long capacityBytes)
    {
        Debug.Assert(capacityBytes >= payloadBytes, "A slot holds its payload.");
        long tailBytes = _hasChecksums ? BlockChecksum.TailBytesFor(capacityBytes) : 0;
        return _allocator.Take(BlockHeader.SizeBytes + capacityBytes + tailBytes, payloadBytes);
    }

    /// <summary>Makes a block live, behind everything that was written to it: one store.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal PilePointer Publish(Slot slot, BlockKind kind, long payloadBytes)
    {
        Debug.Assert(payloadBytes <= slot.CapacityBytes, "A payload lies within its slot.");
        Debug.Assert(CriticalRegion.Current.IsInRegion, "A flush sees a block before or after it is made, and nothing in between.");
        Debug.Assert(Mutation.HeaderFirst || new BlockHeader(*(ulong*)slot.Start).IsFree, "A slot says free until its block is live.");
        BlockHeader header = HeaderOf(slot.Start, kind, slot.Generation, payloadBytes, slot.CapacityBytes);
        Volatile.Write(ref *(ulong*)slot.Start, header.Word);
        return slot.Pointer;
    }

    /// <summary>The header for a payload that is in its place; writes the checksum where blocks have one.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal BlockHeader HeaderOf(byte* block, BlockKind kind, uint generation, long payloadBytes, long capacityBytes) =>
        _hasChecksums
            ? BlockChecksum.Write(block, kind, generation, payloadBytes, capacityBytes)
            : new BlockHeader(kind, generation, (ulong)payloadBytes);

    /// <summary>The most bytes of payload that a block's slot has room for.</summary>
    internal long CapacityBytes(Block block)
    {
        Debug.Assert(block.Info.HasSlotAt(block.Address), "A slot begins where the block does.");
        return _allocator.BlockBytesAt(block.Address, block.Info) - BlockHeader.SizeBytes;
    }

    /// <summary>The bytes of pages that a block with such a payload takes, header and slack included.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal long FootprintBytesOf(long payloadBytes)
    {
        long blockBytes = payloadBytes + BlockHeader.SizeBytes + (_hasChecksums ? BlockChecksum.TailBytesFor(payloadBytes) : 0);
        return blockBytes <= SizeClasses.MaxSlotBytes
            ? SizeClasses.SlotBytes(SizeClasses.ClassOf((int)blockBytes))
            : (blockBytes + SizeClasses.PageBytes - 1) / SizeClasses.PageBytes * SizeClasses.PageBytes;
    }

    /// <summary>What a kind of block is to an application.</summary>
    internal static PayloadKind PayloadKindOf(BlockKind kind) => kind switch
    {
        BlockKind.String or BlockKind.Utf16String => PayloadKind.String,
        BlockKind.Bytes => PayloadKind.Bytes,
        BlockKind.TableEntry => PayloadKind.TableEntry,
        _ => PayloadKind.Object,
    };
}
