using System.Collections.Generic;
using BigPile.Hash.Format;

namespace BigPile.Hash.Maintenance;

/// <summary>A record or tombstone that is whole.</summary>
internal readonly record struct WholeRecord(ulong Hash, long Offset, long Sequence, uint Units, ushort Tag, ExtentKind Kind, bool IsLinked)
{
    internal bool IsLive => Kind is ExtentKind.Live or ExtentKind.LiveHiding;
}

/// <summary>The whole records of some buckets, in memory: as many as there may be, then of fewer buckets.</summary>
internal sealed class RecoveryIndex(FileLayout layout, int most)
{
    private readonly List<WholeRecord> _records = [];
    private long _from;

    /// <summary>The bucket behind the last one whose records are here.</summary>
    internal long To { get; private set; }

    /// <summary>Begins with other buckets.</summary>
    internal void Begin(long from, long to)
    {
        _records.Clear();
        (_from, To) = (from, to);
    }

    /// <summary>Takes a record of any bucket.</summary>
    internal void Add(in WholeRecord record)
    {
        long bucket = layout.BucketOf(record.Hash);
        if (bucket < _from || bucket >= To)
            return;
        _records.Add(record);
        while (_records.Count > most && To > _from + 1)
        {
            To = _from + (To - _from) / 2;
            _records.RemoveAll(one => layout.BucketOf(one.Hash) >= To);
        }
    }

    /// <summary>All of them: bucket by bucket, key by key but for hashes that meet, the newest first.</summary>
    internal List<WholeRecord> Sort()
    {
        _records.Sort(static (one, other) =>
            one.Hash != other.Hash ? one.Hash.CompareTo(other.Hash) : other.Sequence.CompareTo(one.Sequence));
        return _records;
    }
}
