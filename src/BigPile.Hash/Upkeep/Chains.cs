using System;
using BigPile.Hash.Format;
using BigPile.Hash.Records;

namespace BigPile.Hash.Upkeep;

/// <summary>Walks through the chains of a file that nobody changes meanwhile.</summary>
internal static class Chains
{
    /// <summary>Counts the records.</summary>
    internal static long Count(RecordFile file)
    {
        long records = 0;
        var room = new byte[RecordFile.RoomBytes];
        for (long bucket = 0; bucket < file.Layout.Buckets; bucket++)
        {
            var place = new Place { Offset = file.ReadLink(file.Layout.LinkOf(bucket)) };
            var circle = default(CircleWatch);
            for (; place.Offset != 0; place.Offset = place.Head.Next)
            {
                if (!IsSound(file, bucket, room, ref place, ref circle))
                    throw file.Damaged(place.Offset);
                records++;
            }
        }
        return records;
    }

    /// <summary>Counts those that can be reached.</summary>
    internal static long CountSound(RecordFile file)
    {
        long records = 0;
        var room = new byte[RecordFile.RoomBytes];
        for (long bucket = 0; bucket < file.Layout.Buckets; bucket++)
        {
            var place = new Place { Offset = file.ReadLink(file.Layout.LinkOf(bucket)) };
            var circle = default(CircleWatch);
            for (; place.Offset != 0 && IsSound(file, bucket, room, ref place, ref circle); place.Offset = place.Head.Next)
                records++;
        }
        return records;
    }

    /// <summary>Reads the head of a record of a chain; false when it is none, or of another chain, or was there before.</summary>
    internal static bool IsSound(RecordFile file, long bucket, Span<byte> room, ref Place place, ref CircleWatch circle) =>
        file.TryReadHead(room, ref place) && place.Head.Word.IsLive && !circle.IsClosedBy(place.Offset)
        && file.IsSoundIn(bucket, room, place);

    /// <summary>Reads the key of a record whose head was read.</summary>
    internal static byte[] KeyOf(RecordFile file, ReadOnlySpan<byte> room, in Place place)
    {
        var key = new byte[place.KeyLength];
        file.ReadPart(room, place, RecordHead.Bytes, key);
        return key;
    }
}
