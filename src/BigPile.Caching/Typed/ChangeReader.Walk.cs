using System.Collections.Generic;
using BigPile.Access;
using BigPile.Caching.Entries;
using BigPile.Caching.Index;
using BigPile.Caching.Keys;
using BigPile.Caching.Tables;
using BigPile.Checking;
using BigPile.Memory.Checking;

namespace BigPile.Caching.Typed;

/// <summary>The steps of a reader's walk: through the index, and then through the spill file.</summary>
internal sealed partial class ChangeReader<TKey, TValue>
{
    private const int EntriesAStep = 256;
    private const long ValueBytesAStep = 1 << 20; // more only for the last value

    private readonly List<EntryCopy> _found = [];

    private void BeginSpilled()
    {
        if (_place == 0 && Core.Disk is { } disk)
            _spilled = new SpilledWalk(disk);
    }

    // A step. The version was taken before it.
    private List<Change<TKey, TValue>> Walk()
    {
        ulong bound = options.Durable ? Core.Heap.FlushedVersion : ulong.MaxValue; // a later one comes as a change, once it is flushed
        var entries = new List<Change<TKey, TValue>>();
        long bytes = 0;
        _lastStep = CursorPlace;
        while (entries.Count < EntriesAStep && bytes < ValueBytesAStep && TryFind())
        {
            foreach (EntryCopy entry in _found)
            {
                if (entry.Info.Version > bound)
                    continue;
                entries.Add(Describe(entry));
                bytes += options.Values ? entry.Info.ValueBytes : 0;
            }
        }
        _isStepDue = false;
        if (!IsWalking)
            EndWalk();
        return entries;
    }

    private void EndWalk()
    {
        using ReadScope scope = Core.EnterReader();
        _ = WindowNow(); // another one is found by the next copy, which begins the walk anew
        _endsAt = Core.Feed.Watermark(); // what the last step has missed is below, or has a record above the version
    }

    // The entries of the next bucket, or the next entry in the file; false: the walk is over.
    private bool TryFind()
    {
        if (_place != WalkPlace.End)
        {
            bool isFirst = _place == 0;
            _place = Core.Peek.CopyBucketAt(_place, _found);
            if (isFirst)
                CrashPoints.Pass(CrashPoint.FeedBehindFirstBucket);
            if (isFirst && Mutation.FeedWatermarkLate)
                _version = Core.Feed.Watermark();
            return true;
        }
        _found.Clear();
        if (_spilled == null)
            return false;
        if (!_spilled.TryNext(out byte[]? key))
        {
            _spilled.Dispose();
            _spilled = null;
            return false;
        }
        if (Core.Peek.TryPeek(new KeyProbe(key, Core.Hash.Of(key)), out EntryCopy entry))
            _found.Add(entry);
        return true;
    }

    private Change<TKey, TValue> Describe(in EntryCopy entry)
    {
        var change = new Change<TKey, TValue>
        {
            Kind = ChangeKind.Added,
            Key = table.Keys.Decode(entry.Key),
            Version = entry.Info.Version,
            ExpiresAt = InstantOf(entry.ExpiresAt),
            TagHashes = entry.Tags,
        };
        return options.Values ? WithValue(change) : change;
    }
}
