using System.Collections.Generic;
using System.Diagnostics;
using BigPile.Hash.Access;
using BigPile.Hash.Records;

namespace BigPile.Hash.Maintenance;

/// <summary>Enumerates all records in the order of their hashes, bucket by bucket, each read under its stripe.</summary>
/// <remarks>
/// The position is a hash, which means the same in a file with another number of buckets. So a rebuild during the enumeration makes no
/// record appear twice or not at all: of the current bucket, only records from that hash on are returned.
/// </remarks>
internal static class Walk
{
    internal static IEnumerator<HashRecord> Records(DatabaseState database)
    {
        var found = new List<HashRecord>();
        ulong from = 0;
        bool isMore = true;
        while (isMore)
        {
            found.Clear();
            isMore = ReadBucket(database, ref from, found);
            foreach (HashRecord record in found)
                yield return record;
        }
    }

    private static bool ReadBucket(DatabaseState database, ref ulong from, List<HashRecord> found)
    {
        database.ThrowIfInCallback();
        ref Stripe stripe = ref database.Stripes[SeqLockStripes.IndexOf(from)];
        stripe.Lock.Enter();
        try
        {
            RecordFile file = database.Store.File;
            long bucket = file.Layout.BucketOf(from);
            Read(database, file, bucket, from, found);
            from = bucket + 1 < file.Layout.Buckets ? file.Layout.FirstHashOf(bucket + 1) : 0;
            return from != 0;
        }
        finally
        {
            SeqLockStripes.Unlock(ref stripe);
        }
    }

    /// <summary>Reads the records of a bucket whose hashes are at least <paramref name="from"/>. The caller holds the stripe.</summary>
    internal static void Read(DatabaseState database, RecordFile file, long bucket, ulong from, List<HashRecord> found)
    {
        Debug.Assert(database.IsHeld(SeqLockStripes.IndexOf(file.Layout.FirstHashOf(bucket))), "No record of the bucket changes.");
        var location = new RecordLocation { Offset = file.ReadLink(file.Layout.LinkOf(bucket)) };
        if (location.Offset == 0)
            return;
        var buffer = new byte[RecordFile.BufferBytes];
        var cycle = default(CycleDetector);
        for (; location.Offset != 0; location.Offset = location.Head.Next)
        {
            if (!Chains.IsSound(file, bucket, buffer, ref location, ref cycle))
                throw file.CorruptAt(location.Offset);
            byte[] key = Chains.KeyOf(file, buffer, location);
            if (database.HashOf(key) < from)
                continue;
            var value = new byte[location.ValueLength];
            if (!file.ReadValue(buffer, location, value))
                throw file.CorruptAt(location.Offset);
            found.Add(new HashRecord(key, value));
        }
    }
}
