using System;
using System.Diagnostics;
using BigPile.Concurrency;
using BigPile.Layout;

namespace BigPile.Access;

/// <summary>Moves a payload that lies behind a link: back to its pointer's place if it fits, else to a new target.</summary>
internal sealed unsafe class Relocator(BlockSpace space, Replacer replacer)
{
    /// <summary>Whether a pointer names a link.</summary>
    internal bool IsLink(PilePointer pointer)
    {
        CriticalRegion critical = space.Barrier.EnterWriter();
        try
        {
            return space.TryLocate(pointer, out Block block, refusesEntries: false) && block.Header.Kind == BlockKind.Link;
        }
        finally
        {
            space.Exit(critical);
        }
    }

    /// <summary>Moves the payload of a link; does nothing where there is none, or no room, or it is damaged.</summary>
    internal void Move(PilePointer pointer, int flushes = 0)
    {
        space.EnsureShadowCapacity();
        PileBuffer copy = BufferRental.Rent();
        CriticalRegion critical = space.Barrier.EnterWriter();
        Stripes.Stripe* stripe = space.Stripes.Of(pointer.Address);
        stripe->EnterLock();
        try
        {
            if (space.TryMakeBusy(pointer, out Block origin))
                MoveBusyLocked(stripe, origin, copy);
            return;
        }
        catch (PileFullException e) when (space.Reclaimer.CanReclaim(critical, e, flushes))
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
            space.ExitAfterFree(critical);
            BufferRental.Return(copy);
        }
        Move(pointer, space.Reclaimer.Reclaim(flushes));
    }

    private void MoveBusyLocked(Stripes.Stripe* stripe, Block origin, PileBuffer copy)
    {
        Debug.Assert((stripe->Sequence & 1) == 0 && origin.OwnHeader.IsBusy, "No other change uses the sequence, nor the block.");
        try
        {
            if (origin.Header.Kind != BlockKind.Link)
            {
                origin.Publish(origin.Header);
                return;
            }
            if (!origin.IsShadowed && space.IsFlushed(origin))
                space.CheckShadowCapacity();
            Block target = space.TargetOf(origin.Header);
            Debug.Assert(target.Header.Kind == BlockKind.LinkTarget, "A link leads to a link target.");
            if (space.HasChecksums && !space.IsIntact(target.Start, target.Header, target.Address, target.Info))
            {
                origin.Publish(origin.Header);
                return; // damaged: moved it would get a right checksum
            }
            int lengthBytes = (int)target.Header.PayloadBytes - BackWord.SizeBytes;
            BlockKind kind = BlockSpace.BackWordOf(target).Kind;
            new ReadOnlySpan<byte>(target.Start + BlockHeader.SizeBytes + BackWord.SizeBytes, lengthBytes)
                .CopyTo(new Span<byte>(copy.Prepare(lengthBytes), lengthBytes));
            if (CanComeBack(lengthBytes, origin))
                replacer.WriteIntoOriginLocked(stripe, origin, copy.WrittenSpan, kind);
            else
                replacer.Relink(origin, copy.WrittenSpan, kind, CrashPoint.CompactBeforeOldTargetFreed, Mutation.CompactedFreedFirst);
            space.Allocator.MarkDirty(origin.Address);
        }
        catch
        {
            origin.Publish(origin.Header);
            throw;
        }
    }

    // What was flushed in place stays there: only where that is a link too, on the device as well, the bytes behind it mean nothing.
    private bool CanComeBack(int lengthBytes, Block origin) =>
        replacer.FitsInPlace(lengthBytes, origin) && !space.Leases.IsLeased(origin.Address)
        && (!space.IsFlushed(origin) || (origin.OwnHeader.Kind == BlockKind.Link && !space.HasNewHeaders));
}
