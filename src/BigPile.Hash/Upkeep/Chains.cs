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
                if (!file.TryReadHead(room, ref place) || circle.IsClosedBy(place.Offset))
                    throw file.Damaged(place.Offset);
                records += place.Head.Word.IsLive ? 1 : 0;
            }
        }
        return records;
    }

    /// <summary>Reads the key of a record whose head was read.</summary>
    internal static byte[] KeyOf(RecordFile file, ReadOnlySpan<byte> room, in Place place)
    {
        var key = new byte[place.KeyLength];
        file.ReadPart(room, place, RecordHead.Bytes, key);
        return key;
    }
}
