using System;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using BigPile.Access;
using BigPile.Allocation;
using BigPile.Catalog;
using BigPile.Concurrency;
using BigPile.Durability;
using BigPile.Layout;
using BigPile.Lifecycle;
using BigPile.Memory.Concurrency;
using BigPile.Memory.Limits;
using BigPile.Reporting;
using BigPile.Telemetry;
using Microsoft.Extensions.Logging;

namespace BigPile.Tables;

/// <summary>Critical regions, and what the pile gives its tables as a whole.</summary>
internal sealed unsafe partial class TableHeap
{
    /// <summary>Whether every read verifies checksums.</summary>
    internal bool ChecksEveryRead { get; }

    internal bool HasChecksums => _blocks.HasChecksums;

    /// <summary>Whether the pile was closed: another process may use its files by now.</summary>
    internal bool IsClosed => _barrier.IsClosed;

    internal Guid Id => _engine.Id;

    /// <summary>The versions of entries: one sequence for all tables.</summary>
    internal Versions Versions => _engine.Versions;

    /// <summary>The files of a mapped pile; null for another one.</summary>
    internal PileDirectory? Directory => _engine.Directory;

    /// <summary>A mapped pile states that it uses a feature, before anything of it is stored.</summary>
    internal void Use(Feature feature) => Directory?.Superblock.Use(feature);

    /// <inheritdoc cref="PileEngine.FlushedVersion"/>
    internal ulong FlushedVersion => _engine.FlushedVersion;

    /// <inheritdoc cref="PileEngine.Flushed"/>
    internal event Action? Flushed
    {
        add => _engine.Flushed += value;
        remove => _engine.Flushed -= value;
    }

    /// <summary>The catalog, which has the names of tables.</summary>
    internal PileCatalog Catalog => _engine.Catalog;

    internal PileCodecs Codecs => _engine.Codecs;

    internal BackgroundWork Background => _engine.Background;

    internal PileMeter Meter => _engine.Meter;

    internal ILogger Logger { get; }

    /// <summary>Begins a critical region to read. The caller wraps it in a <see cref="ReadScope"/>: see <see cref="ScopeOf"/>.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal CriticalRegion BeginRead() => _barrier.EnterReader();

    /// <summary>Begins a critical region to change the pile. Waits for a flush that blocks writers.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal CriticalRegion BeginWrite() => _barrier.EnterWriter();

    /// <summary>The scope of a region that was begun to read.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ReadScope ScopeOf(CriticalRegion critical) => new(critical, _blocks);

    /// <summary>The scope of a region that was begun to change the pile.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal ChangeScope ChangeScopeOf(CriticalRegion critical) => new(critical, _blocks);

    /// <inheritdoc cref="BlockStore.EnterReader"/>
    internal ReadScope EnterReader() => _blocks.EnterReader();

    /// <inheritdoc cref="BlockStore.EnterWriter"/>
    internal ChangeScope EnterWriter() => _blocks.EnterWriter();

    /// <inheritdoc cref="BlockStore.EnsureShadowCapacity"/>
    internal void EnsureShadowCapacity() => _blocks.EnsureShadowCapacity();

    /// <inheritdoc cref="Reclaimer.TryReclaim"/>
    internal bool TryReclaim(PileException failure, ref ReclaimAttempts attempts, bool evicts, bool isPut) =>
        _blocks.Reclaimer.TryReclaim(failure, ref attempts, evicts, isPut);

    /// <summary>The puts that were refused as the pile was full.</summary>
    internal Refusals Refusals => _engine.Refusals;

    /// <inheritdoc cref="Allowance.AllowedBytes"/>
    internal long AllowedBytes => _allocator.Pool.Allowance.AllowedBytes;

    /// <summary>The bytes of pages in use, and of the heads of segments; of this instant, about.</summary>
    internal long UsedBytes => _allocator.Pool.Allowance.UsableBytes - _allocator.Pool.FreePages * SizeClasses.PageBytes;

    /// <inheritdoc cref="Allocator.IdleSlotBytes"/>
    internal long IdleSlotBytes() => _allocator.IdleSlotBytes();

    /// <summary>The most bytes of all segments.</summary>
    internal long LimitBytes => _allocator.Pool.LimitBytes;

    internal bool HasLimit => LimitBytes != long.MaxValue;

    /// <inheritdoc cref="Allowance.Allow"/>
    internal long Allow(long bytes, int pagesAtOnce = Segment.GroupPages) => _allocator.Pool.Allowance.Allow(bytes, pagesAtOnce);

    /// <inheritdoc cref="Allowance.WithheldBytes"/>
    internal long WithheldBytes => _allocator.Pool.Allowance.WithheldBytes;

    /// <inheritdoc cref="Allowance.UsableBytes"/>
    internal long UsableBytes => _allocator.Pool.Allowance.UsableBytes;

    /// <inheritdoc cref="SegmentMap.SegmentBytes"/>
    internal long SegmentBytes => _map.SegmentBytes;

    /// <summary>Whether the memory of free pages can go back to the system.</summary>
    internal bool CanDiscard => OperatingSystem.IsLinux() && _allocator.Pool.StoreKind == StoreKind.Native;

    /// <summary>The memory that the process may use.</summary>
    internal MemoryLimit Memory => _engine.Limit.Memory;

    /// <inheritdoc cref="Allowance.IsNearlyFull"/>
    internal bool IsNearlyFull => _allocator.Pool.Allowance.IsNearlyFull;

    /// <inheritdoc cref="PageClearing.TryClearGroup"/>
    internal bool TryClearGroup(IPageVictims victims) => _clearing.TryClearGroup(victims);

    /// <inheritdoc cref="PageClearing.TryClear"/>
    internal bool TryClearPages(long blockBytes, bool isEvictable, long batchBytes, IPageVictims victims) =>
        _clearing.TryClear(blockBytes, isEvictable, batchBytes, victims);

    /// <inheritdoc cref="PageClearing.IsInVain"/>
    internal bool IsClearingInVain(long blockBytes) => _clearing.IsInVain(blockBytes);

    /// <inheritdoc cref="PageClearing.TryClearSlots"/>
    internal bool TryClearSlots(long blockBytes, IPageVictims victims) => _clearing.TryClearSlots(blockBytes, victims);

    /// <summary>Whether blocks that stay have groups of pages of their own.</summary>
    internal PageSeparation Separation => _allocator.Pool.Separation;

    /// <inheritdoc cref="Reclaimer.TryReclaimDiskSpace"/>
    internal bool TryReclaimDiskSpace(Exception refused) => _blocks.Reclaimer.TryReclaimDiskSpace(refused);

    /// <inheritdoc cref="Reclaimer.RequestsDiskSpace"/>
    internal bool RequestsDiskSpace(Exception refused) => _blocks.Reclaimer.RequestsDiskSpace(refused);

    /// <inheritdoc cref="Reclaimer.Reclaim"/>
    internal void Reclaim() => _ = _blocks.Reclaimer.Reclaim(attempt: 0);

    /// <inheritdoc cref="BlockStore.FootprintBytesOf"/>
    internal long FootprintBytesOf(long payloadBytes) => _blocks.FootprintBytesOf(payloadBytes);

    /// <summary>Reads an object that an entry owns.</summary>
    internal bool TryRead<TReader>(PilePointer pointer, ref TReader reader)
        where TReader : struct, IPayloadReader, allows ref struct => _reader.TryRead(pointer, ref reader);

    /// <summary>Refuses a pointer that names no live object.</summary>
    /// <exception cref="PilePointerException">It names none.</exception>
    internal void RequireObject(PilePointer pointer)
    {
        var size = default(SizeReader);
        if (!_reader.TryRead(pointer, ref size))
            Throw.NoSuchObject(pointer);
    }

    /// <summary>Leases an object that an entry owns.</summary>
    internal bool TryLease(PilePointer pointer, [NotNullWhen(true)] out PileLease? lease) => _lessor.TryLease(pointer, out lease);

    /// <inheritdoc cref="Lessor.LeaseEntry"/>
    internal PileLease LeaseEntry(ulong address, int offset, int lengthBytes, BlockKind kind) =>
        _lessor.LeaseEntry(address, offset, lengthBytes, kind);

    /// <inheritdoc cref="ObjectStore.Encode"/>
    internal BlockKind Encode(object value, PileBuffer buffer) => _objects.Encode(value, buffer);

    /// <summary>Takes the tables for a cache.</summary>
    /// <returns><see langword="false"/> when another cache has them.</returns>
    /// <param name="givesWay">What gives way when the pile is full.</param>
    internal bool TryTakeTables(IGivesWay givesWay)
    {
        if (!_engine.TryTakeTables())
            return false;
        _blocks.Reclaimer.GivesWay = givesWay;
        _allocator.Pool.Allowance.NearlyFull = () => Background.Queue("preparing tables to give way", givesWay.Prepare);
        return true;
    }

    internal void ReleaseTables()
    {
        (_allocator.Pool.Allowance.NearlyFull, _blocks.Reclaimer.GivesWay) = (null, null);
        _engine.ReleaseTables();
    }
}
