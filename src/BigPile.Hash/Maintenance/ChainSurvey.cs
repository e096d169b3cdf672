using System.Collections.Generic;
using BigPile.Hash.Records;

namespace BigPile.Hash.Maintenance;

/// <summary>Which records the chains lead to, of a file whose process was killed: but for damage they are right then.</summary>
/// <remarks>It goes through some buckets at a time, since it keeps what it finds in memory.</remarks>
internal sealed class ChainSurvey(RecordFile file)
{
    private readonly List<(long Offset, long Bucket)> _linked = [];
    private readonly List<long> _damagedBuckets = []; // each as often as there is damage
    private readonly HashSet<long> _broken = [];
    private readonly HashSet<long> _damagedExtents = [];
    private readonly byte[] _buffer = new byte[RecordFile.BufferBytes];
    private int _next;

    /// <summary>The places where damage is; those of buckets that come later are not among them.</summary>
    internal long Damaged { get; private set; }

    /// <summary>Walks through the chains of some buckets.</summary>
    /// <param name="from">The first bucket.</param>
    /// <param name="to">The one behind the last.</param>
    /// <param name="most">How many records are enough.</param>
    /// <returns>The bucket behind the last one that was walked through.</returns>
    internal long Run(long from, long to, int most)
    {
        _linked.Clear();
        _damagedBuckets.Clear();
        _broken.Clear();
        _next = 0;
        for (; from < to && _linked.Count < most; from++)
            Walk(from);
        _linked.Sort();
        return from;
    }

    /// <summary>Whether a record is linked. To be asked of each one that is whole or torn, in the order of offsets.</summary>
    internal bool IsLinked(long offset, bool isWhole)
    {
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

    /// <summary>Whether a chain lacks something.</summary>
    internal bool IsBroken(long bucket) => _broken.Contains(bucket);

    /// <summary>The buckets whose chains lack something.</summary>
    internal IEnumerable<long> Broken => _broken;

    /// <summary>Whether a room has damage that was counted.</summary>
    internal bool IsDamaged(long offset) => _damagedExtents.Contains(offset);

    /// <summary>When all rooms were asked for: counts the damage of the buckets up to one.</summary>
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
