using System;
using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using BigPile.Checking;
using BigPile.Durability;
using BigPile.Layout;
using BigPile.Memory.Checking;

namespace BigPile.Access;

/// <summary>Overwrites a part of a payload in place.</summary>
/// <remarks>
/// As a replacement in place, in chunks: a kill leaves each chunk whole or absent. A payload that is leased or flushed is copied and
/// replaced instead, which a kill leaves whole or absent. Durability/crash/write-part.md.
/// </remarks>
internal sealed unsafe class PartWriter(BlockStore blocks, Replacer replacer)
{
    /// <summary>Overwrites a part.</summary>
    internal void Write(PilePointer pointer, ReadOnlySpan<byte> source, int offsetBytes)
    {
        var attempts = default(ReclaimAttempts);
        PileException? failure;
        do
        {
            var change = new BusyChange(blocks, pointer);
            try
            {
                if (!change.IsFound)
                    Throw.NoSuchObject(pointer);
                if (TryWriteLocked(ref change, pointer, source, offsetBytes, out failure))
                    return;
            }
            finally
            {
                change.Dispose();
            }
        }
        while (blocks.Reclaimer.TryReclaim(failure, ref attempts)); // outside of the scope: a flush waits for all writers
        throw failure;
    }

    private bool TryWriteLocked(
        ref BusyChange change, PilePointer pointer, ReadOnlySpan<byte> source, int offsetBytes,
        [NotNullWhen(false)] out PileException? failure)
    {
        change.AssertHeld();
        failure = null;
        Block origin = change.Origin;
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
            var old = new ReadOnlySpan<byte>(holder.Start + headBytes, (int)lengthBytes);
            return TryRewriteElsewhere(ref change, old, source, offsetBytes, out failure);
        }
        change.BeginWrite(); // once for all chunks: readers see none or all of them
        BlockHeader header = WriteInChunks(holder, source, partOffsetBytes);
        if (isLink)
            change.PublishUnchanged();
        else
            change.Publish(header);
        change.EndWrite(); // behind the header, as in Replacer.WriteIntoOriginLocked
        return true;
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

    private bool TryRewriteElsewhere(
        ref BusyChange change, ReadOnlySpan<byte> old, ReadOnlySpan<byte> source, int offsetBytes,
        [NotNullWhen(false)] out PileException? failure)
    {
        Block origin = change.Origin;
        bool isLink = origin.Header.Kind == BlockKind.Link;
        BlockKind kind = isLink ? BlockStore.OwnerWordOf(blocks.TargetOf(origin.Header)).Kind : origin.Header.Kind;
        using BufferRental.Loan loan = BufferRental.Lend(out PileBuffer copy);
        old.CopyTo(new Span<byte>(copy.Prepare(old.Length), old.Length));
        source.CopyTo(new Span<byte>(copy.Start + offsetBytes, source.Length));
        return replacer.TryReplaceLocked(ref change, copy.WrittenSpan, kind, out failure);
    }
}
