using System;
using System.Diagnostics;
using BigPile.Checking;
using BigPile.Concurrency;
using BigPile.Layout;
using BigPile.Memory.Concurrency;

namespace BigPile.Access;

/// <summary>Moves the payload of a link: back into the link's own block if it fits, otherwise to a new target.</summary>
internal sealed unsafe class Relocator(BlockStore blocks, Replacer replacer)
{
    /// <summary>Whether a pointer names a link.</summary>
    internal bool IsLink(PilePointer pointer)
    {
        CriticalRegion critical = blocks.Barrier.EnterWriter();
        try
        {
            return blocks.TryLocate(pointer, out Block block, refusesEntries: false) && block.Header.Kind == BlockKind.Link;
        }
        finally
        {
            blocks.Exit(critical);
        }
    }

    /// <summary>Moves the payload of a link; does nothing if it is no link, memory is full, or the payload is damaged.</summary>
    internal void Move(PilePointer pointer, int attempt = 0)
    {
        blocks.EnsureShadowCapacity();
        PileBuffer copy = BufferRental.Rent();
        CriticalRegion critical = blocks.Barrier.EnterWriter();
        SeqLockStripes.Stripe* stripe = blocks.Stripes.Of(pointer.Address);
        stripe->Lock.Enter();
        try
        {
            if (blocks.TryMakeBusy(pointer, out Block origin))
                MoveBusyLocked(stripe, origin, copy);
            return;
        }
        catch (PileFullException e) when (blocks.Reclaimer.CanReclaim(critical, e, attempt))
        {
            // reclaimed below, outside the critical region: a flush waits for all writers
        }
        catch (PileFullException)
        {
            return; // memory is full: the payload stays where it is
        }
        finally
        {
            stripe->Lock.Exit();
            blocks.ExitAfterFree(critical);
            BufferRental.Return(copy); // the next attempt rents another one
        }
        Move(pointer, blocks.Reclaimer.Reclaim(attempt));
    }

    private void MoveBusyLocked(SeqLockStripes.Stripe* stripe, Block origin, PileBuffer copy)
    {
        Debug.Assert((stripe->Lock.Sequence & 1) == 0 && origin.OwnHeader.IsBusy, "No other change uses the sequence, nor the block.");
        try
        {
            if (origin.Header.Kind != BlockKind.Link)
            {
                origin.Publish(origin.Header); // nothing to move: no longer a link
                return;
            }
            if (!origin.IsShadowed && blocks.IsFlushed(origin))
                blocks.CheckShadowCapacity(); // before the first store: it may throw
            Block target = blocks.TargetOf(origin.Header);
            Debug.Assert(target.Header.Kind == BlockKind.LinkTarget, "A link leads to a link target.");
            if (blocks.HasChecksums && !blocks.IsIntact(target.Start, target.Header, target.Address, target.Info))
            {
                origin.Publish(origin.Header);
                return; // damaged: a new copy would get a valid checksum
            }
            int lengthBytes = (int)target.Header.PayloadBytes - OwnerWord.SizeBytes;
            BlockKind kind = BlockStore.OwnerWordOf(target).Kind;
            new ReadOnlySpan<byte>(target.Start + BlockHeader.SizeBytes + OwnerWord.SizeBytes, lengthBytes)
                .CopyTo(new Span<byte>(copy.Prepare(lengthBytes), lengthBytes));
            // From a copy: the target stays whole until the link leads elsewhere.
            if (CanComeBack(lengthBytes, origin))
                replacer.WriteIntoOriginLocked(stripe, origin, copy.WrittenSpan, kind);
            else
                replacer.Relink(origin, copy.WrittenSpan, kind, CrashPoint.CompactBeforeOldTargetFreed, Mutation.CompactedFreedFirst);
            blocks.Allocator.MarkDirty(origin.Address);
        }
        catch
        {
            origin.Publish(origin.Header); // thrown before the link changed
            throw;
        }
    }

    // A flushed block's bytes must stay, unless the flushed state is a link on the device too: then the bytes behind its header mean
    // nothing.
    private bool CanComeBack(int lengthBytes, Block origin) =>
        replacer.FitsInPlace(lengthBytes, origin) && !blocks.Leases.IsLeased(origin.Address)
        && (!blocks.IsFlushed(origin) || (origin.OwnHeader.Kind == BlockKind.Link && !blocks.HasNewHeaders));
}
