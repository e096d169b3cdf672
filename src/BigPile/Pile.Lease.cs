using System;
using System.Diagnostics.CodeAnalysis;
using BigPile.Access;
using BigPile.Concurrency;
using BigPile.Layout;

namespace BigPile;

/// <summary>Looking at payloads where they lie.</summary>
public sealed unsafe partial class Pile
{
    private readonly LeaseTable _leases = new();

    /// <summary>Blocks that are leased.</summary>
    internal int LeaseCount => _leases.Count;

    /// <summary>Gives a view of an object's payload without copying it.</summary>
    /// <returns>The view, to be disposed soon.</returns>
    /// <exception cref="PilePointerException">The pointer names no live object.</exception>
    /// <exception cref="PileStorageException">Every read is checked, and the payload does not match its checksum.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public PileLease Lease(PilePointer pointer)
    {
        if (!TryLease(pointer, out PileLease? lease))
            Throw.NoSuchObject(pointer);
        return lease;
    }

    /// <summary>Gives a view of an object's payload without copying it, if the pointer still names one.</summary>
    /// <returns><see langword="false"/> when the pointer names no live object, and for no other reason.</returns>
    /// <exception cref="PileStorageException">Every read is checked, and the payload does not match its checksum.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public bool TryLease(PilePointer pointer, [NotNullWhen(true)] out PileLease? lease)
    {
        if (IsReadOnly)
            throw new InvalidOperationException(
                $"The pile in '{DirectoryPath}' was opened for reading only, and its writer knows of no lease. Copy the payload instead.");
        ThreadPresence presence = EnterToChange(); // a header becomes busy: not while a flush settles it
        try
        {
            lease = null;
            if (!TryMakeBusy(pointer, out Block block))
                return false;
            try
            {
                if (_checksEveryRead && !IsIntact(block))
                    Throw.Damaged(DirectoryPath, block.Header.PayloadBytes);
                lease = BeginLease(block);
            }
            finally
            {
                block.Publish(block.Header); // a block that stayed busy would keep everybody waiting for ever
            }
            return true;
        }
        finally
        {
            Exit(presence);
        }
    }

    /// <summary>Ends a lease, also of a pile that is closed meanwhile.</summary>
    internal void EndLease(PileLease lease)
    {
        if (ThreadPresence.Mine.IsInside)
            Background.Queue("ending a lease", () => EndLeaseOutside(lease)); // the lock's holder may wait for this thread to leave
        else
            EndLeaseOutside(lease);
    }

    private void EndLeaseOutside(PileLease lease)
    {
        lock (_closing)
        {
            bool givesBack = _leases.Remove(lease.Address, out BlockHeader before);
            KillPoint.Pass(KillWindow.LeaseBeforeGivenBack);
            if (givesBack && !IsClosed)
                _allocator.Return(lease.Address, before);
            if (IsClosed && !_leases.IsAny)
                LetGo();
        }
    }

    private PileLease BeginLease(Block block)
    {
        if (block.Header.Kind != BlockKind.Link)
        {
            return Entered(new PileLease(
                this, block.Address, block.Start + BlockHeader.SizeBytes, (int)block.Header.PayloadBytes,
                PayloadKindOf(block.Header.Kind)));
        }
        Block target = TargetOf(block.Header);
        return Entered(new PileLease(
            this, target.Address, target.Start + BlockHeader.SizeBytes + BackWord.SizeBytes,
            (int)target.Header.PayloadBytes - BackWord.SizeBytes, PayloadKindOf(BackWordOf(target).Kind)));
    }

    // Last: a lease that is counted must be one that somebody can end.
    private PileLease Entered(PileLease lease)
    {
        _leases.Add(lease.Address);
        return lease;
    }

    /// <summary>Gives back the room of a block whose header says free, now or when its last lease ends.</summary>
    /// <param name="block">The block as it was while it was live.</param>
    private void FreeBlock(in Block block)
    {
        if (!_leases.TryDefer(block.Address, block.Header))
        {
            _allocator.Return(block.Address, block.Info, block.Header);
            return;
        }
        _allocator.NoteChange(block.Address); // that it is free is to be durable with the next flush, and not when its room is given back
        if (block.OwnHeader.IsUndoableFree)
            _allocator.NoteDeferred(block.Address);
    }
}
