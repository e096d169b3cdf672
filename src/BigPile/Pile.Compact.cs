using System;
using System.Threading;
using BigPile.Access;
using BigPile.Concurrency;
using BigPile.Layout;
using BigPile.Reporting;

namespace BigPile;

/// <summary>Making a pile smaller.</summary>
public sealed unsafe partial class Pile
{
    /// <summary>Moves payloads that lie behind a link, and gives back to the system what becomes empty.</summary>
    /// <remarks>
    /// A pointer names a place, so an object that lies where its pointer says stays there. A payload behind a link goes back to its
    /// pointer's place if it fits there by now, and otherwise to the lowest page with room. Others may use the pile meanwhile.
    /// Not reclaimed: free slots in pages, and free pages in segments, that still hold an object; new objects use them.
    /// </remarks>
    /// <param name="cancellationToken">Stops the walk; what was moved stays moved.</param>
    /// <returns>Bytes of segments that went back to the system.</returns>
    /// <exception cref="OperationCanceledException">The walk was stopped.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public long Compact(CancellationToken cancellationToken = default) => Compact(new ProgressGauge(null), cancellationToken);

    /// <summary>As <see cref="Compact(CancellationToken)"/>, and says how far it is.</summary>
    /// <param name="progress">
    /// Is told the pages that the walk has behind it, in use or not, of those of all segments at its beginning; all of them once what
    /// became empty was given back. No lock is held and no other call waits meanwhile.
    /// </param>
    /// <param name="cancellationToken">Stops the walk; what was moved stays moved.</param>
    /// <returns>Bytes of segments that went back to the system.</returns>
    /// <exception cref="OperationCanceledException">The walk was stopped.</exception>
    /// <exception cref="ObjectDisposedException">The pile is closed.</exception>
    public long Compact(IProgress<PileProgress> progress, CancellationToken cancellationToken)
    {
        ArgumentNullException.ThrowIfNull(progress);
        return Compact(new ProgressGauge(progress), cancellationToken);
    }

    private long Compact(ProgressGauge gauge, CancellationToken cancellationToken)
    {
        ThreadPresence.RefuseInside();
        long before = Statistics.ReservedBytes;
        var pages = new PageGauge(gauge, _allocator.Pool.Segments(), _map);
        foreach (PileEntry entry in this)
        {
            cancellationToken.ThrowIfCancellationRequested();
            pages.PassTo(entry.Pointer.Address);
            if (IsLink(entry.Pointer))
                MoveAgain(entry.Pointer);
        }
        Trim();
        gauge.Complete();
        return Math.Max(0, before - Statistics.ReservedBytes);
    }

    private bool IsLink(PilePointer pointer)
    {
        ThreadPresence presence = EnterToChange();
        try
        {
            return TryLocate(pointer, out Block block, refusesEntries: false) && block.Header.Kind == BlockKind.Link;
        }
        finally
        {
            Exit(presence);
        }
    }

    // Puts the payload in the place of itself: in its pointer's own block if it fits, else behind a link to a new one.
    private void MoveAgain(PilePointer pointer, int flushes = 0)
    {
        MakeRoomToMove();
        PileBuffer copy = BufferRental.Rent();
        ThreadPresence presence = EnterToChange();
        Stripes.Stripe* stripe = _stripes.Of(pointer.Address);
        stripe->EnterLock();
        try
        {
            if (TryMakeBusy(pointer, out Block origin))
                MoveBusyLocked(stripe, origin, copy);
            return;
        }
        catch (PileFullException) when (CanMakeRoom(presence, flushes))
        {
            // there will be room once what was freed is durably so
        }
        catch (PileFullException)
        {
            return; // there is no room to move it to: it stays where it is
        }
        finally
        {
            stripe->ExitLock();
            ExitAfterFree(presence);
            BufferRental.Return(copy);
        }
        MoveAgain(pointer, MakeRoom(flushes));
    }

    // What was flushed in place stays there: only where that is a link too, the bytes behind it mean nothing.
    private bool CanComeBack(int lengthBytes, Block origin) =>
        FitsInPlace(lengthBytes, origin) && !_leases.IsLeased(origin.Address)
        && (!_allocator.IsFrozen(origin.Address, origin.Info) || origin.OwnHeader.Kind == BlockKind.Link);

    private void MoveBusyLocked(Stripes.Stripe* stripe, Block origin, PileBuffer copy)
    {
        try
        {
            if (origin.Header.Kind != BlockKind.Link)
            {
                origin.Publish(origin.Header);
                return;
            }
            if (!origin.IsMoved && _allocator.IsFrozen(origin.Address, origin.Info))
                CheckMovedRoom();
            Block target = TargetOf(origin.Header);
            int lengthBytes = (int)target.Header.PayloadBytes - BackWord.SizeBytes;
            BlockKind kind = BackWordOf(target).Kind;
            new ReadOnlySpan<byte>(target.Start + BlockHeader.SizeBytes + BackWord.SizeBytes, lengthBytes)
                .CopyTo(new Span<byte>(copy.Prepare(lengthBytes), lengthBytes));
            if (CanComeBack(lengthBytes, origin))
            {
                WriteIntoOriginLocked(stripe, origin, copy.WrittenSpan, kind);
            }
            else
            {
                if (Fault.CompactedFreedFirst)
                    FreeTarget(origin.Header);
                Link(origin, TakeTarget(origin, copy.WrittenSpan, kind));
                KillPoint.Pass(KillWindow.CompactBeforeOldTargetFreed);
                if (!Fault.CompactedFreedFirst)
                    FreeTarget(origin.Header);
            }
            _allocator.NoteChange(origin.Address);
        }
        catch
        {
            origin.Publish(origin.Header);
            throw;
        }
    }
}
