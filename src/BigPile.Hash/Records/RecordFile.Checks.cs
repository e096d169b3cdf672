using System;
using System.Runtime.CompilerServices;
using BigPile.Hash.Format;
using BigPile.Hash.Space;
using BigPile.Memory;
using BigPile.Memory.Checking;

namespace BigPile.Hash.Records;

/// <summary>Checks whether the file has what was stored.</summary>
internal sealed partial class RecordFile
{
    /// <summary>Whether a record, whose head was read, has the key that was stored, and that key belongs to the bucket.</summary>
    /// <remarks>Without tags this must check the whole record.</remarks>
    [SkipLocalsInit]
    internal bool IsSoundIn(long bucket, ReadOnlySpan<byte> buffer, in RecordLocation location)
    {
        if (RecordHead.Bytes + location.KeyLength > location.BufferedBytes || !Layout.HasTags)
            return IsSoundInSlowly(bucket, buffer, location);
        ReadOnlySpan<byte> key = buffer.Slice(RecordHead.Bytes, location.KeyLength);
        return IsKeySound(location, key) && Layout.BucketOf(KeyHash.Of(key, Layout.Seed)) == bucket;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private bool IsSoundInSlowly(long bucket, ReadOnlySpan<byte> buffer, in RecordLocation location)
    {
        int length = Layout.HasTags ? location.KeyLength : location.KeyLength + location.ValueLength;
        using var pooled = new PooledBytes(length, out Span<byte> read);
        ReadPart(buffer, location, RecordHead.Bytes, read);
        bool isSound = Layout.HasTags
            ? IsKeySound(location, read)
            : location.Head.Matches(Crc32C.Add(location.Head.BeginChecksum(location.Offset, Layout.Salt), read));
        return isSound && Layout.BucketOf(KeyHash.Of(read[..location.KeyLength], Layout.Seed)) == bucket;
    }

    /// <summary>Checks that cached buckets are those of the file; for tests, while no bucket changes.</summary>
    /// <exception cref="InvalidOperationException">They are not.</exception>
    internal void CheckInvariants() => _buckets?.CheckInvariants(this);

    /// <summary>Checks that the word of an extent in use states its length, and gives the head; for tests.</summary>
    /// <exception cref="InvalidOperationException">It does not.</exception>
    internal RecordHead CheckHead(Extent extent)
    {
        Span<byte> bytes = stackalloc byte[RecordHead.Bytes];
        File.ReadAt(extent.Offset, bytes);
        RecordHead head = RecordHead.Read(bytes);
        Invariant.True("RecordFile", extent.Offset, "word of this extent", head.Word.IsOf(extent.Offset, Layout.Salt));
        Invariant.Equal("RecordFile", extent.Offset, "stated length", head.Word.Units << Layout.AlignmentShift, extent.Bytes);
        Invariant.Between("RecordFile", extent.Offset, "bytes of the record", head.NeededBytes, RecordHead.Bytes, extent.Bytes);
        return head;
    }

    private bool IsKeySound(in RecordLocation location, ReadOnlySpan<byte> key) =>
        location.Head.HasTagOf(Crc32C.Add(location.Head.BeginChecksum(location.Offset, Layout.Salt), key));

    /// <summary>Finds the link of a bucket's chain that leads to a record, and the tag beside that link; 0 if no link does.</summary>
    internal (long Link, ushort Tag) LinkTo(long bucket, long offset)
    {
        long link = Layout.LinkOf(bucket);
        var cycle = default(CycleDetector);
        long end = Extents.End;
        for (long at = ReadLink(link); at >= Layout.AreaStart && at <= end - RecordHead.Bytes; at = ReadLink(link))
        {
            if (at == offset)
                return (link, link < Layout.AreaStart ? (ushort)0 : RecordHead.TagOfLink((ulong)ReadWord(link)));
            if (cycle.IsClosedBy(at))
                break;
            link = at + RecordHead.NextAt;
        }
        return default;
    }
}

/// <summary>
/// Detects a chain that leads back into itself. Brent's algorithm: each step is compared with the step at the last power of two.
/// </summary>
internal struct CycleDetector
{
    private long _steps;
    private long _limit;
    private long _saved;

    internal bool IsClosedBy(long offset)
    {
        if (offset == _saved)
            return true;
        if (++_steps <= _limit)
            return false;
        _limit = _steps * 2;
        _saved = offset;
        return false;
    }
}
