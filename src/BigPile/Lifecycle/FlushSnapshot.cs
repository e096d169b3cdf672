using System;
using System.Collections.Generic;
using System.Diagnostics;
using BigPile.Access;
using BigPile.Allocation;
using BigPile.Checking;
using BigPile.Durability;
using BigPile.Layout;
using BigPile.Memory.Checking;

namespace BigPile.Lifecycle;

/// <summary>What a flush captures: the changed blocks, the pending frees, and the shadow headers.</summary>
/// <remarks>
/// Stores go to a shared map, so the system may write any page at any time, and a power cut may leave any mixture. Therefore everything
/// that a flush made durable stays in place, freed or not, except a block's header, which is within one sector and can be undone.
/// Thread safety: under the flush lock.
/// </remarks>
internal sealed unsafe class FlushSnapshot(BlockStore blocks, PileDirectory directory, Versions versions)
{
    private readonly BlockStore _blocks = blocks; // barrier, leases, the epoch of frees
    private readonly PileDirectory _directory = directory; // its superblock has the log's epoch
    private readonly Versions _versions = versions; // the last version is captured with the blocks
    private readonly SegmentMap _map = blocks.Map; // memory and page info by address
    private readonly Allocator _allocator = blocks.Allocator; // dirty lists and pending frees
    private readonly ShadowHeaderTable _shadowHeaders = blocks.ShadowHeaders; // read at a capture, emptied by a release
    private readonly PendingFrees _freed = new(); // taken from the allocator; kept until a flush is durable
    private List<ShadowHeaderTable.Entry> _shadowEntries = []; // the shadow headers at the last capture

    /// <summary>The highest entry version captured.</summary>
    internal ulong Version { get; private set; }

    /// <summary>Whether nothing captured waits for a release: neither pending frees nor shadow headers.</summary>
    internal bool IsEmpty => _freed.IsEmpty && !HasShadowHeaders;

    /// <summary>Whether there were shadow headers at the last capture.</summary>
    internal bool HasShadowHeaders => _shadowEntries.Count != 0;

    /// <summary>Captures the changes in a batch. Writers are blocked.</summary>
    /// <returns>The batch; null if the changes are too many for the log.</returns>
    internal FlushBatch? TryCapture(long capacityBytes)
    {
        ulong[]? addresses = TakeAll();
        return addresses == null ? null : NewWriter().Capture(WithShadowed(addresses), capacityBytes);
    }

    /// <summary>Takes the dirty addresses, the pending frees and the shadow headers. Writers are blocked.</summary>
    private ulong[]? TakeAll()
    {
        Debug.Assert(_blocks.Barrier.Closing.IsHeldByCurrentThread, "Writers are blocked, or the pile is closed.");
        Debug.Assert(_versions.Last >= Version, "Versions rise: none that was captured is handed out again.");
        ulong[]? addresses = SnapshotWriter.TakeAddresses(_allocator);
        // At the same instant as the dirty lists, which have these blocks: this flush makes their deletion durable. If it fails they stay
        // in _freed for the next one.
        _allocator.TakePendingFrees(_freed);
        Version = _versions.Last; // covers every entry, as no put is running
        _shadowEntries = _shadowHeaders.Count != 0 ? _shadowHeaders.Entries() : [];
        return addresses;
    }

    /// <summary>Begins a checkpoint: the segments are synced next. Writers are blocked.</summary>
    internal void BeginCheckpoint()
    {
        _ = TakeAll(); // dropped: the segments have these changes, and are synced
        long epoch = _directory.Superblock.LogEpoch;
        if (_blocks.FreeMarkEpoch == epoch)
            return;
        // An earlier checkpoint failed after its last capture, and frees since then are marked with a later epoch. This checkpoint would
        // not make them final: mark them again.
        _freed.MarkEpoch(epoch, _map);
        _blocks.FreeMarkEpoch = epoch;
    }

    /// <summary>Completes the pending frees that a flush has made durable.</summary>
    internal void Release()
    {
        Debug.Assert(_shadowEntries.Count == 0 || !_blocks.Barrier.IsClosed, "A closed pile has installed its shadow headers before.");
        _allocator.TransferEvents.Begin(); // before the slots leave their list: a failed search waits for them
        try
        {
            if (_shadowEntries.Count != 0)
                _blocks.Barrier.RunExclusive(InstallShadowHeaders); // before the frees: deleted links are free in their own headers by then
            _allocator.ReleasePendingFrees(_freed);
            _freed.Clear();
        }
        finally
        {
            _allocator.TransferEvents.End();
        }
    }

    /// <summary>The records of the shadowed blocks only: their headers are never in the segments.</summary>
    internal FlushBatch CaptureShadowHeaders() => NewWriter().Capture(WithShadowed([]), int.MaxValue)!;

    /// <summary>Adds the addresses of the shadowed blocks to sorted distinct addresses.</summary>
    private ulong[] WithShadowed(ulong[] addresses)
    {
        if (_shadowEntries.Count == 0)
            return addresses;
        var all = new List<ulong>(); // usually all of them are included already
        foreach (ShadowHeaderTable.Entry entry in _shadowEntries)
        {
            if (Array.BinarySearch(addresses, entry.Address) < 0)
                all.Add(entry.Address);
        }
        if (all.Count == 0)
            return addresses;
        all.AddRange(addresses);
        return SnapshotWriter.Distinct(all).ToArray();
    }

    /// <summary>
    /// Stores the shadow headers into their blocks, if the log has no space for them. Writers are blocked; the targets of these headers are
    /// synced, and the headers are before anything relies on them.
    /// </summary>
    /// <remarks>
    /// A live block stays shadowed and busy until the flush is durable. A deleted one is not shadowed any more: if its own bytes are what
    /// was flushed it gets an undoable header; a flushed link needs none, as its target's header can be undone.
    /// </remarks>
    internal void StoreShadowHeaders()
    {
        Debug.Assert(_blocks.Barrier.Closing.IsHeldByCurrentThread, "Writers are blocked while shadow headers are stored.");
        _blocks.HasNewHeaders = true;
        foreach (ShadowHeaderTable.Entry entry in _shadowEntries)
        {
            byte* block = _map.Find(entry.Address, out PageInfo* info);
            Debug.Assert(block != null, "A segment with a shadowed block is not trimmed.");
            var own = new BlockHeader(*(ulong*)block);
            if (!own.IsBusy || own.Generation != entry.Generation)
                continue; // recovery found it damaged, and dropped it
            long capacityBytes = _allocator.BlockBytesAt(entry.Address, *info) - BlockHeader.SizeBytes;
            // One word, whose target is on the device: a power cut leaves the object as it was flushed before, or as it is now.
            BlockTransitions.Store((ulong*)block, ToStore(own.NotBusy, entry.Header, capacityBytes));
            CrashPoints.Pass(CrashPoint.ShadowBeforeRemoved);
            if (entry.Header.IsFree) // what the entry said is in the block now, and no later flush installs it
                _shadowHeaders.Remove(entry);
        }
        _shadowEntries = _shadowHeaders.Entries();
    }

    private BlockHeader ToStore(BlockHeader own, BlockHeader current, long capacityBytes)
    {
        if (!current.IsFree)
            return current.Busy;
        return own.CanBeUndone ? own.UndoableFree(capacityBytes, _directory.Superblock.LogEpoch) : current;
    }

    private SnapshotWriter NewWriter() => new(_map, _allocator, _shadowHeaders, _blocks.HasChecksums, Version);

    /// <summary>Installs the shadow headers, which the flush has made durable, into their blocks. Writers are blocked.</summary>
    internal void InstallShadowHeaders()
    {
        Debug.Assert(_blocks.Barrier.Closing.IsHeldByCurrentThread, "Writers are blocked while shadow headers are installed.");
        foreach (ShadowHeaderTable.Entry entry in _shadowEntries)
        {
            byte* block = _map.Find(entry.Address, out PageInfo* info);
            Debug.Assert(block != null, "A segment with a shadowed block is not trimmed.");
            var own = new BlockHeader(*(ulong*)block);
            if (!own.IsBusy || own.Generation != entry.Generation)
            {
                _shadowHeaders.Remove(entry); // recovery found it damaged, and dropped it
                continue;
            }
            // Same as at the capture? If not, the flushed header goes into the block, busy, and the entry stays for the next flush.
            bool isSame = entry.CurrentHeader.NotBusy.Word == entry.HeaderWord;
            BlockTransitions.Store((ulong*)block, isSame ? new BlockHeader(entry.HeaderWord) : entry.Header.Busy);
            if (!isSame)
                continue;
            CrashPoints.Pass(CrashPoint.ShadowBeforeRemoved); // not busy: recovery ignores the entry (FileRecovery.IsShadowed)
            _shadowHeaders.Remove(entry);
            bool isRun = SegmentMap.Load(info).ClassPlusOne == 0; // the link is durable: its old payload may go
            if (isRun && entry.Header.Kind == BlockKind.Link && !_blocks.Leases.IsLeased(entry.Address))
                _allocator.CutRun(entry.Address);
        }
        _shadowEntries = [];
        _shadowHeaders.OnFlushed(); // the table has space: its usual thresholds again
    }
}
