using System.Collections.Generic;
using System.Diagnostics;
using BigPile.Hash.Records;

namespace BigPile.Hash.Maintenance;

/// <summary>Finds the records that chains lead to, in a file whose process was killed. Except for damage, its chains are valid.</summary>
/// <remarks>Handles some buckets at a time, since it keeps its findings in memory.</remarks>
internal sealed class ChainSurvey(RecordFile file)
{
    // The records in chains, by ascending offset after Run.
    private readonly List<(long Offset, long Bucket)> _linked = [];
    private readonly List<long> _damagedBuckets = []; // with one entry for each damage
    private readonly HashSet<long> _broken = [];
    private readonly HashSet<long> _damagedExtents = [];
    private readonly byte[] _buffer = new byte[RecordFile.BufferBytes];
    // The position of the pass in _linked.
    private int _next;

    /// <summary>The number of damaged places, without those of buckets still to come.</summary>
    internal long Damaged { get; private set; }

    /// <summary>Walks the chains of some buckets.</summary>
    /// <param name="from">The first bucket.</param>
    /// <param name="to">The end of the range.</param>
    /// <param name="most">Stops after so many records.</param>
    /// <returns>The end of the buckets that were walked.</returns>
    internal long Run(long from, long to, int most)
    {
        _linked.Clear();
        _damagedBuckets.Clear();
        _broken.Clear();
        _next = 0;
        Debug.Assert(from < to && most > 0, "Each part has at least one bucket.");
        for (; from < to && _linked.Count < most; from++)
            Walk(from);
        _linked.Sort();
        return from;
    }

    /// <summary>Whether a record is linked. Must be called for every intact or torn record, in ascending order of offsets.</summary>
    internal bool IsLinked(long offset, bool isWhole)
    {
        Debug.Assert(_next == 0 || _linked[_next - 1].Offset < offset, "Records come by ascending offset.");
        for (; _next < _linked.Count && _linked[_next].Offset <= offset; _next++)
        {
            bool isThere = _linked[_next].Offset == offset;
            if (!isThere || !isWhole)
                RecordDamage(_linked[_next].Bucket, _linked[_next].Offset);
            if (isThere)
            {
                _next++;
                return true;
            }
        }
        return false;
    }

    /// <summary>Whether a chain is damaged.</summary>
    internal bool IsBroken(long bucket) => _broken.Contains(bucket);

    /// <summary>The buckets whose chains are damaged.</summary>
    internal IEnumerable<long> Broken => _broken;

    internal bool IsDamaged(long offset) => _damagedExtents.Contains(offset);

    /// <summary>Ends the pass over the records: counts the damage of the buckets below one.</summary>
    internal void EndBefore(long bucket)
    {
        for (; _next < _linked.Count; _next++)
            RecordDamage(_linked[_next].Bucket, _linked[_next].Offset);
        foreach (long damaged in _damagedBuckets)
            Damaged += damaged < bucket ? 1 : 0;
    }

    private void Walk(long bucket)
    {
        var location = new RecordLocation { Offset = file.ReadLink(file.Layout.LinkOf(bucket)) };
        var cycle = default(CycleDetector);
        for (; location.Offset != 0; location.Offset = location.Head.Next)
        {
            if (!Chains.IsSound(file, bucket, _buffer, ref location, ref cycle))
            {
                RecordDamage(bucket, location.Offset);
                return;
            }
            _linked.Add((location.Offset, bucket));
        }
    }

    private void RecordDamage(long bucket, long offset)
    {
        _damagedBuckets.Add(bucket);
        _broken.Add(bucket);
        _damagedExtents.Add(offset);
    }
}
