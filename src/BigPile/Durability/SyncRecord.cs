using System;
using System.Buffers.Binary;
using System.IO;
using BigPile.Layout;
using BigPile.Memory;

namespace BigPile.Durability;

/// <summary>
/// A note, for whoever follows a kill, that the device has the superblock and the catalog as they are: he need not write them through, and
/// wait for a device that is busy with all that the killed process had stored.
/// </summary>
/// <remarks>
/// <code>
/// bytes  0..15  the start of the machine
/// bytes 16..23  the superblock's sequence
/// bytes 24..47  of the superblock's file: the number of its file system, its own number, and the time of its last change
/// bytes 48..71  the same of the catalog's file
/// bytes 72..75  CRC-32C of bytes 0..71
/// </code>
/// It is what the file of the lock holds, and is never written through itself: another start of the machine knows nothing by it. What is
/// done to one of the two files gives it another time, restoring a copy too, and so the note means nothing any more. Steps of the clock
/// are some milliseconds: so the sequence is compared, and the catalog's length is with what the superblock states of it; and before a
/// record that failed is cut off again, a step goes by.
/// Thread safety: <see cref="Store"/> is called by one thread at a time.
/// </remarks>
/// <param name="file">The lock's file, which its owner has open.</param>
internal sealed class SyncRecord(HeldFile file)
{
    private const int SizeBytes = 76;
    private const int SuperblockOffset = 24;
    private const int CatalogOffset = 48;
    private const int ChecksumOffset = 72;

    /// <summary>Whether it says so of the files as they are.</summary>
    /// <param name="bootId">The present start of the machine.</param>
    /// <param name="sequence">The sequence of the superblock that was read.</param>
    /// <param name="superblock">Its file; null where the system does not tell, as for the other one.</param>
    /// <param name="catalog">The catalog's file.</param>
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
            return false; // as without a note
        }
    }

    /// <summary>Says that the device has both, where the system tells enough.</summary>
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
            // what stands there fits nothing: the next owner writes through what the device has already
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
