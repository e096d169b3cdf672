using System;
using System.Collections.Generic;
using System.Linq;

namespace BigPile.Hash.Tests.PowerCuts;

/// <summary>What a database holds, what it held at its last hard synchronization, and every state that each key has had since.</summary>
/// <remarks>
/// After a power cut a key has the synchronized value or one that it got later; it is gone only if it was removed since. A key that was
/// not there at the synchronization is gone, or has a value that it got since. Nothing else is there.
/// </remarks>
internal sealed class CutModel
{
    private readonly Dictionary<int, byte[]> _synced = [];
    private readonly List<(int Key, byte[]? Value)> _since = [];
    private readonly Dictionary<int, byte[]> _now = [];
    private readonly HashSet<int> _everRemoved = [];

    internal IReadOnlyDictionary<int, byte[]> Now => _now;

    internal long LiveBytes { get; private set; }

    /// <summary>Records a change that is about to be made.</summary>
    internal void Record(int key, byte[]? value)
    {
        LiveBytes += (value?.Length ?? 0) - (_now.TryGetValue(key, out byte[]? old) ? old.Length : 0);
        if (value == null)
            _everRemoved.Add(key);
        if (value == null)
            _now.Remove(key);
        else
            _now[key] = value;
        _since.Add((key, value));
    }

    /// <summary>Records that all is about to be removed.</summary>
    internal void RecordClear()
    {
        foreach (int key in _now.Keys.ToArray())
            Record(key, null);
    }

    /// <summary>Where a synchronization begins; what is done from here on may or may not be part of it.</summary>
    internal int BeginFlush() => _since.Count;

    /// <summary>Records that a hard synchronization has returned.</summary>
    internal void EndFlush(int begin)
    {
        foreach ((int key, byte[]? value) in _since.Take(begin))
        {
            if (value != null)
                _synced[key] = value;
            else
                _synced.Remove(key);
        }
        _since.RemoveRange(0, begin);
    }

    /// <summary>Goes on with what a power cut left.</summary>
    internal void ContinueFrom(HashDatabase database)
    {
        Dictionary<int, byte[]> found = Read(database);
        _now.Clear();
        LiveBytes = 0;
        IEnumerable<int> known = _synced.Keys.Concat(_since.Select(static state => state.Key)).Distinct();
        int[] gone = [.. known.Where(key => !found.ContainsKey(key)).Order()];
        _since.AddRange(gone.Select(static key => (key, (byte[]?)null)));
        foreach ((int key, byte[] value) in found.OrderBy(static pair => pair.Key))
            Record(key, value);
    }

    /// <summary>Compares what a power cut left.</summary>
    internal void CheckCut(HashDatabase database, string where, CutTally tally)
    {
        Dictionary<int, byte[]> found = Read(database);
        ILookup<int, byte[]?> later = _since.ToLookup(static state => state.Key, static state => state.Value);
        foreach ((int key, byte[] value) in found)
        {
            tally.Checked++;
            bool isSynced = _synced.TryGetValue(key, out byte[]? synced) && synced.AsSpan().SequenceEqual(value);
            if (isSynced || later[key].Any(state => state != null && state.AsSpan().SequenceEqual(value)))
                continue;
            bool isKnown = _synced.ContainsKey(key) || later[key].Any();
            tally.Find(!isKnown && _everRemoved.Contains(key) ? "back" : "wrong", $"{where}: key {key} has {value.Length} bytes");
        }
        foreach ((int key, byte[] value) in _synced)
        {
            if (!found.ContainsKey(key) && later[key].All(static state => state != null))
                tally.Find("lost", $"{where}: key {key} with {value.Length} bytes, set since {later[key].Count()} times");
        }
        if (database.Count != found.Count)
            tally.Find("wrong", $"{where}: {database.Count} are counted, and {found.Count} there");
    }

    /// <summary>Compares what a kill left, or what is open.</summary>
    internal void CheckAll(HashDatabase database, string where, CutTally tally)
    {
        Dictionary<int, byte[]> found = Read(database);
        foreach ((int key, byte[] value) in _now)
        {
            tally.Checked++;
            if (!found.TryGetValue(key, out byte[]? there))
                tally.Find("changed", $"{where}: lost: key {key} with {value.Length} bytes");
            else if (!value.AsSpan().SequenceEqual(there))
                tally.Find("changed", $"{where}: wrong: key {key} has {there.Length} bytes in the place of {value.Length}");
        }
        foreach (int key in found.Keys.Where(key => !_now.ContainsKey(key)))
            tally.Find("changed", $"{where}: back: key {key}");
    }

    // By a walk, and each by its key.
    private static Dictionary<int, byte[]> Read(HashDatabase database)
    {
        var all = new Dictionary<int, byte[]>();
        foreach (HashRecord record in database)
        {
            int key = Some.NumberOf(record.Key.Span);
            Assert.True(all.TryAdd(key, record.Value.ToArray()), $"key {key} comes twice");
            byte[]? value = database.Get(record.Key.Span);
            Assert.True(value != null && record.Value.Span.SequenceEqual(value), $"key {key} is read another way than it is walked to");
        }
        return all;
    }
}
