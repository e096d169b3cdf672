using System;
using System.Buffers.Binary;
using System.Diagnostics;
using System.Numerics;
using BigPile.Memory;

namespace BigPile.Hash.Format;

/// <summary>The immutable part of the file header: the first sector, with a copy at <see cref="CopyAt"/>.</summary>
/// <remarks>
/// Bytes 0..7: the magic word, written last. 8..11: the version. 12..15: bytes of a bucket. 16..19: the alignment. 24..31: number of
/// buckets. 32..39: the salt of this file's checksums. 40..47: the seed of the key hashes, which a rebuilt file inherits. 48..51: the
/// checksum of 8..47. The header of 4 KiB is followed by the buckets, and these, from a multiple of 4 KiB on, by the extents.
/// </remarks>
internal sealed record FileLayout(int Version, int OffsetWidth, int Alignment, long Buckets, ulong Salt, ulong Seed)
{
    internal const int HeadBytes = 4096;
    internal const int Bytes = 52;
    internal const ulong Magic = 0x0148_5341_4850_4942; // "BIPHASH", 1

    /// <summary>The version of new files. Files of version 1 have no key tags, and no copy of the first sector.</summary>
    internal const int Newest = 2;

    /// <summary>
    /// Offset of the copy of the first sector: without that sector no extent could be read, so one bad sector must not be fatal.
    /// </summary>
    internal const int CopyAt = 2048;

    private const long LinkedBytes = 1L << RecordHead.TagShift; // the offsets that fit into a link beside the tag

    /// <summary>Offset of the first extent.</summary>
    internal long AreaStart { get; } = (HeadBytes + Buckets * OffsetWidth + HeadBytes - 1) / HeadBytes * HeadBytes;

    internal int AlignmentShift { get; } = BitOperations.Log2((uint)Alignment);

    /// <summary>The largest size of the file, limited by the width of its offsets.</summary>
    internal long MaxBytes => OffsetWidth == 4 ? (long)Alignment << 32 : LinkedBytes;

    /// <summary>Whether each record has a tag, which verifies its header and key without the value.</summary>
    internal bool HasTags => Version > 1;

    private int BucketShift { get; } = 64 - BitOperations.Log2((ulong)Buckets);

    internal HashTuning Tuning => new() { Alignment = Alignment, Buckets = Buckets, OffsetWidth = OffsetWidth };

    internal long BucketOf(ulong hash) => (long)(hash >> BucketShift);

    internal ulong FirstHashOf(long bucket)
    {
        Debug.Assert(bucket >= 0 && bucket < Buckets, "The bucket is one of the file.");
        return (ulong)bucket << BucketShift;
    }

    /// <summary>The offset of a bucket; of the number of buckets, their end.</summary>
    internal long LinkOf(long bucket)
    {
        Debug.Assert(bucket >= 0 && bucket <= Buckets, "The bucket is one of the file, or their end.");
        return HeadBytes + bucket * OffsetWidth;
    }

    internal long BucketAt(long link)
    {
        Debug.Assert(IsBucket(link), "A bucket is at the offset.");
        return (link - HeadBytes) / OffsetWidth;
    }

    /// <summary>Whether a bucket begins at the offset; for assertions, which tests run.</summary>
    internal bool IsBucket(long link) =>
        link >= HeadBytes && link < LinkOf(Buckets) && ((link - HeadBytes) & (OffsetWidth - 1)) == 0;

    internal void Write(Span<byte> destination)
    {
        BinaryPrimitives.WriteUInt64LittleEndian(destination, Magic);
        BinaryPrimitives.WriteInt32LittleEndian(destination[8..], Version);
        BinaryPrimitives.WriteInt32LittleEndian(destination[12..], OffsetWidth);
        BinaryPrimitives.WriteInt32LittleEndian(destination[16..], Alignment);
        BinaryPrimitives.WriteInt64LittleEndian(destination[24..], Buckets);
        BinaryPrimitives.WriteUInt64LittleEndian(destination[32..], Salt);
        BinaryPrimitives.WriteUInt64LittleEndian(destination[40..], Seed);
        BinaryPrimitives.WriteUInt32LittleEndian(destination[48..], ChecksumOf(destination));
    }

    /// <summary>Whether the bytes are an intact first sector, or an intact copy of it.</summary>
    internal static bool IsWhole(ReadOnlySpan<byte> source) =>
        BinaryPrimitives.ReadUInt64LittleEndian(source) == Magic
        && BinaryPrimitives.ReadUInt32LittleEndian(source[48..]) == ChecksumOf(source);

    /// <summary>Reads the first sector, and validates every field.</summary>
    internal static FileLayout Read(ReadOnlySpan<byte> source, string path, long size)
    {
        if (BinaryPrimitives.ReadUInt64LittleEndian(source) != Magic)
        {
            throw new HashDatabaseCorruptException(
                $"'{path}' is no hash database, or damaged at offset 0: its first 8 bytes are not those of one. Name another file, "
                + HashDatabaseCorruptException.Remedy);
        }
        if (BinaryPrimitives.ReadUInt32LittleEndian(source[48..]) != ChecksumOf(source))
        {
            throw new HashDatabaseCorruptException(
                $"The head of '{path}' is damaged: bytes 8 to 47 do not match the checksum at offset 48. "
                + HashDatabaseCorruptException.RemedyFirst);
        }
        int version = BinaryPrimitives.ReadInt32LittleEndian(source[8..]);
        if (version is < 1 or > Newest)
        {
            throw new HashDatabaseException(
                $"'{path}' is of version {(uint)version:N0}, and this library reads 1 to {Newest}. Use the newer one.");
        }
        int width = BinaryPrimitives.ReadInt32LittleEndian(source[12..]);
        int alignment = BinaryPrimitives.ReadInt32LittleEndian(source[16..]);
        long buckets = BinaryPrimitives.ReadInt64LittleEndian(source[24..]);
        bool isMade = width is 4 or 8 && alignment is >= 8 and <= 4096 && BitOperations.IsPow2(alignment)
            && buckets is >= HashTuning.MinBuckets and <= HashTuning.MaxBuckets && BitOperations.IsPow2(buckets);
        var layout = isMade
            ? new FileLayout(version, width, alignment, buckets, BinaryPrimitives.ReadUInt64LittleEndian(source[32..]),
                BinaryPrimitives.ReadUInt64LittleEndian(source[40..]))
            : throw new HashDatabaseCorruptException(
                $"The head of '{path}' has invalid settings at offset 12. Restore it from a copy.");
        return layout.AreaStart <= size ? layout : throw new HashDatabaseCorruptException(
            $"'{path}' has {size:N0} bytes, and its head says that its {buckets:N0} buckets end at {layout.AreaStart:N0}. "
            + HashDatabaseCorruptException.RemedyFirst);
    }

    private static uint ChecksumOf(ReadOnlySpan<byte> head) => ~Crc32C.Add(Crc32C.Seed, head[8..48]);
}
