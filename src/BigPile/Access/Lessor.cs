using System;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using BigPile.Concurrency;
using BigPile.Layout;

namespace BigPile.Access;

/// <summary>Gives views of payloads where they lie, and takes them back.</summary>
/// <param name="blocks">The blocks.</param>
/// <param name="background">Ends a lease that is given back by a thread inside the pile.</param>
/// <param name="release">Frees the pile's memory: its last lease ended after it was closed.</param>
internal sealed unsafe class Lessor(BlockStore blocks, BackgroundWork background, Action release) : ILeaseOwner
{
    private readonly LeaseTable _leases = blocks.Leases;

    /// <summary>Gives a view of a payload.</summary>
    /// <returns><see langword="false"/> when the pointer names no live object.</returns>
    internal bool TryLease(PilePointer pointer, [NotNullWhen(true)] out PileLease? lease)
    {
        CriticalRegion critical = blocks.Barrier.EnterWriter(); // a header becomes busy: not while a flush settles it
        try
        {
            lease = null;
            if (!blocks.TryMakeBusy(pointer, out Block block))
                return false;
            try
            {
                if (blocks.ChecksEveryRead && !IsIntact(block))
                    Throw.Damaged(blocks.DirectoryPath, block.Header.PayloadBytes);
                lease = Begin(block);
            }
            finally
            {
                block.Publish(block.Header); // a block that stayed busy would keep everybody waiting for ever
            }
            return true;
        }
        finally
        {
            blocks.Exit(critical);
        }
    }

    /// <summary>Leases a part of an entry's payload. Its table's lock for the key is held, so the entry is not freed meanwhile.</summary>
    internal PileLease LeaseEntry(ulong address, int offsetBytes, int lengthBytes, BlockKind kind)
    {
        Debug.Assert(CriticalRegion.Current.IsInRegion, "The bucket's lock keeps the entry, and being inside its memory.");
        byte* start = blocks.Map.Find(address, out _);
        return Register(
            new PileLease(this, address, start + BlockHeader.SizeBytes + offsetBytes, lengthBytes, BlockStore.PayloadKindOf(kind)));
    }

    /// <summary>Ends a lease, also of a pile that is closed meanwhile.</summary>
    public void End(PileLease lease)
    {
        if (CriticalRegion.Current.IsInRegion)
            background.Queue("ending a lease", () => EndNow(lease)); // the lock's holder may wait for this thread to leave
        else
            EndNow(lease);
    }

    private void EndNow(PileLease lease)
    {
        Debug.Assert(!CriticalRegion.Current.IsInRegion, "The lock's holder may wait for this thread to leave.");
        lock (blocks.Barrier.Closing)
        {
            bool givesBack = _leases.Remove(lease.Address, out BlockHeader before);
            CrashPoints.Pass(CrashPoint.LeaseBeforeGivenBack);
            if (givesBack && !blocks.Barrier.IsClosed)
                blocks.Allocator.Return(lease.Address, before);
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

    // Last: a lease that is counted must be one that somebody can end.
    private PileLease Register(PileLease lease)
    {
        _leases.Add(lease.Address);
        return lease;
    }

    // The block, or the origin of a link, is the caller's alone.
    private bool IsIntact(Block block)
    {
        Block holder = block.Header.Kind == BlockKind.Link ? blocks.TargetOf(block.Header) : block;
        return blocks.IsIntact(holder.Start, holder.Header, holder.Address, holder.Info);
    }
}
