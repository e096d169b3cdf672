using System;
using System.Buffers.Binary;
using System.Collections.Generic;
using System.IO;
using BigPile.Memory;

namespace BigPile.Durability;

/// <summary>Reading the log back.</summary>
internal sealed partial class FlushLog
{
    /// <summary>Reads the valid batches of the current epoch. Damage before a valid batch is a fault of the pile.</summary>
    internal IEnumerable<Batch> Read()
    {
        using HeldFile? file = _directory.Files.TryOpen(NameOf(_directory.Superblock.LogEpoch), FileAccess.Read);
        if (file == null)
            yield break;
        byte[] all = file.ReadAll();
        int at = 0;
        while (TryRead(all.AsMemory(at), out Batch batch))
        {
            yield return batch;
            at += HeadBytes + batch.Body.Length;
        }
        ReportLost(all.AsMemory(at), at);
    }

    // A torn last batch is normal: its flush had not ended. But a valid batch behind a damaged one proves that both were flushed.
    private void ReportLost(ReadOnlyMemory<byte> rest, long offsetBytes)
    {
        Span<byte> magic = stackalloc byte[sizeof(ulong)];
        BinaryPrimitives.WriteUInt64LittleEndian(magic, Magic);
        for (int at = 0; rest.Span[at..].IndexOf(magic) is >= 0 and int found; at++) // magic alone proves nothing: payloads may contain it
        {
            at += found;
            if (!TryRead(rest[at..], out Batch batch))
                continue;
            _directory.Faults.Add(new PileFault(
                _directory.PathOf(NameOf(_directory.Superblock.LogEpoch)),
                $"byte {offsetBytes:N0} begins no batch, and a whole one follows at byte {offsetBytes + at:N0}: what was flushed from "
                + "there on is lost", batch.Body.Length));
            return;
        }
    }

    private bool TryRead(ReadOnlyMemory<byte> rest, out Batch batch)
    {
        batch = default;
        ReadOnlySpan<byte> bytes = rest.Span;
        // A batch of an earlier epoch ends the log as zeros do: the file is used again without being cleared.
        if (bytes.Length < HeadBytes || BinaryPrimitives.ReadUInt64LittleEndian(bytes) != Magic
            || BinaryPrimitives.ReadInt64LittleEndian(bytes[8..]) != _directory.Superblock.LogEpoch)
        {
            return false;
        }
        int lengthBytes = BinaryPrimitives.ReadInt32LittleEndian(bytes[16..]);
        if (lengthBytes < 0 || lengthBytes > bytes.Length - HeadBytes) // torn, or no batch: the length is not checked yet
            return false;
        bytes = bytes[..(HeadBytes + lengthBytes)];
        batch = new Batch(BinaryPrimitives.ReadUInt64LittleEndian(bytes[24..]), rest.Slice(HeadBytes, lengthBytes));
        return BinaryPrimitives.ReadUInt32LittleEndian(bytes[20..]) == ChecksumOf(bytes);
    }
}
