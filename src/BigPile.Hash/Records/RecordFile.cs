using System;
using System.Buffers.Binary;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using BigPile.Files;
using BigPile.Hash.Format;
using BigPile.Hash.Space;
using BigPile.Memory;

namespace BigPile.Hash.Records;

/// <summary>Reads and writes the links and records of a file. The caller does all locking.</summary>
internal sealed partial class RecordFile
{
    /// <summary>The size that a caller's buffer should have, so that most records are read in one call.</summary>
    internal const int BufferBytes = 256;

    private const int MappedFirstReadBytes = 64; // copying more than needed costs more than a second read
    private const int OneWriteBytes = 1024;

    // How much the first read of a record takes, in bytes.
    private readonly int _firstReadBytes;
    // null if buckets are read from the file.
    private BucketCache? _buckets;

    internal RecordFile(IBlockFile file, FileLayout layout)
    {
        File = file;
        Layout = layout;
        _firstReadBytes = file.Kind is BlockFileKind.MappedParallel or BlockFileKind.MappedAtomic ? MappedFirstReadBytes : BufferBytes;
        Extents = new ExtentAllocator(file, layout);
    }

    internal IBlockFile File { get; }

    internal FileLayout Layout { get; }

    internal ExtentAllocator Extents { get; }

    /// <summary>The record that a link leads to, or 0.</summary>
    internal long ReadLink(long link)
    {
        Debug.Assert(link >= Layout.AreaStart || Layout.IsBucket(link), "The header and the inside of a bucket are no links.");
        if (link >= Layout.AreaStart)
            return RecordHead.NextOf((ulong)ReadWord(link));
        if (_buckets is { } buckets)
            return buckets.Read(link);
        if (Layout.OffsetWidth == sizeof(long))
            return ReadWord(link);
        Span<byte> word = stackalloc byte[sizeof(uint)];
        File.ReadAt(link, word);
        return (long)BinaryPrimitives.ReadUInt32LittleEndian(word) << Layout.AlignmentShift;
    }

    /// <summary>Stores a link. It is one store, so it is atomic.</summary>
    /// <param name="link">The link.</param>
    /// <param name="tag">If the link is in a record, the tag of that record.</param>
    /// <param name="target">The record, or 0.</param>
    internal void WriteLink(long link, ushort tag, long target)
    {
        Debug.Assert(link >= Layout.AreaStart || Layout.IsBucket(link), "The header and the inside of a bucket are no links.");
        Debug.Assert(link < Layout.AreaStart || (link & (Layout.Alignment - 1)) == (RecordHead.NextAt & (Layout.Alignment - 1)),
            "A record has its link in word 1.");
        Debug.Assert(tag == 0 || link >= Layout.AreaStart, "A bucket has no tag.");
        if (link >= Layout.AreaStart)
        {
            WriteWord(link, (long)RecordHead.LinkOf(target, tag));
            return;
        }
        BucketCache? buckets = _buckets;
        try
        {
            WriteBucket(link, target);
        }
        catch
        {
            _buckets = null; // the file may have either value: from now on read it
            throw;
        }
        buckets?.Write(link, target);
    }

    /// <summary>Caches the buckets in memory, if reading one is a system call.</summary>
    internal void CacheBuckets()
    {
        if (File.Kind is BlockFileKind.MappedParallel or BlockFileKind.MappedAtomic || Layout.Buckets > BucketCache.MostBuckets)
            return;
        _buckets = null;
        _buckets = BucketCache.Load(this);
    }

    internal void EmptyBuckets()
    {
        bool wasCached = _buckets != null;
        _buckets = null;
        var zeros = new byte[Math.Min(1 << 20, Layout.AreaStart - FileLayout.HeadBytes)];
        for (long at = FileLayout.HeadBytes; at < Layout.AreaStart; at += zeros.Length)
            File.WriteAt(at, zeros.AsSpan(0, (int)Math.Min(zeros.Length, Layout.AreaStart - at)));
        if (wasCached)
            CacheBuckets();
    }

    /// <summary>Empties all buckets, and cuts the file behind them. The allocator is not reset.</summary>
    internal void CutToBuckets()
    {
        EmptyBuckets();
        File.Truncate(Layout.AreaStart);
        Debug.Assert(File.Size == Layout.AreaStart, "The file ends behind its buckets.");
    }

    private void WriteBucket(long link, long target)
    {
        if (Layout.OffsetWidth == sizeof(long))
        {
            WriteWord(link, target);
            return;
        }
        Span<byte> word = stackalloc byte[sizeof(uint)];
        BinaryPrimitives.WriteUInt32LittleEndian(word, (uint)(target >> Layout.AlignmentShift));
        File.WriteAt(link, word);
    }

    /// <summary>Looks up a key.</summary>
    /// <param name="key">The key.</param>
    /// <param name="hash">Its hash.</param>
    /// <param name="buffer">Receives the beginning of the record.</param>
    /// <param name="location">Receives the location.</param>
    /// <param name="readsValue">Whether the caller reads the value next, and so verifies the checksum.</param>
    [SkipLocalsInit]
    internal LookupResult Find(ReadOnlySpan<byte> key, ulong hash, Span<byte> buffer, out RecordLocation location, bool readsValue)
    {
        long bucket = Layout.BucketOf(hash);
        location = default;
        location.Link = Layout.LinkOf(bucket);
        location.First = location.Offset = ReadLink(location.Link);
        var cycle = default(CycleDetector);
        while (location.Offset != 0)
        {
            if (!TryReadHead(buffer, ref location) || !location.Head.Word.IsLive || cycle.IsClosedBy(location.Offset))
                return LookupResult.Invalid;
            if (location.KeyLength == key.Length && HasKey(key, buffer, location))
            {
                bool isSound = readsValue || (Layout.HasTags ? IsKeySound(location, key) : IsSoundIn(bucket, buffer, location));
                return isSound ? LookupResult.Found : LookupResult.Invalid;
            }
            if (!IsSoundIn(bucket, buffer, location))
                return LookupResult.Invalid; // the damaged key may be the one
            location.Link = location.Offset + RecordHead.NextAt;
            location.LinkTag = location.Head.Tag;
            location.Offset = location.Head.Next;
        }
        (location.Link, location.LinkTag) = (Layout.LinkOf(bucket), 0); // a new record is inserted at the front of its chain
        return LookupResult.Absent;
    }

    /// <summary>Reads a head, and some bytes behind it, in one call; <see langword="false"/> if no record can be there.</summary>
    internal bool TryReadHead(Span<byte> buffer, ref RecordLocation location)
    {
        long end = Extents.End;
        long offset = location.Offset;
        if (offset < Layout.AreaStart || (offset & (Layout.Alignment - 1)) != 0 || offset > end - RecordHead.Bytes)
            return false;
        Debug.Assert(buffer.Length >= _firstReadBytes, "The buffer takes the first read.");
        location.BufferedBytes = (int)Math.Min(_firstReadBytes, end - offset);
        File.ReadAt(offset, buffer[..location.BufferedBytes]);
        location.Head = RecordHead.Read(buffer);
        return location.Head.Fits(offset, end, Layout.AlignmentShift, Layout.Salt);
    }

    /// <summary>Copies a value; <see langword="false"/> if the record does not match its checksum.</summary>
    [SkipLocalsInit]
    internal bool ReadValue(ReadOnlySpan<byte> buffer, in RecordLocation location, Span<byte> value)
    {
        Debug.Assert(value.Length == location.ValueLength, "The checksum is of the whole value.");
        ReadPart(buffer, location, RecordHead.Bytes + location.KeyLength, value);
        uint checksum = AddKey(location.Head.BeginChecksum(location.Offset, Layout.Salt), buffer, location);
        return location.Head.Matches(Crc32C.Add(checksum, value));
    }

    /// <summary>Copies a part of a record, as far as possible from the buffer.</summary>
    internal void ReadPart(ReadOnlySpan<byte> buffer, in RecordLocation location, int from, Span<byte> destination)
    {
        Debug.Assert(from >= 0 && from + destination.Length <= location.Head.NeededBytes, "The part is one of the record.");
        int known = Math.Clamp(location.BufferedBytes - from, 0, destination.Length);
        if (known > 0)
            buffer.Slice(from, known).CopyTo(destination);
        if (known < destination.Length)
            File.ReadAt(location.Offset + from + known, destination[known..]);
    }

    /// <summary>Writes a whole record to an extent that no link leads to yet.</summary>
    [SkipLocalsInit]
    internal void WriteRecord(
        long offset, ExtentWord word, long next, long sequence, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        int bytes = RecordHead.Bytes + key.Length + value.Length;
        Debug.Assert(bytes <= word.Units << Layout.AlignmentShift, "The extent has the bytes of the record.");
        Debug.Assert(word.IsOf(offset, Layout.Salt), "The word is that of the extent.");
        if (bytes <= OneWriteBytes)
        {
            Span<byte> image = stackalloc byte[OneWriteBytes];
            Compose(image, offset, word, next, sequence, key, value);
            File.WriteAt(offset, image[..bytes]);
            return;
        }
        using var pooled = new PooledBytes(bytes, out Span<byte> large);
        Compose(large, offset, word, next, sequence, key, value);
        File.WriteAt(offset, large);
    }

    /// <summary>Marks an extent dead: its word says so, and its checksum is cleared.</summary>
    internal void MarkDead(Extent extent)
    {
        Debug.Assert((extent.Bytes & (Layout.Alignment - 1)) == 0, "The word states the length in whole units.");
        Debug.Assert(extent.Offset >= Layout.AreaStart && extent.Bytes <= Extents.End - extent.Offset, "The extent is in the area.");
        Span<byte> head = stackalloc byte[RecordHead.Bytes];
        head.Clear();
        var word = ExtentWord.Of(extent.Bytes >> Layout.AlignmentShift, ExtentKind.Dead, extent.Offset, Layout.Salt);
        BinaryPrimitives.WriteUInt64LittleEndian(head, word.Bits);
        File.WriteAt(extent.Offset, head[..(int)Math.Min(head.Length, extent.Bytes)]);
    }

    /// <summary>Makes the exception for damage at an offset.</summary>
    internal HashDatabaseCorruptException CorruptAt(long offset) => new(
        $"'{File.Path}' is damaged: the bytes at offset {offset:N0} are no record of this file, or do not match their checksum. "
        + "HashDatabase.Verify says what else is. " + HashDatabaseCorruptException.RemedyFirst);

    // The checksum is computed from the copy: the caller's bytes might change meanwhile.
    private void Compose(
        Span<byte> image, long offset, ExtentWord word, long next, long sequence, ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        Debug.Assert(image.Length >= RecordHead.Bytes + key.Length + value.Length, "The image takes the whole record.");
        Span<byte> keyCopy = image.Slice(RecordHead.Bytes, key.Length);
        Span<byte> valueCopy = image.Slice(RecordHead.Bytes + key.Length, value.Length);
        key.CopyTo(keyCopy);
        value.CopyTo(valueCopy);
        RecordHead.Of(word, next, sequence, keyCopy, valueCopy, offset, Layout).Write(image);
    }

    private bool HasKey(ReadOnlySpan<byte> key, ReadOnlySpan<byte> buffer, in RecordLocation location)
    {
        if (RecordHead.Bytes + key.Length <= location.BufferedBytes)
            return buffer.Slice(RecordHead.Bytes, key.Length).SequenceEqual(key);
        using var pooled = new PooledBytes(key.Length, out Span<byte> read);
        ReadPart(buffer, location, RecordHead.Bytes, read);
        return read.SequenceEqual(key);
    }

    private uint AddKey(uint checksum, ReadOnlySpan<byte> buffer, in RecordLocation location)
    {
        if (RecordHead.Bytes + location.KeyLength <= location.BufferedBytes)
            return Crc32C.Add(checksum, buffer.Slice(RecordHead.Bytes, location.KeyLength));
        using var pooled = new PooledBytes(location.KeyLength, out Span<byte> key);
        ReadPart(buffer, location, RecordHead.Bytes, key);
        return Crc32C.Add(checksum, key);
    }

    private long ReadWord(long offset)
    {
        Span<byte> word = stackalloc byte[sizeof(long)];
        File.ReadAt(offset, word);
        return BinaryPrimitives.ReadInt64LittleEndian(word);
    }

    private void WriteWord(long offset, long value)
    {
        Span<byte> word = stackalloc byte[sizeof(long)];
        BinaryPrimitives.WriteInt64LittleEndian(word, value);
        File.WriteAt(offset, word);
    }
}

/// <summary>The result of a lookup.</summary>
internal enum LookupResult
{
    Absent,
    Found,

    /// <summary>The bytes are invalid: they are being changed, or damaged.</summary>
    Invalid,
}
