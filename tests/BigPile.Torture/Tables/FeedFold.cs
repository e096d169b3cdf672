using System;
using System.Collections.Generic;
using System.Linq;
using BigPile.Caching;
using BigPile.Torture.Journals;

namespace BigPile.Torture.Tables;

/// <summary>What the parent makes of a table's changes, across the processes that tell them: a version for each key.</summary>
internal sealed unsafe class FeedFold(TableRole role, Journal journal, Findings findings)
{
    private readonly Dictionary<int, Change<int, byte[]>> _entries = [];
    private readonly Dictionary<int, Change<int, byte[]>> _last = []; // the last change of each key, to tell of what is wrong
    private bool _isWhole; // a walk has ended since the last gap

    /// <summary>Behind what was applied; the next process continues here.</summary>
    internal FeedCursor Cursor { get; private set; }

    internal long Gaps { get; private set; }

    internal long Changes { get; private set; }

    internal long Compared { get; private set; }

    internal void Forget()
    {
        _entries.Clear();
        (_isWhole, Cursor) = (false, default);
    }

    internal void Apply(FeedFrame frame)
    {
        if (frame.Kind == FeedFrame.Listed)
        {
            Compare(frame);
            return;
        }
        CheckPlace(frame);
        if (frame.Kind == ChangeBatchKind.Gap)
        {
            Gaps++;
            _entries.Clear();
            _isWhole = false;
        }
        _isWhole |= frame.Kind == ChangeBatchKind.WalkEnd;
        ulong last = Cursor.Version;
        foreach (Change<int, byte[]> change in frame.Changes)
        {
            if (frame.Kind == ChangeBatchKind.Changes && (change.Version <= last || change.Version > frame.Cursor.Version))
                Wrong("a change comes out of its order", $"{Describe(change)} after {last}, up to {frame.Cursor}");
            last = change.Version;
            Apply(change);
        }
        Changes += frame.Kind == ChangeBatchKind.Changes ? frame.Changes.Length : 0;
        Cursor = frame.Cursor;
    }

    // A kill takes nothing from a window: only one that was overrun misses something, or one that a start of the machine has ended.
    private void CheckPlace(FeedFrame frame)
    {
        if (Cursor == FeedCursor.Start)
            return;
        bool isOtherEpoch = frame.Cursor.Epoch != Cursor.Epoch;
        bool isGap = frame.Kind == ChangeBatchKind.Gap;
        if (isOtherEpoch && !isGap)
            Wrong("an epoch begins without a gap", $"{frame.Kind} at {frame.Cursor} after {Cursor}");
        if (!isOtherEpoch && frame.Cursor.Version < Cursor.Version)
            Wrong("a reader goes backwards", $"{frame.Kind} at {frame.Cursor} after {Cursor}");
        if (!isOtherEpoch && isGap && frame.Floor <= Cursor.Version)
            Wrong("a gap is told though the window has lost nothing", $"floor {frame.Floor}, {frame.Cursor} after {Cursor}");
        if (journal.Head->OtherBoots != 0)
            return;
        if (isOtherEpoch)
            Wrong("a kill has begun an epoch", $"{frame.Cursor} after {Cursor}");
        else if (isGap && !TableSet.HasSmallFeed(role))
            Wrong("a large window was overrun", $"floor {frame.Floor}, {frame.Cursor} after {Cursor}");
    }

    private void Apply(in Change<int, byte[]> change)
    {
        ulong goneUpTo = change.GoneUpTo;
        switch (change.Kind)
        {
            case ChangeKind.Cleared:
                RemoveWhere(entry => entry.Version <= goneUpTo, change);
                break;
            case ChangeKind.TagRemoved:
                ulong[] tags = change.TagHashes.ToArray();
                RemoveWhere(entry => entry.Version <= goneUpTo && entry.TagHashes.ToArray().Intersect(tags).Any(), change);
                break;
            case ChangeKind.Added or ChangeKind.Replaced:
                _last[change.Key] = change;
                if (!_entries.TryGetValue(change.Key, out Change<int, byte[]> held) || held.Version <= change.Version)
                    _entries[change.Key] = change;
                break;
            default:
                _last[change.Key] = change;
                if (_entries.TryGetValue(change.Key, out held) && held.Version <= goneUpTo)
                    _ = _entries.Remove(change.Key);
                break;
        }
    }

    private void RemoveWhere(Predicate<Change<int, byte[]>> isGone, in Change<int, byte[]> change)
    {
        foreach (Change<int, byte[]> entry in _entries.Values.Where(entry => isGone(entry)).ToArray())
        {
            _last[entry.Key] = change;
            _ = _entries.Remove(entry.Key);
        }
    }

    // A reader lets go what has expired by itself; a sliding entry may live on.
    private void Compare(FeedFrame listed)
    {
        Compared++;
        if (!_isWhole)
            Wrong("the end of a walk was not told", $"at {Cursor}");
        _isWhole = true; // counted once
        var there = listed.Changes.ToDictionary(static entry => entry.Key, static entry => entry.Version);
        foreach ((int key, ulong version) in there)
        {
            ulong held = _entries.TryGetValue(key, out Change<int, byte[]> entry) ? entry.Version : 0;
            if (held == 0)
            {
                string last = _last.TryGetValue(key, out Change<int, byte[]> told) ? Describe(told) : "nothing";
                findings.Lost(
                    "the changes do not tell of an entry",
                    $"table {role}, key {key} version {version}: {last} was told last, read up to {Cursor.Version}");
            }
            else if (held != version)
                Wrong(
                    "the changes tell of another version", $"key {key} version {version}: {Describe(entry)}, read up to {Cursor.Version}");
        }
        foreach (Change<int, byte[]> entry in _entries.Values.ToArray())
        {
            if (there.ContainsKey(entry.Key))
                continue;
            if (entry.ExpiresAt is not { } end || end.UtcTicks > listed.Now)
                Wrong("the changes tell of an entry that is not there", $"{Describe(entry)}, read up to {Cursor.Version}");
            _ = _entries.Remove(entry.Key); // counted once
        }
        foreach ((int key, ulong version) in there)
        {
            if (!_entries.TryGetValue(key, out Change<int, byte[]> entry) || entry.Version != version)
                _entries[key] = new() { Kind = ChangeKind.Added, Key = key, Version = version }; // likewise
        }
    }

    private void Wrong(string what, string where) => findings.Wrong(what, $"table {role}: {where}");

    private static string Describe(in Change<int, byte[]> change) =>
        $"{change.Kind} of key {change.Key}, version {change.Version}, gone up to {change.GoneUpTo}, expires {change.ExpiresAt:O}, "
        + $"tags {string.Join(' ', change.TagHashes.ToArray())}";
}
