using System.Collections.Generic;
using BigPile.Hash.Access;
using BigPile.Hash.Records;

namespace BigPile.Hash.Upkeep;

/// <summary>Goes through all records, in the order of their hashes: bucket by bucket, each read while nobody changes it.</summary>
/// <remarks>
/// The hash up to which it has come means the same in a file with other buckets. So a rebuild on the way has nothing come twice or not at
/// all: where it is within a bucket, only records from that hash on are taken.
/// </remarks>
internal static class Walk
{
    internal static IEnumerator<HashRecord> Records(Session session)
    {
        var found = new List<HashRecord>();
        ulong from = 0;
        bool isMore = true;
        while (isMore)
        {
            found.Clear();
            isMore = ReadBucket(session, ref from, found);
            foreach (HashRecord record in found)
                yield return record;
        }
    }

    private static bool ReadBucket(Session session, ref ulong from, List<HashRecord> found)
    {
        session.CheckOutside();
        ref Stripe stripe = ref session.Stripes[Stripes.IndexOf(from)];
        Stripes.LockQuietly(ref stripe);
        try
        {
            RecordFile file = session.Store.File;
            long bucket = file.Layout.BucketOf(from);
            Read(session, file, bucket, from, found);
            from = bucket + 1 < file.Layout.Buckets ? file.Layout.FirstHashOf(bucket + 1) : 0;
            return from != 0;
        }
        finally
        {
            Stripes.Unlock(ref stripe);
        }
    }

    /// <summary>Reads the records of a bucket whose hashes are not lower than one. The caller holds the stripe.</summary>
    internal static void Read(Session session, RecordFile file, long bucket, ulong from, List<HashRecord> found)
    {
        var place = new Place { Offset = file.ReadLink(file.Layout.LinkOf(bucket)) };
        if (place.Offset == 0)
            return;
        var room = new byte[RecordFile.RoomBytes];
        var circle = default(CircleWatch);
        for (; place.Offset != 0; place.Offset = place.Head.Next)
        {
            if (!Chains.IsSound(file, bucket, room, ref place, ref circle))
                throw file.Damaged(place.Offset);
            byte[] key = Chains.KeyOf(file, room, place);
            if (session.HashOf(key) < from)
                continue;
            var value = new byte[place.ValueLength];
            if (!file.ReadValue(room, place, value))
                throw file.Damaged(place.Offset);
            found.Add(new HashRecord(key, value));
        }
    }
}
