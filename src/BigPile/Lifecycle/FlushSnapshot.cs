using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;
using BigPile.Access;
using BigPile.Allocation;
using BigPile.Concurrency;
using BigPile.Durability;
using BigPile.Layout;

namespace BigPile.Lifecycle;

/// <summary>What a flush takes with it: what changed, what was freed, and which headers lie elsewhere.</summary>
/// <remarks>
/// Stores go through a shared map, so the system may write any page at any time, and a power cut leaves any of it. What a flush made
/// durable therefore stays in its place, freed or not, but for the header of a block, which is one sector and can be undone. Freed blocks
/// wait in quarantine: a flush takes the list together with the changes, and gives their room back once the device has the batch. When
/// it does not come to its end, the list stays for the next one.
/// Where the log has no room for the headers of moved blocks, these are stored into the blocks before the epoch says that they count: each
/// is one word, and what it leads to is on the device by then, so a power cut leaves each of these objects as it was flushed before, or as
/// it is.
/// A checkpoint makes final what was freed before it looked for the last time, by the epoch in the headers: so none that is freed later,
/// while the superblock still states the old epoch, may have the same one.
/// Thread safety: under the flush's lock.
/// </remarks>
internal sealed unsafe class FlushSnapshot
{
    private readonly BlockStore _blocks;
    private readonly PileDirectory _directory;
    private readonly Versions _versions;
    private readonly SegmentMap _map;
    private readonly Allocator _allocator;
    private readonly ShadowHeaderTable _shadowHeaders;
    private readonly PendingFrees _freed = new();
    private List<ShadowHeaderTable.Entry> _shadowEntries = [];

    /// <summary>Captures the changes of a mapped pile.</summary>
    internal FlushSnapshot(BlockStore blocks, PileDirectory directory, Versions versions)
    {
        _blocks = blocks;
        _directory = directory;
        _versions = versions;
        _map = blocks.Map;
        _allocator = blocks.Allocator;
        _shadowHeaders = blocks.ShadowHeaders;
    }

    /// <summary>The highest version of an entry that was captured.</summary>
    internal ulong Version { get; private set; }

    /// <summary>Whether nothing was freed that waits, and no header lies elsewhere.</summary>
    internal bool IsEmpty => _freed.IsEmpty && !HasShadowHeaders;

    /// <summary>Whether headers lie elsewhere.</summary>
    internal bool HasShadowHeaders => _shadowEntries.Count != 0;

    /// <summary>Takes what changed, and makes a batch of it. Nothing changes meanwhile.</summary>
    /// <returns>The batch; none when that is too much for the log.</returns>
    internal FlushBatch? TryCapture(long capacityBytes)
    {
        ulong[]? addresses = TakeAll();
        return addresses == null ? null : NewWriter().Capture(WithShadowed(addresses), capacityBytes);
    }

    /// <summary>Takes what changed, and what was freed of what was flushed. Nothing changes meanwhile.</summary>
    private ulong[]? TakeAll()
    {
        Debug.Assert(_blocks.Barrier.Closing.IsHeldByCurrentThread, "Nothing changes: the gate is barred, or closed.");
        Debug.Assert(_versions.Last >= Version, "Versions rise: none that was captured is given out again.");
        ulong[]? addresses = SnapshotWriter.TakeAddresses(_allocator);
        _allocator.TakePendingFrees(_freed);
        Version = _versions.Last; // of every entry that is there, since nobody is putting one
        _shadowEntries = _shadowHeaders.Count != 0 ? _shadowHeaders.Entries() : [];
        return addresses;
    }

    /// <summary>Begins a checkpoint: the segments are written next. Nothing changes meanwhile.</summary>
    internal void BeginCheckpoint()
    {
        _ = TakeAll();
        long epoch = _directory.Superblock.LogEpoch;
        if (_blocks.FreeEpoch == epoch)
            return;
        // A checkpoint failed after its last look: what was freed since would not become final with this one.
        _freed.MarkEpoch(epoch, _map);
        _blocks.FreeEpoch = epoch;
    }

    /// <summary>Gives back the room of what a flush has made durably free.</summary>
    internal void Release()
    {
        Debug.Assert(_shadowEntries.Count == 0 || !_blocks.Barrier.IsClosed, "A pile that is closed has brought them back before.");
        _allocator.ReclaimEvents.Begin();
        try
        {
            if (_shadowEntries.Count != 0)
                _blocks.Barrier.RunExclusive(InstallShadowHeaders); // before the lists: those deleted as links are free by now
            _allocator.CompletePendingFrees(_freed);
            _freed.Clear();
        }
        finally
        {
            _allocator.ReclaimEvents.End();
        }
    }

    /// <summary>The records of the moved blocks: whatever the lists hold, these are not in the segments.</summary>
    internal FlushBatch CaptureShadowHeaders() => NewWriter().Capture(WithShadowed([]), int.MaxValue)!;

    /// <summary>Some addresses, in order and each once, and those of the moved blocks.</summary>
    private ulong[] WithShadowed(ulong[] addresses)
    {
        if (_shadowEntries.Count == 0)
            return addresses;
        var all = new List<ulong>(); // nearly always all of them are listed
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
    /// Stores the headers that count into the moved blocks, where the log has no room for them. Nothing changes meanwhile; all that they
    /// lead to is written through, and so is written through what is stored here, before anything relies on it.
    /// </summary>
    /// <remarks>
    /// A live block stays moved and busy until the flush is durable. A freed one is moved no more: where its own bytes are what was flushed
    /// its header says so, and it can be had back; a link only has its target, which can.
    /// </remarks>
    internal void StoreShadowHeaders()
    {
        Debug.Assert(_blocks.Barrier.Closing.IsHeldByCurrentThread, "Nobody changes a header that counts meanwhile.");
        _blocks.HasNewHeaders = true;
        foreach (ShadowHeaderTable.Entry entry in _shadowEntries)
        {
            byte* block = _map.Find(entry.Address, out PageInfo* info);
            Debug.Assert(block != null, "A segment stays while a header lies elsewhere: its block is not free.");
            var own = new BlockHeader(*(ulong*)block);
            if (!own.IsBusy || own.Generation != entry.Generation)
                continue; // it was found damaged, and dropped
            long capacityBytes = _allocator.BlockBytesAt(entry.Address, *info) - BlockHeader.SizeBytes;
            Volatile.Write(ref *(ulong*)block, ToStore(own.NotBusy, entry.Header, capacityBytes).Word);
            CrashPoints.Pass(CrashPoint.ShadowBeforeRemoved);
            if (entry.Header.IsFree)
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

    /// <summary>Gives the blocks that a flush has made durable as they are in the table their headers. Nothing changes meanwhile.</summary>
    internal void InstallShadowHeaders()
    {
        Debug.Assert(_blocks.Barrier.Closing.IsHeldByCurrentThread, "Nobody reads a header that counts while it comes back to its block.");
        foreach (ShadowHeaderTable.Entry entry in _shadowEntries)
        {
            byte* block = _map.Find(entry.Address, out PageInfo* info);
            Debug.Assert(block != null, "A segment stays while a header lies elsewhere: its block is not free.");
            var own = new BlockHeader(*(ulong*)block);
            if (!own.IsBusy || own.Generation != entry.Generation)
            {
                _shadowHeaders.Remove(entry); // it was found damaged, and dropped
                continue;
            }
            bool isSame = entry.CurrentHeader.NotBusy.Word == entry.HeaderWord;
            Volatile.Write(ref *(ulong*)block, isSame ? entry.HeaderWord : entry.Header.Busy.Word);
            if (!isSame)
                continue;
            CrashPoints.Pass(CrashPoint.ShadowBeforeRemoved);
            _shadowHeaders.Remove(entry);
            bool isRun = SegmentMap.Load(info).ClassPlusOne == 0;
            if (isRun && entry.Header.Kind == BlockKind.Link && !_blocks.Leases.IsLeased(entry.Address))
                _allocator.CutRun(entry.Address);
        }
        _shadowEntries = [];
        _shadowHeaders.OnFlushed();
    }
}
