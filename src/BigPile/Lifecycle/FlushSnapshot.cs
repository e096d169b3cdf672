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

/// <summary>The instant of which a flush makes everything durable, and what the flush has of it.</summary>
/// <remarks>
/// Stores go to a shared map, so the system may write any page at any time, and a power cut may leave any mixture. Therefore everything
/// that was there at a snapshot stays in place until a later flush is durable, freed or not, except a block's header, which is within one
/// sector and can be undone. So writers are blocked only for the instant; what changed before is copied while they go on.
/// Thread safety: under the flush lock.
/// </remarks>
internal sealed unsafe class FlushSnapshot(BlockStore blocks, PileDirectory directory, Versions versions)
{
    private const int EntriesPerStop = 512; // shadow headers that are installed while writers are blocked

    private readonly BlockStore _blocks = blocks; // barrier, leases, the epoch of frees
    private readonly PileDirectory _directory = directory; // its superblock has the log's epoch
    private readonly Versions _versions = versions; // the last version is taken with the blocks
    private readonly SegmentMap _map = blocks.Map; // memory and page info by address
    private readonly Allocator _allocator = blocks.Allocator; // changed pages and pending frees
    private readonly ShadowHeaderTable _shadowHeaders = blocks.ShadowHeaders; // read at a snapshot, emptied by a release
    private readonly SnapshotWriter _writer = new(blocks.Map, blocks.Allocator, blocks.HasChecksums);
    private readonly PendingFrees _freed = new(); // taken from the allocator; kept until a flush is durable
    private ulong[] _shadowWords = []; // the table of shadow headers at the last snapshot that had some
    private List<ShadowHeaderTable.Entry>? _shadowEntries = []; // those at the last snapshot; null until somebody asks

    /// <summary>The highest entry version at the last snapshot.</summary>
    internal ulong Version { get; private set; }

    /// <summary>Whether nothing waits for a release: neither changed pages, nor pending frees, nor shadow headers.</summary>
    internal bool IsEmpty => _freed.IsEmpty && !HasShadowHeaders;

    /// <summary>Whether there were shadow headers at the last snapshot.</summary>
    internal bool HasShadowHeaders => _shadowEntries is not { Count: 0 };

    private List<ShadowHeaderTable.Entry> ShadowEntries => _shadowEntries ??= _shadowHeaders.EntriesIn(_shadowWords);

    /// <summary>Takes the snapshot of a flush to the log. Writers are blocked.</summary>
    internal void Begin()
    {
        Debug.Assert(_blocks.Barrier.Closing.IsHeldByCurrentThread, "Writers are blocked, or the pile is closed.");
        Debug.Assert(_versions.Last >= Version, "Versions rise: none that was taken is handed out again.");
        _allocator.BeginSnapshot(_freed);
        Version = _versions.Last; // covers every entry, as no put is running
        TakeShadowHeaders();
        _blocks.HasNewHeaders = true; // what lies in a block that is a link by its shadow header must not change before it is copied
    }

    /// <summary>Takes the snapshot of a checkpoint: the segments are synced next. Writers are blocked.</summary>
    internal void BeginCheckpoint()
    {
        Begin();
        long epoch = _directory.Superblock.LogEpoch;
        if (_blocks.FreeMarkEpoch != epoch)
        {
            // An earlier checkpoint failed behind its snapshot, and frees since then are marked with a later epoch. This checkpoint would
            // not make them final: mark them again.
            _writer.TakePending(_freed);
            _freed.MarkEpoch(epoch, _map);
        }
        // This checkpoint makes final, by the epoch in the headers, what was freed before. What is freed from here on, while the superblock
        // still states the old epoch, must not have the same mark.
        _blocks.FreeMarkEpoch = epoch + (HasShadowHeaders ? 1 : FlushLog.EpochsWithoutBatch);
    }

    /// <summary>Copies what changed before the snapshot. Writers go on.</summary>
    /// <returns>The batch; null if it is too long.</returns>
    internal FlushBatch? TryCopy(long capacityBytes)
    {
        CrashPoints.Pass(CrashPoint.FlushBeforeCopy);
        return _writer.Copy(_freed, ShadowEntries, Version, capacityBytes);
    }

    /// <summary>Takes the pending frees; copies nothing.</summary>
    internal void TakePending() => _writer.TakePending(_freed);

    /// <summary>Copies the shadowed blocks, whose headers are never in the segments, and takes the pending frees. Writers go on.</summary>
    internal FlushBatch CopyShadowHeaders()
    {
        CrashPoints.Pass(CrashPoint.FlushBeforeCopy);
        _writer.TakePending(_freed);
        return _writer.CopyShadowed(ShadowEntries, Version);
    }

    /// <summary>Completes the pending frees that a flush has made durable.</summary>
    internal void Release()
    {
        Debug.Assert(!HasShadowHeaders || !_blocks.Barrier.IsClosed, "A closed pile has installed its shadow headers before.");
        _allocator.TransferEvents.Begin(); // before the slots leave their list: a failed search waits for them
        try
        {
            // Before the frees: deleted links are free in their own headers by then.
            for (int first = 0; first < ShadowEntries.Count; first += EntriesPerStop)
                _blocks.Barrier.RunExclusive(() => InstallShadowHeaders(first, Math.Min(first + EntriesPerStop, ShadowEntries.Count)));
            EndInstallation();
            _allocator.ReleasePendingFrees(_freed);
            _freed.Clear();
        }
        finally
        {
            _allocator.TransferEvents.End();
        }
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
        foreach (ShadowHeaderTable.Entry entry in ShadowEntries)
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
        TakeShadowHeaders();
    }

    private void TakeShadowHeaders()
    {
        _shadowEntries = _shadowHeaders.Count == 0 ? [] : null;
        if (HasShadowHeaders)
            _shadowHeaders.CopyTo(ref _shadowWords);
    }

    private BlockHeader ToStore(BlockHeader own, BlockHeader current, long capacityBytes)
    {
        if (!current.IsFree)
            return current.Busy;
        return own.CanBeUndone ? own.UndoableFree(capacityBytes, _directory.Superblock.LogEpoch) : current;
    }

    /// <summary>Installs the shadow headers, which the flush has made durable, into their blocks, as the pile is closed.</summary>
    internal void InstallShadowHeaders()
    {
        InstallShadowHeaders(0, ShadowEntries.Count);
        EndInstallation();
    }

    // Writers are blocked. What they do in between changes entries, and adds some, but deletes none.
    private void InstallShadowHeaders(int first, int end)
    {
        Debug.Assert(_blocks.Barrier.Closing.IsHeldByCurrentThread, "Writers are blocked while shadow headers are installed.");
        for (int index = first; index < end; index++)
        {
            ShadowHeaderTable.Entry entry = ShadowEntries[index];
            byte* block = _map.Find(entry.Address, out PageInfo* info);
            Debug.Assert(block != null, "A segment with a shadowed block is not trimmed.");
            var own = new BlockHeader(*(ulong*)block);
            if (!own.IsBusy || own.Generation != entry.Generation)
            {
                _shadowHeaders.Remove(entry); // recovery found it damaged, and dropped it
                continue;
            }
            // Same as at the snapshot? If not, the flushed header goes into the block, busy, and the entry stays for the next flush.
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
    }

    private void EndInstallation()
    {
        if (!HasShadowHeaders)
            return;
        _shadowEntries = [];
        _shadowHeaders.OnFlushed(); // the table has space: its usual thresholds again
    }
}
