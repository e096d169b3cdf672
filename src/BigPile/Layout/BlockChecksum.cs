using System;
using System.Diagnostics;
using System.Numerics;
using System.Runtime.CompilerServices;

namespace BigPile.Layout;

/// <summary>The checksum of a block: CRC-32C of its header and payload.</summary>
/// <remarks>
/// The header is covered in its plain form: kind, generation and length. The checksum is stored in one of three places:
/// <list type="bullet">
/// <item>in a slot with at least four bytes behind the payload: right behind the payload;</item>
/// <item>in a slot with fewer: inline, as the low 20 bits in the header, so that a payload that fills its slot needs no larger one;</item>
/// <item>in a run: right behind the payload, one for each 64 KiB of it, so that a part can be changed without reading the rest.</item>
/// </list>
/// Links have none: see <see cref="OwnerWord"/>. A block that was written in formats 1 to 6 has the <see cref="LegacyChecksum"/> until it
/// is written anew. No bit says which of the two it has, so either may match if the pile may hold such blocks.
/// </remarks>
internal static unsafe class BlockChecksum
{
    internal const int TailBytes = sizeof(uint);

    /// <summary>The payload bytes of a run that share one checksum.</summary>
    internal const int ChunkBytes = 64 * 1024;

    /// <summary>The bytes of checksums that a payload of that size needs in its block at least; 0 in a slot.</summary>
    internal static long TailBytesFor(long payloadBytes) =>
        BlockHeader.SizeBytes + payloadBytes > SizeClasses.MaxSlotBytes ? ChunkCount(payloadBytes) * TailBytes : 0;

    /// <summary>Whether a payload and its checksums fit a block.</summary>
    internal static bool Fits(long payloadBytes, long capacityBytes) =>
        IsRun(capacityBytes) ? payloadBytes + ChunkCount(payloadBytes) * TailBytes <= capacityBytes : payloadBytes <= capacityBytes;

    /// <summary>The bytes of checksums behind the payload of a block that has them.</summary>
    internal static long TailBytesOf(BlockHeader header, long capacityBytes) =>
        IsRun(capacityBytes) ? ChunkCount(header.PayloadBytes) * TailBytes : header.HasInlineChecksum ? 0 : TailBytes;

    /// <summary>Writes the checksum of a payload that is written, and returns the header to publish.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static BlockHeader Write(byte* block, BlockKind kind, uint generation, long payloadBytes, long capacityBytes)
    {
        Debug.Assert(Fits(payloadBytes, capacityBytes), "The payload, or its checksums, would run over the next block.");
        var header = new BlockHeader(kind, generation, (ulong)payloadBytes);
        if (IsRun(capacityBytes))
        {
            WriteChunks(block, header, 0, ChunkCount(payloadBytes));
            return header;
        }
        byte* payload = block + BlockHeader.SizeBytes;
        uint checksum = ~Checksum.OfBlock(header.Word, payload, (int)payloadBytes);
        if (capacityBytes - payloadBytes < TailBytes)
            return BlockHeader.WithInlineChecksum(kind, generation, payloadBytes, checksum);
        Unsafe.WriteUnaligned(payload + payloadBytes, checksum);
        return header;
    }

    /// <summary>Updates the checksums after a part of the payload has changed.</summary>
    internal static BlockHeader Rewrite(byte* block, BlockHeader header, long capacityBytes, long offsetBytes, long lengthBytes)
    {
        Debug.Assert(offsetBytes >= 0 && offsetBytes + lengthBytes <= header.PayloadBytes, "The part is not one of the payload.");
        if (!IsRun(capacityBytes))
            return Write(block, header.Kind, header.Generation, header.PayloadBytes, capacityBytes);
        if (lengthBytes != 0)
            WriteChunks(block, header.Plain, offsetBytes / ChunkBytes, (offsetBytes + lengthBytes - 1) / ChunkBytes + 1);
        return header.Plain;
    }

    /// <summary>Whether the checksum matches. The caller has checked the length against the capacity.</summary>
    internal static bool IsIntact(byte* block, BlockHeader header, long capacityBytes, BlockChecksumKind kinds) =>
        StateOf(block, header, capacityBytes, kinds) != BlockChecksumState.Broken;

    /// <summary>
    /// Whether the block fits its capacity and its checksum matches; the length may be any. Always true without checksums.
    /// </summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal static bool IsValid(byte* block, BlockHeader header, long capacityBytes, BlockChecksumKind kinds) =>
        kinds == BlockChecksumKind.None
        || (Fits(header.PayloadBytes, capacityBytes) && IsIntact(block, header, capacityBytes, kinds));

    /// <summary>
    /// Like <see cref="IsValid"/>, for the chunks that get a new checksum when a part of the payload changes: damage must not get a valid
    /// one.
    /// </summary>
    internal static bool IsValidAround(
        byte* block, BlockHeader header, long capacityBytes, long offsetBytes, long lengthBytes, BlockChecksumKind kinds)
    {
        if (kinds == BlockChecksumKind.None || !IsRun(capacityBytes))
            return IsValid(block, header, capacityBytes, kinds);
        if (!Fits(header.PayloadBytes, capacityBytes))
            return false;
        long end = lengthBytes == 0 ? 0 : (offsetBytes + lengthBytes - 1) / ChunkBytes + 1;
        return StateOfChunks(block, header.Plain, offsetBytes / ChunkBytes, end, kinds) != BlockChecksumState.Broken;
    }

    /// <summary>Which checksum matches. The caller has checked the length against the capacity.</summary>
    internal static BlockChecksumState StateOf(byte* block, BlockHeader header, long capacityBytes, BlockChecksumKind kinds)
    {
        BlockHeader plain = header.Plain;
        long payloadBytes = plain.PayloadBytes;
        Debug.Assert(Fits(payloadBytes, capacityBytes), "The length was not checked, and bytes of the next block would be read.");
        Debug.Assert(kinds != BlockChecksumKind.None, "There is nothing to compare with.");
        if (IsRun(capacityBytes))
        {
            return header.NotBusy.Word == plain.Word
                ? StateOfChunks(block, plain, 0, ChunkCount(payloadBytes), kinds)
                : BlockChecksumState.Broken;
        }
        byte* payload = block + BlockHeader.SizeBytes;
        if (Matches(payload, header, plain, capacityBytes, ~Checksum.OfBlock(plain.Word, payload, (int)payloadBytes)))
            return BlockChecksumState.Intact;
        return kinds == BlockChecksumKind.Crc32COrLegacy
            && Matches(payload, header, plain, capacityBytes, LegacyChecksum.OfBlock(plain.Word, payload, (int)payloadBytes))
            ? BlockChecksumState.IntactByLegacy
            : BlockChecksumState.Broken;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private static bool Matches(byte* payload, BlockHeader header, BlockHeader plain, long capacityBytes, uint checksum) =>
        capacityBytes - plain.PayloadBytes < TailBytes
            ? header.NotBusy.Word == BlockHeader.WithInlineChecksum(plain.Kind, plain.Generation, plain.PayloadBytes, checksum).Word
            : header.NotBusy.Word == plain.Word && Unsafe.ReadUnaligned<uint>(payload + plain.PayloadBytes) == checksum;

    private static bool IsRun(long capacityBytes) => capacityBytes + BlockHeader.SizeBytes > SizeClasses.MaxSlotBytes;

    private static long ChunkCount(long payloadBytes) => Math.Max(1, (payloadBytes + ChunkBytes - 1) / ChunkBytes);

    private static void WriteChunks(byte* block, BlockHeader header, long firstChunk, long endChunk)
    {
        Debug.Assert(
            firstChunk >= 0 && endChunk <= ChunkCount(header.PayloadBytes), "There is no such chunk, and no space for its checksum.");
        byte* tail = block + BlockHeader.SizeBytes + header.PayloadBytes;
        for (long chunk = firstChunk; chunk < endChunk; chunk++)
            Unsafe.WriteUnaligned(tail + chunk * TailBytes, OfChunk(block, header, chunk));
    }

    private static BlockChecksumState StateOfChunks(
        byte* block, BlockHeader header, long firstChunk, long endChunk, BlockChecksumKind kinds)
    {
        byte* tail = block + BlockHeader.SizeBytes + header.PayloadBytes;
        var state = BlockChecksumState.Intact;
        for (long chunk = firstChunk; chunk < endChunk; chunk++)
        {
            uint checksum = Unsafe.ReadUnaligned<uint>(tail + chunk * TailBytes);
            if (checksum == OfChunk(block, header, chunk))
                continue;
            if (kinds != BlockChecksumKind.Crc32COrLegacy || checksum != LegacyOfChunk(block, header, chunk))
                return BlockChecksumState.Broken;
            state = BlockChecksumState.IntactByLegacy;
        }
        return state;
    }

    // The chunk's number is covered, so that two exchanged chunks do not match.
    private static uint OfChunk(byte* block, BlockHeader header, long chunk) => ~BitOperations.Crc32C(
        Checksum.OfBlock(header.Word, ChunkAt(block, header, chunk, out int lengthBytes), lengthBytes), (uint)chunk);

    private static uint LegacyOfChunk(byte* block, BlockHeader header, long chunk) => BitOperations.Crc32C(
        LegacyChecksum.OfBlock(header.Word, ChunkAt(block, header, chunk, out int lengthBytes), lengthBytes), (uint)chunk);

    private static byte* ChunkAt(byte* block, BlockHeader header, long chunk, out int lengthBytes)
    {
        long offsetBytes = chunk * ChunkBytes;
        lengthBytes = (int)Math.Min(ChunkBytes, header.PayloadBytes - offsetBytes);
        return block + BlockHeader.SizeBytes + offsetBytes;
    }
}

/// <summary>Whether a block matches its checksum.</summary>
internal enum BlockChecksumState
{
    /// <summary>It does not match.</summary>
    Broken,

    /// <summary>It matches its CRC-32C.</summary>
    Intact,

    /// <summary>It matches the <see cref="LegacyChecksum"/> of formats 1 to 6, in at least one chunk.</summary>
    IntactByLegacy,
}

/// <summary>Which checksums the blocks of a pile carry.</summary>
internal enum BlockChecksumKind
{
    /// <summary>None, or none that is verified.</summary>
    None,

    /// <summary>CRC-32C.</summary>
    Crc32C,

    /// <summary>CRC-32C, or the <see cref="LegacyChecksum"/> in blocks that formats 1 to 6 wrote.</summary>
    Crc32COrLegacy,
}
