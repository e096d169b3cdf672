using System.Collections.Generic;
using System.Diagnostics;
using BigPile.Hash.Format;

namespace BigPile.Hash.Maintenance;

/// <summary>An intact record or tombstone.</summary>
internal readonly record struct WholeRecord(ulong Hash, long Offset, long Sequence, uint Units, ushort Tag, ExtentKind Kind, bool IsLinked)
{
    internal bool IsLive => Kind is ExtentKind.Live or ExtentKind.LiveHiding;
}

/// <summary>The intact records of a range of buckets, in memory. The range shrinks when there are too many.</summary>
internal sealed class RecoveryIndex(FileLayout layout, int most)
{
    private readonly List<WholeRecord> _records = [];
    private long _from;

    /// <summary>The end of the range.</summary>
    internal long To { get; private set; }

    /// <summary>Starts another range.</summary>
    internal void Begin(long from, long to)
    {
        Debug.Assert(from < to && to <= layout.Buckets, "The range has buckets of the file.");
        _records.Clear();
        (_from, To) = (from, to);
    }

    /// <summary>Adds a record, if its bucket is in the range.</summary>
    internal void Add(in WholeRecord record)
    {
        long bucket = layout.BucketOf(record.Hash);
        if (bucket < _from || bucket >= To)
            return;
        _records.Add(record);
        while (_records.Count > most && To > _from + 1)
        {
            To = _from + (To - _from) / 2;
            Debug.Assert(To > _from, "The range keeps its first bucket.");
            _records.RemoveAll(one => layout.BucketOf(one.Hash) >= To);
        }
    }

    /// <summary>Sorts the records by hash, and so by bucket and key; the newest first.</summary>
    internal List<WholeRecord> Sort()
    {
        _records.Sort(static (one, other) =>
            one.Hash != other.Hash ? one.Hash.CompareTo(other.Hash) : other.Sequence.CompareTo(one.Sequence));
        return _records;
    }
}
