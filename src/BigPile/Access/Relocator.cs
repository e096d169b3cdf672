using System;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using BigPile.Checking;
using BigPile.Layout;

namespace BigPile.Access;

/// <summary>Moves the payload of a link: back into the link's own block if it fits, otherwise to a new target.</summary>
internal sealed unsafe class Relocator(BlockStore blocks, Replacer replacer)
{
    internal bool IsLink(PilePointer pointer)
    {
        using ChangeScope scope = blocks.EnterWriter();
        return blocks.TryLocate(pointer, out Block block, refusesEntries: false) && block.Header.Kind == BlockKind.Link;
    }

    /// <summary>Moves the payload of a link; does nothing if it is no link, memory is full, or the payload is damaged.</summary>
    internal void Move(PilePointer pointer)
    {
        using BufferRental.Loan loan = BufferRental.Lend(out PileBuffer copy);
        var attempts = default(ReclaimAttempts);
        PileException? failure;
        do
        {
            var change = new BusyChange(blocks, pointer);
            try
            {
                if (!change.IsFound || TryMoveLocked(ref change, copy, out failure))
                    return;
            }
            finally
            {
                change.Dispose();
            }
        }
        while (blocks.Reclaimer.TryReclaim(failure, ref attempts, evicts: false)); // outside of the scope: a flush waits for all writers
        if (failure is not PileFullException)
            throw failure; // full: the payload stays where it is
    }

    // Returns whether nothing is left to do: also of a payload that is no link's, or damaged.
    private bool TryMoveLocked(ref BusyChange change, PileBuffer copy, [NotNullWhen(false)] out PileException? failure)
    {
        change.AssertHeld();
        failure = null;
        Block origin = change.Origin;
        if (origin.Header.Kind != BlockKind.Link)
            return true;
        if (!origin.IsShadowed && blocks.IsFlushed(origin) && !blocks.HasShadowCapacity(out failure))
            return false; // before the first store
        Block target = blocks.TargetOf(origin.Header);
        Debug.Assert(target.Header.Kind == BlockKind.LinkTarget, "A link leads to a link target.");
        if (blocks.HasChecksums && !blocks.IsIntact(target.Start, target.Header, target.Address, target.Info))
            return true; // damaged: a new copy would get a valid checksum
        int lengthBytes = (int)target.Header.PayloadBytes - OwnerWord.SizeBytes;
        BlockKind kind = BlockStore.OwnerWordOf(target).Kind;
        new ReadOnlySpan<byte>(target.Start + BlockHeader.SizeBytes + OwnerWord.SizeBytes, lengthBytes)
            .CopyTo(new Span<byte>(copy.Prepare(lengthBytes), lengthBytes));
        // From a copy: the target stays whole until the link leads elsewhere.
        if (CanComeBack(lengthBytes, origin))
            replacer.WriteIntoOriginLocked(ref change, copy.WrittenSpan, kind);
        else if (!replacer.TryRelink(
            ref change, copy.WrittenSpan, kind, CrashPoint.CompactBeforeOldTargetFreed, Mutation.CompactedFreedFirst, out failure))
            return false;
        return true;
    }

    // A flushed block's bytes must stay, unless the flushed state is a link on the device too: then the bytes behind its header mean
    // nothing.
    private bool CanComeBack(int lengthBytes, Block origin) =>
        replacer.FitsInPlace(lengthBytes, origin) && !blocks.Leases.IsLeased(origin.Address)
        && (!blocks.IsFlushed(origin) || (origin.OwnHeader.Kind == BlockKind.Link && !blocks.HasNewHeaders));
}
