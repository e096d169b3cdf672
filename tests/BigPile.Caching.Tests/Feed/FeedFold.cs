using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading.Tasks;

namespace BigPile.Caching.Tests.Feed;

/// <summary>What a reader makes of a table's changes: a version for each key, and the tags that it has.</summary>
internal sealed class FeedFold<TKey, TValue>
    where TKey : notnull
{
    private readonly Dictionary<TKey, Change<TKey, TValue>> _entries = [];

    internal IReadOnlyDictionary<TKey, Change<TKey, TValue>> Entries => _entries;

    /// <summary>Behind what was applied.</summary>
    internal FeedCursor Cursor { get; set; }

    /// <summary>Whether a walk has ended since the last gap: from then on the fold is the table, but for what is not read yet.</summary>
    internal bool IsWhole { get; private set; }

    internal int Gaps { get; private set; }

    /// <summary>What the last gap said.</summary>
    internal ulong FlushedUpTo { get; private set; }

    /// <summary>The changes, without the walks.</summary>
    internal long Changes { get; private set; }

    /// <summary>Another reader that has applied the same.</summary>
    internal FeedFold<TKey, TValue> Copy()
    {
        var copy = new FeedFold<TKey, TValue> { Cursor = Cursor, IsWhole = IsWhole, Gaps = Gaps };
        foreach ((TKey key, Change<TKey, TValue> entry) in _entries)
            copy._entries.Add(key, entry);
        return copy;
    }

    internal void Apply(ChangeBatch<TKey, TValue> batch)
    {
        if (batch.Kind == ChangeBatchKind.Gap)
        {
            _entries.Clear();
            IsWhole = false;
            Gaps++;
            FlushedUpTo = batch.FlushedUpTo;
        }
        IsWhole |= batch.Kind == ChangeBatchKind.WalkEnd;
        ulong last = 0;
        foreach (Change<TKey, TValue> change in batch.Changes)
        {
            Assert.True(batch.Kind == ChangeBatchKind.Walk || change.Version > last, $"{change.Version} comes after {last}");
            last = change.Version;
            Apply(change);
        }
        Changes += batch.Kind == ChangeBatchKind.Changes ? batch.Changes.Count : 0;
        Assert.True(batch.Kind != ChangeBatchKind.Changes || batch.Cursor.Version >= last);
        Cursor = batch.Cursor;
    }

    private void Apply(in Change<TKey, TValue> change)
    {
        switch (change.Kind)
        {
            case ChangeKind.Cleared:
                RemoveWhere(static (_, _) => true, change);
                break;
            case ChangeKind.TagRemoved:
                RemoveWhere(static (entry, tag) => entry.TagHashes.ToArray().Intersect(tag.TagHashes.ToArray()).Any(), change);
                break;
            case ChangeKind.Added or ChangeKind.Replaced:
                if (!_entries.TryGetValue(change.Key, out Change<TKey, TValue> held) || held.Version <= change.Version)
                    _entries[change.Key] = change;
                break;
            default:
                if (_entries.TryGetValue(change.Key, out held) && held.Version <= change.GoneUpTo)
                    _entries.Remove(change.Key);
                break;
        }
    }

    private void RemoveWhere(Func<Change<TKey, TValue>, Change<TKey, TValue>, bool> isGone, in Change<TKey, TValue> change)
    {
        foreach (Change<TKey, TValue> entry in _entries.Values.ToArray())
        {
            if (entry.Version <= change.GoneUpTo && isGone(entry, change))
                _entries.Remove(entry.Key);
        }
    }

    /// <summary>Applies what there is, until the fold is whole and nothing more comes while nobody changes the table.</summary>
    internal async Task CatchUpAsync(CacheTable<TKey, TValue> table, ChangeOptions? options = null)
    {
        using var reader = new Typed.ChangeReader<TKey, TValue>(table.Typed, options ?? new ChangeOptions());
        await table.Core.Readiness.Completion;
        if (reader.TryBegin(Cursor) is { } missed)
            Apply(missed);
        while (reader.TryNext() is { } batch)
            Apply(batch);
    }

    /// <summary>Fails where the fold is not the table, which nobody changes.</summary>
    /// <param name="table">The table.</param>
    /// <param name="why">What was done.</param>
    /// <param name="spilled">The keys that may be in its file.</param>
    internal void AssertIs(CacheTable<TKey, TValue> table, string why = "", IEnumerable<TKey>? spilled = null)
    {
        DateTimeOffset now = new(table.Core.Clock.ToSystem(table.Core.Clock.Now), TimeSpan.Zero);
        var expected = new SortedDictionary<TKey, ulong>();
        foreach (TableEntry<TKey> entry in table.Entries)
            expected[entry.Key] = entry.Info.Version;
        foreach (TKey key in spilled ?? [])
        {
            if (table.TryGetEntry(key, out TableEntry<TKey> entry))
                expected[key] = entry.Info.Version;
        }
        var held = new SortedDictionary<TKey, ulong>();
        // A reader lets go what has expired by itself; a sliding entry may live on.
        foreach (Change<TKey, TValue> entry in _entries.Values)
        {
            if (entry.ExpiresAt is not { } end || end > now || expected.ContainsKey(entry.Key))
                held[entry.Key] = entry.Version;
        }
        Assert.True(expected.SequenceEqual(held), $"{why}: {Difference(expected, held)}");
    }

    private static string Difference(SortedDictionary<TKey, ulong> expected, SortedDictionary<TKey, ulong> held) => string.Join(
        "; ", expected.Keys.Union(held.Keys)
            .Where(key => expected.GetValueOrDefault(key) != held.GetValueOrDefault(key))
            .Take(10).Select(key => $"{key}: table {expected.GetValueOrDefault(key)}, fold {held.GetValueOrDefault(key)}"));
}
