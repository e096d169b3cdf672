using System;
using System.Buffers.Binary;
using System.IO;
using BigPile.Layout;
using BigPile.Memory;

namespace BigPile.Durability;

/// <summary>
/// Records that the superblock and the catalog are on the device. The owner after a kill can then skip syncing them, which could wait
/// behind everything the killed process had stored.
/// </summary>
/// <remarks>
/// <code>
/// bytes  0..15  the boot id
/// bytes 16..23  the superblock's sequence
/// bytes 24..47  of the superblock's file: the number of its file system, its own number, and the time of its last change
/// bytes 48..71  the same of the catalog's file
/// bytes 72..75  CRC-32C of bytes 0..71
/// </code>
/// Kept in the lock file and never synced itself: after a reboot it means nothing. Any change of one of the two files, also by restoring a
/// copy, changes its time and so invalidates the record. File times advance in steps of some milliseconds. Therefore the superblock's
/// sequence is compared too, the catalog's length is compared with the one that the superblock states, and truncating a failed record waits
/// for the next step. Thread safety: one thread at a time calls <see cref="Store"/>.
/// </remarks>
/// <param name="file">The lock file, open by its owner.</param>
internal sealed class SyncRecord(HeldFile file)
{
    private const int SizeBytes = 76;
    private const int SuperblockOffset = 24;
    private const int CatalogOffset = 48;
    private const int ChecksumOffset = 72;

    /// <summary>Whether the record matches the files as they are now.</summary>
    /// <param name="bootId">The id of this boot.</param>
    /// <param name="sequence">The sequence of the superblock just read.</param>
    /// <param name="superblock">The superblock's file status; null where the system does not report it (also for the catalog).</param>
    /// <param name="catalog">The catalog's file status.</param>
    internal bool Matches(Guid bootId, long sequence, FileStatus? superblock, FileStatus? catalog)
    {
        if (superblock is not { ChangeTime: not 0 } || catalog is not { ChangeTime: not 0 })
            return false;
        try
        {
            var found = new byte[SizeBytes];
            return file.Read(found, 0) == SizeBytes
                && found.AsSpan().SequenceEqual(Encode(bootId, sequence, superblock.Value, catalog.Value));
        }
        catch (IOException)
        {
            return false; // treat as no record
        }
    }

    /// <summary>Records that both files are on the device, if the system reports enough to recognise them.</summary>
    internal void Store(Guid bootId, long sequence, FileStatus? superblock, FileStatus? catalog)
    {
        if (bootId == Guid.Empty || superblock == null || catalog == null)
            return;
        try
        {
            file.Write(Encode(bootId, sequence, superblock.Value, catalog.Value), 0);
        }
        catch (IOException)
        {
            // harmless: a partial record matches nothing, and the next owner syncs the files needlessly
        }
    }

    private static byte[] Encode(Guid bootId, long sequence, FileStatus superblock, FileStatus catalog)
    {
        var bytes = new byte[SizeBytes];
        _ = bootId.TryWriteBytes(bytes);
        BinaryPrimitives.WriteInt64LittleEndian(bytes.AsSpan(16), sequence);
        EncodeStatus(bytes.AsSpan(SuperblockOffset), superblock);
        EncodeStatus(bytes.AsSpan(CatalogOffset), catalog);
        BinaryPrimitives.WriteUInt32LittleEndian(bytes.AsSpan(ChecksumOffset), Checksum.Of(bytes.AsSpan(0, ChecksumOffset)));
        return bytes;
    }

    private static void EncodeStatus(Span<byte> destination, FileStatus status)
    {
        BinaryPrimitives.WriteUInt64LittleEndian(destination, status.Device);
        BinaryPrimitives.WriteUInt64LittleEndian(destination[8..], status.Number);
        BinaryPrimitives.WriteInt64LittleEndian(destination[16..], status.ChangeTime);
    }
}
