using System;
using System.Diagnostics;
using BigPile.Allocation;
using BigPile.Checking;
using BigPile.Concurrency;
using BigPile.Durability;
using BigPile.Layout;
using BigPile.Memory.Checking;
using BigPile.Memory.Concurrency;

namespace BigPile.Access;

/// <summary>Overwrites a part of a payload in place.</summary>
/// <remarks>
/// As a replacement in place, in chunks: a kill leaves each chunk whole or absent. A payload that is leased or flushed is copied and
/// replaced instead, which a kill leaves whole or absent. CRASH.md: the rows "write of a part".
/// </remarks>
internal sealed unsafe class PartWriter(BlockStore blocks, Replacer replacer)
{
    private readonly Allocator _allocator = blocks.Allocator; // dirty lists

    /// <summary>Overwrites a part.</summary>
    internal void Write(PilePointer pointer, ReadOnlySpan<byte> source, int offsetBytes, int attempt = 0)
    {
        blocks.EnsureShadowCapacity();
        CriticalRegion critical = blocks.Barrier.EnterWriter();
        SeqLockStripes.Stripe* stripe = blocks.Stripes.Of(pointer.Address);
        stripe->Lock.Enter(); // before the busy bit, as in Replacer.TryReplace
        try
        {
            if (!blocks.TryMakeBusy(pointer, out Block origin))
                Throw.NoSuchObject(pointer);
            try
            {
                WriteBusyLocked(stripe, pointer, origin, source, offsetBytes);
            }
            catch
            {
                origin.Publish(origin.Header); // nothing was written, and the block is still this caller's
                throw;
            }
            return;
        }
        catch (PileFullException e) when (blocks.Reclaimer.CanReclaim(critical, e, attempt))
        {
            // reclaimed below, outside the critical region: a flush waits for all writers
        }
        finally
        {
            stripe->Lock.Exit();
            blocks.ExitAfterFree(critical);
        }
        Write(pointer, source, offsetBytes, blocks.Reclaimer.Reclaim(attempt));
    }

    private void WriteBusyLocked(
        SeqLockStripes.Stripe* stripe, PilePointer pointer, Block origin, ReadOnlySpan<byte> source, int offsetBytes)
    {
        Debug.Assert((stripe->Lock.Sequence & 1) == 0 && origin.OwnHeader.IsBusy, "No other change uses the sequence, nor the block.");
        bool isLink = origin.Header.Kind == BlockKind.Link;
        Block holder = isLink ? blocks.TargetOf(origin.Header) : origin;
        int headBytes = BlockHeader.SizeBytes + (isLink ? OwnerWord.SizeBytes : 0);
        long lengthBytes = holder.Header.PayloadBytes + BlockHeader.SizeBytes - headBytes;
        if (offsetBytes > lengthBytes - source.Length)
            Throw.WriteOutside(offsetBytes, source.Length, lengthBytes);
        bool isCopied = blocks.Leases.IsLeased(holder.Address) || blocks.IsFlushed(holder);
        int partOffsetBytes = headBytes - BlockHeader.SizeBytes + offsetBytes;
        if (!IsWhole(holder, isCopied ? 0 : partOffsetBytes, isCopied ? holder.Header.PayloadBytes : source.Length))
            Throw.Damaged(blocks.DirectoryPath, pointer); // a new checksum would hide the damage
        if (isCopied)
        {
            RewriteElsewhere(stripe, origin, new ReadOnlySpan<byte>(holder.Start + headBytes, (int)lengthBytes), source, offsetBytes);
            return;
        }
        stripe->BeginChangeLocked(origin.Address); // once for all chunks: readers see none or all of them
        Debug.Assert((stripe->Lock.Sequence & 1) != 0 && stripe->Address == origin.Address, "Readers know before the first byte changes.");
        BlockHeader header = WriteInChunks(holder, source, partOffsetBytes);
        origin.Publish(isLink ? origin.Header : header);
        stripe->EndChangeLocked(); // behind the header, as in Replacer.WriteIntoOriginLocked
        _allocator.MarkDirty(holder.Address);
    }

    private bool IsWhole(Block holder, long offsetBytes, long lengthBytes) =>
        BlockChecksum.IsValidAround(
            holder.Start, holder.Header, blocks.CapacityBytes(holder), offsetBytes, lengthBytes, blocks.Checksums);

    private BlockHeader WriteInChunks(Block holder, ReadOnlySpan<byte> source, int offsetBytes)
    {
        long capacityBytes = blocks.CapacityBytes(holder);
        BlockHeader header = holder.Header;
        do
        {
            Debug.Assert(offsetBytes + source.Length <= header.PayloadBytes, "A part lies within its payload.");
            ReadOnlySpan<byte> chunk = source[..Math.Min(source.Length, RedoFile.MaxPartBytes)];
            // Valid before the first byte changes: from here on a kill leaves the new chunk.
            int redo = replacer.BeginRedo(holder.Address, holder.Header.Plain, offsetBytes, chunk, default);
            CrashPoints.CopyHalf(chunk, holder.Start + BlockHeader.SizeBytes + offsetBytes, CrashPoint.ReplaceHalfOfPayload);
            chunk.CopyTo(new Span<byte>(holder.Start + BlockHeader.SizeBytes + offsetBytes, chunk.Length));
            CrashPoints.Pass(CrashPoint.ReplaceBeforeHeader);
            if (blocks.HasChecksums)
                header = BlockChecksum.Rewrite(holder.Start, holder.Header, capacityBytes, offsetBytes, chunk.Length);
            // A plain block stays busy for the next chunk. A target is not busy at any time: its link is.
            holder.Publish(holder.Header.Kind == BlockKind.LinkTarget ? header : header.Busy);
            replacer.EndRedo(redo); // behind the checksum: a kill leaves this chunk whole
            CrashPoints.Pass(CrashPoint.WriteBetweenParts);
            source = source[chunk.Length..];
            offsetBytes += chunk.Length;
        }
        while (source.Length != 0);
        return header;
    }

    private void RewriteElsewhere(
        SeqLockStripes.Stripe* stripe, Block origin, ReadOnlySpan<byte> old, ReadOnlySpan<byte> source, int offsetBytes)
    {
        bool isLink = origin.Header.Kind == BlockKind.Link;
        BlockKind kind = isLink ? BlockStore.OwnerWordOf(blocks.TargetOf(origin.Header)).Kind : origin.Header.Kind;
        PileBuffer copy = BufferRental.Rent();
        try
        {
            old.CopyTo(new Span<byte>(copy.Prepare(old.Length), old.Length));
            source.CopyTo(new Span<byte>(copy.Start + offsetBytes, source.Length));
            replacer.ReplaceBusyLocked(stripe, origin, copy.WrittenSpan, kind);
            _allocator.MarkDirty(origin.Address);
        }
        finally
        {
            BufferRental.Return(copy);
        }
    }
}
