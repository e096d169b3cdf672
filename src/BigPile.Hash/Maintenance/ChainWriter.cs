using System.Collections.Generic;
using System.Diagnostics;
using BigPile.Hash.Format;
using BigPile.Hash.Records;

namespace BigPile.Hash.Maintenance;

/// <summary>Links the valid records into their chains.</summary>
internal sealed class ChainWriter(RecordFile file)
{
    internal void Write(long bucket, List<WholeRecord> records)
    {
        long link = file.Layout.LinkOf(bucket);
        ushort tag = 0;
        foreach (WholeRecord record in records)
        {
            Debug.Assert(record.IsLive && file.Layout.BucketOf(record.Hash) == bucket, "The chain is that of the live record.");
            file.WriteLink(link, tag, record.Offset);
            (link, tag) = (record.Offset + RecordHead.NextAt, record.Tag);
        }
        file.WriteLink(link, tag, 0);
    }

    /// <summary>
    /// Inserts the records that are not linked at the front, and unlinks others. After each store the chain is one that a kill could leave.
    /// </summary>
    internal void Repair(long bucket, List<WholeRecord> records, List<WholeRecord> dropped)
    {
        long first = file.Layout.LinkOf(bucket);
        foreach (WholeRecord record in records)
        {
            Debug.Assert(record.IsLive && file.Layout.BucketOf(record.Hash) == bucket, "The chain is that of the live record.");
            if (record.IsLinked)
                continue;
            file.WriteLink(record.Offset + RecordHead.NextAt, record.Tag, file.ReadLink(first));
            file.WriteLink(first, 0, record.Offset);
        }
        foreach (WholeRecord record in dropped)
        {
            (long link, ushort tag) = file.LinkTo(bucket, record.Offset);
            Debug.Assert(link != 0, "The survey has found the record in this chain.");
            file.WriteLink(link, tag, file.ReadLink(record.Offset + RecordHead.NextAt));
        }
    }
}
