using System;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using BigPile.Checking;
using BigPile.Concurrency;
using BigPile.Layout;
using BigPile.Memory.Checking;

namespace BigPile.Access;

/// <summary>Leases payloads in place.</summary>
/// <param name="blocks">The blocks.</param>
/// <param name="background">Ends leases that a thread in a critical region disposes.</param>
/// <param name="release">Frees the pile's memory; called when the last lease of a closed pile ends.</param>
internal sealed unsafe class Lessor(BlockStore blocks, BackgroundWork background, Action release) : ILeaseOwner
{
    private readonly LeaseTable _leases = blocks.Leases; // the leases of the pile

    /// <summary>Leases a payload.</summary>
    /// <returns><see langword="false"/> when the pointer names no live object.</returns>
    internal bool TryLease(PilePointer pointer, [NotNullWhen(true)] out PileLease? lease)
    {
        // a writer, as the header becomes busy, which must not happen while a flush installs it
        using ChangeScope scope = blocks.EnterWriter();
        lease = null;
        if (!blocks.TryMakeBusy(pointer, out Block block)) // busy: neither freed nor overwritten before the lease is counted
            return false;
        try
        {
            if (blocks.ChecksEveryRead && !IsIntact(block))
                Throw.Damaged(blocks.DirectoryPath, block.Header.PayloadBytes);
            lease = Begin(block);
        }
        finally
        {
            block.Publish(block.Header); // a block that stayed busy would block all others forever
        }
        return true;
    }

    /// <summary>Leases a part of an entry's payload. The table's lock for the key is held, so the entry is not freed meanwhile.</summary>
    internal PileLease LeaseEntry(ulong address, int offsetBytes, int lengthBytes, BlockKind kind)
    {
        Debug.Assert(PileRegions.Current.IsOpen, "The bucket's lock keeps the entry, and the critical region its memory.");
        byte* start = blocks.Map.Find(address, out _);
        return Register(
            new PileLease(this, address, start + BlockHeader.SizeBytes + offsetBytes, lengthBytes, BlockStore.PayloadKindOf(kind)));
    }

    /// <summary>Ends a lease, also of a closed pile.</summary>
    public void End(PileLease lease)
    {
        if (PileRegions.Current.IsOpen)
            background.Queue("ending a lease", () => EndNow(lease)); // the holder of Closing may be waiting for this thread's region to end
        else
            EndNow(lease);
    }

    private void EndNow(PileLease lease)
    {
        Debug.Assert(!PileRegions.Current.IsOpen, "The lock's holder may wait for this thread's critical region to end.");
        // Excludes Close and trims: memory is freed once, by the last lease or by Close, whichever comes later.
        lock (blocks.Barrier.Closing)
        {
            bool givesBack = _leases.Remove(lease.Address, out BlockHeader before);
            CrashPoints.Pass(CrashPoint.LeaseBeforeGivenBack);
            if (givesBack && !blocks.Barrier.IsClosed)
                blocks.Allocator.Return(lease.Address, before); // freed meanwhile: its header says so since then
            if (blocks.Barrier.IsClosed && !_leases.IsAny)
                release();
        }
    }

    private PileLease Begin(Block block)
    {
        if (block.Header.Kind != BlockKind.Link)
        {
            return Register(new PileLease(
                this, block.Address, block.Start + BlockHeader.SizeBytes, (int)block.Header.PayloadBytes,
                BlockStore.PayloadKindOf(block.Header.Kind)));
        }
        Block target = blocks.TargetOf(block.Header);
        return Register(new PileLease(
            this, target.Address, target.Start + BlockHeader.SizeBytes + OwnerWord.SizeBytes,
            (int)target.Header.PayloadBytes - OwnerWord.SizeBytes, BlockStore.PayloadKindOf(BlockStore.OwnerWordOf(target).Kind)));
    }

    // Registered last: a counted lease must be one that can be ended.
    private PileLease Register(PileLease lease)
    {
        _leases.Add(lease.Address); // before the block stops being busy, or its bucket is unlocked
        return lease;
    }

    // The caller has made the block, or the link, busy.
    private bool IsIntact(Block block)
    {
        Block holder = block.Header.Kind == BlockKind.Link ? blocks.TargetOf(block.Header) : block;
        return blocks.IsIntact(holder.Start, holder.Header, holder.Address, holder.Info);
    }
}
