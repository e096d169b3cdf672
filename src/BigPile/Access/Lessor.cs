using System;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using BigPile.Concurrency;
using BigPile.Layout;

namespace BigPile.Access;

/// <summary>Gives views of payloads where they lie, and takes them back.</summary>
/// <param name="space">The blocks.</param>
/// <param name="background">Ends a lease that is given back by a thread inside the pile.</param>
/// <param name="letGo">Frees the pile's memory: its last lease ended after it was closed.</param>
internal sealed unsafe class Lessor(BlockSpace space, BackgroundWork background, Action letGo) : ILeaseOwner
{
    private readonly LeaseTable _leases = space.Leases;

    /// <summary>Gives a view of a payload.</summary>
    /// <returns><see langword="false"/> when the pointer names no live object.</returns>
    internal bool TryLease(PilePointer pointer, [NotNullWhen(true)] out PileLease? lease)
    {
        CriticalRegion critical = space.Barrier.EnterWriter(); // a header becomes busy: not while a flush settles it
        try
        {
            lease = null;
            if (!space.TryMakeBusy(pointer, out Block block))
                return false;
            try
            {
                if (space.ChecksEveryRead && !IsIntact(block))
                    Throw.Damaged(space.DirectoryPath, block.Header.PayloadBytes);
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
            space.Exit(critical);
        }
    }

    /// <summary>Leases a part of an entry's payload. Its table's lock for the key is held, so the entry is not freed meanwhile.</summary>
    internal PileLease LeaseEntry(ulong address, int offsetBytes, int lengthBytes, BlockKind kind)
    {
        Debug.Assert(CriticalRegion.Mine.IsInside, "The bucket's lock keeps the entry, and being inside its memory.");
        byte* start = space.Map.Find(address, out _);
        return Entered(
            new PileLease(this, address, start + BlockHeader.SizeBytes + offsetBytes, lengthBytes, BlockSpace.PayloadKindOf(kind)));
    }

    /// <summary>Ends a lease, also of a pile that is closed meanwhile.</summary>
    public void End(PileLease lease)
    {
        if (CriticalRegion.Mine.IsInside)
            background.Queue("ending a lease", () => EndOutside(lease)); // the lock's holder may wait for this thread to leave
        else
            EndOutside(lease);
    }

    private void EndOutside(PileLease lease)
    {
        Debug.Assert(!CriticalRegion.Mine.IsInside, "The lock's holder may wait for this thread to leave.");
        lock (space.Barrier.Closing)
        {
            bool givesBack = _leases.Remove(lease.Address, out BlockHeader before);
            CrashPoints.Pass(CrashPoint.LeaseBeforeGivenBack);
            if (givesBack && !space.Barrier.IsClosed)
                space.Allocator.Return(lease.Address, before);
            if (space.Barrier.IsClosed && !_leases.IsAny)
                letGo();
        }
    }

    private PileLease Begin(Block block)
    {
        if (block.Header.Kind != BlockKind.Link)
        {
            return Entered(new PileLease(
                this, block.Address, block.Start + BlockHeader.SizeBytes, (int)block.Header.PayloadBytes,
                BlockSpace.PayloadKindOf(block.Header.Kind)));
        }
        Block target = space.TargetOf(block.Header);
        return Entered(new PileLease(
            this, target.Address, target.Start + BlockHeader.SizeBytes + BackWord.SizeBytes,
            (int)target.Header.PayloadBytes - BackWord.SizeBytes, BlockSpace.PayloadKindOf(BlockSpace.BackWordOf(target).Kind)));
    }

    // Last: a lease that is counted must be one that somebody can end.
    private PileLease Entered(PileLease lease)
    {
        _leases.Add(lease.Address);
        return lease;
    }

    // The block, or the origin of a link, is the caller's alone.
    private bool IsIntact(Block block)
    {
        Block holder = block.Header.Kind == BlockKind.Link ? space.TargetOf(block.Header) : block;
        return space.IsIntact(holder.Start, holder.Header, holder.Address, holder.Info);
    }
}
