using System;
using System.Collections.Generic;
using System.Linq;

namespace BigPile.Caching.Tests.Durability;

/// <summary>What tables hold, what they held at the last flush, and every state that each key has had since.</summary>
/// <remarks>
/// After a power cut a key that was flushed has the flushed entry or one that was put later; it is gone only if it was removed, evicted or
/// expired since. A key that was not there at the flush is gone or has an entry that was put since.
/// </remarks>
internal sealed class TableModel(ManualTime time)
{
    private readonly Dictionary<TableKey, EntryState> _flushed = [];
    private readonly List<(TableKey Key, EntryState? State)> _since = [];
    private readonly Dictionary<TableKey, EntryState> _now = [];
    private readonly HashSet<PilePointer> _objectsSince = [];
    private readonly HashSet<PilePointer> _unswept = [];

    internal IReadOnlyDictionary<TableKey, EntryState> Now => _now;

    /// <summary>The highest version that any entry had.</summary>
    internal ulong LastVersion { get; private set; }

    internal void Put(TableKey key, EntryState state)
    {
        LastVersion = Math.Max(LastVersion, state.Version);
        _now[key] = state;
        _since.Add((key, state));
    }

    /// <summary>Records an object that no table owns yet.</summary>
    internal void PutObject(PilePointer pointer) => _objectsSince.Add(pointer);

    /// <summary>Records that an entry is dead, and that a later sweep frees its memory.</summary>
    internal void RemoveLater(TableKey key)
    {
        _unswept.Add(_now[key].Owned);
        Remove(key);
    }

    internal void Remove(TableKey key)
    {
        _now.Remove(key);
        _since.Add((key, null));
    }

    internal int BeginFlush() => _since.Count;

    internal void EndFlush(int begin)
    {
        foreach ((TableKey key, EntryState? state) in _since.Take(begin))
        {
            if (state != null)
                _flushed[key] = state;
            else
                _flushed.Remove(key);
        }
        _since.RemoveRange(0, begin);
        _objectsSince.Clear();
    }

    /// <summary>The keys that have not expired.</summary>
    internal IEnumerable<TableKey> Live() => _now.Where(pair => !pair.Value.IsDeadAt(time.GetUtcNow())).Select(static pair => pair.Key);

    /// <summary>Compares what a power cut left.</summary>
    internal void CheckCut(OpenTables tables, string where, CutTally tally)
    {
        DateTimeOffset now = time.GetUtcNow();
        ILookup<TableKey, EntryState?> states = States();
        Dictionary<TableKey, FoundEntry> all = tables.ReadAll();
        foreach ((TableKey key, FoundEntry found) in all)
        {
            tally.Checked++;
            bool isKnown = states[key].Any(static state => state != null);
            if (StateOf(states[key], found) == null)
                tally.Find(isKnown ? "wrong" : "back", $"{where}: {key} has {found}, of: {Describe(states[key])}");
        }
        foreach (TableKey key in _flushed.Keys.Where(key => !all.ContainsKey(key)))
        {
            if (states[key].All(state => state?.IsDeadAt(now) == false))
                tally.Find("lost", $"{where}: {key} of: {Describe(states[key])}");
        }
        // An entry that expired and was not swept still owns its object.
        IEnumerable<EntryState?> dead = states.SelectMany(static states => states).Where(state => state?.IsDeadAt(now) == true);
        IEnumerable<EntryState?> alive = all.Select(pair => StateOf(states[pair.Key], pair.Value));
        CheckObjects(tables, [.. dead.Concat(alive).Select(static state => state?.Owned ?? default), .. _unswept], where, tally);
    }

    /// <summary>Compares what a kill left, or what is open.</summary>
    internal void CheckAll(OpenTables tables, string where, CutTally tally)
    {
        Dictionary<TableKey, FoundEntry> all = tables.ReadAll();
        foreach (TableKey key in Live())
        {
            tally.Checked++;
            if (!all.TryGetValue(key, out FoundEntry found))
                tally.Find("changed", $"{where}: lost: {key} with {_now[key]}");
            else if (!_now[key].Matches(found, time.GetUtcNow()))
                tally.Find("changed", $"{where}: wrong: {key} has {found} in the place of {_now[key]}");
        }
        foreach ((TableKey key, EntryState state) in _now.Where(static pair => pair.Value.Sliding != null).ToArray())
        {
            if (all.ContainsKey(key))
                Put(key, state with { ExpiresAt = tables.ExpiryOf(key) }); // the check was a use
        }
        HashSet<TableKey> live = [.. Live()];
        foreach (TableKey key in all.Keys.Where(key => !live.Contains(key)))
            tally.Find("changed", $"{where}: back: {key} has {all[key]}");
        CheckObjects(tables, [.. _now.Values.Select(static state => state.Owned), .. _unswept], where, tally);
    }

    /// <summary>Goes on with what a power cut left.</summary>
    internal void Accept(OpenTables tables)
    {
        Dictionary<TableKey, FoundEntry> all = tables.ReadAll();
        ILookup<TableKey, EntryState?> states = States();
        foreach (TableKey key in states.Select(static states => states.Key).Where(key => !all.ContainsKey(key)))
            Remove(key);
        foreach ((TableKey key, FoundEntry found) in all)
        {
            if (StateOf(states[key], found) is { } state)
            {
                Put(key, state with { ExpiresAt = tables.ExpiryOf(key) });
                continue;
            }
            tables[key.Table].Remove(key.Key); // it was found to be wrong, and is not to be found again and again
            Remove(key);
        }
        // What the application had not given to a table yet it finds and deletes. Of an entry that was removed by a tag, the object alone
        // may be left; what of those is left behind a sweep is nobody's. The next cut may undo the sweep: they may be unswept again.
        tables.Sweep();
        HashSet<PilePointer> owned = [.. _now.Values.Select(static state => state.Owned)];
        foreach (PilePointer pointer in tables.Objects().Where(pointer => !owned.Contains(pointer)).ToArray())
        {
            _objectsSince.Add(pointer);
            tables.Pile.Delete(pointer);
        }
    }

    /// <summary>The tags that the entries have that a cut left.</summary>
    internal Dictionary<TableKey, string?> TagsOf(OpenTables tables)
    {
        ILookup<TableKey, EntryState?> states = States();
        return tables.ReadAll().Select(pair => (pair.Key, State: StateOf(states[pair.Key], pair.Value)))
            .Where(static pair => pair.State != null).ToDictionary(static pair => pair.Key, static pair => pair.State!.Tag);
    }

    /// <summary>Compares what is left once all tables were cleared.</summary>
    internal void CheckEmpty(OpenTables tables, string where, CutTally tally)
    {
        CheckObjects(tables, [], where + ", cleared", tally);
        if (tables.ReadAll().Count is var left and not 0)
            tally.Find("leaked", $"{where}: all was cleared, and {left} entries are left");
    }

    // Each object is owned by a key, or was put since the flush and may still be nobody's.
    private void CheckObjects(OpenTables tables, HashSet<PilePointer> owned, string where, CutTally tally)
    {
        foreach (PilePointer pointer in tables.Objects().Where(pointer => !owned.Contains(pointer) && !_objectsSince.Contains(pointer)))
            tally.Find("leaked", $"{where}: the object {pointer} is nobody's");
        (long blocks, long known) = tables.CountEntries();
        if (blocks != known)
            tally.Find("leaked", $"{where}: {blocks} blocks of entries and marks, and the tables know {known}");
    }

    // The state at the flush, or none, and all that came later.
    private ILookup<TableKey, EntryState?> States() =>
        _flushed.Select(static pair => (pair.Key, State: (EntryState?)pair.Value)).Concat(_since)
            .ToLookup(static pair => pair.Key, static pair => pair.State);

    private EntryState? StateOf(IEnumerable<EntryState?> states, FoundEntry found) =>
        states.FirstOrDefault(state => state?.Matches(found, time.GetUtcNow()) == true);

    private static string Describe(IEnumerable<EntryState?> states) =>
        string.Join("; ", states.Select(static state => state?.ToString() ?? "none"));
}
