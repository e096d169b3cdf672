using System;
using BigPile.Hash.Format;
using BigPile.Hash.Records;

namespace BigPile.Hash.Maintenance;

/// <summary>Walks the chains of a file that does not change meanwhile.</summary>
internal static class Chains
{
    /// <summary>Counts the records.</summary>
    /// <param name="file">The file.</param>
    /// <param name="toleratesDamage">Whether to end a chain at damage. Otherwise damage is thrown.</param>
    internal static long Count(RecordFile file, bool toleratesDamage)
    {
        long records = 0;
        var buffer = new byte[RecordFile.BufferBytes];
        for (long bucket = 0; bucket < file.Layout.Buckets; bucket++)
        {
            var location = new RecordLocation { Offset = file.ReadLink(file.Layout.LinkOf(bucket)) };
            var cycle = default(CycleDetector);
            for (; location.Offset != 0 && IsSound(file, bucket, buffer, ref location, ref cycle); location.Offset = location.Head.Next)
                records++;
            if (location.Offset != 0 && !toleratesDamage)
                throw file.CorruptAt(location.Offset);
        }
        return records;
    }

    /// <summary>
    /// Reads the head of a record of a chain; <see langword="false"/> if it is invalid, belongs to another chain, or closes a cycle.
    /// </summary>
    internal static bool IsSound(RecordFile file, long bucket, Span<byte> buffer, ref RecordLocation location, ref CycleDetector cycle) =>
        file.TryReadHead(buffer, ref location) && location.Head.Word.IsLive && !cycle.IsClosedBy(location.Offset)
        && file.IsSoundIn(bucket, buffer, location);

    /// <summary>Reads the key of a record whose head was read.</summary>
    internal static byte[] KeyOf(RecordFile file, ReadOnlySpan<byte> buffer, in RecordLocation location)
    {
        var key = new byte[location.KeyLength];
        file.ReadPart(buffer, location, RecordHead.Bytes, key);
        return key;
    }
}
