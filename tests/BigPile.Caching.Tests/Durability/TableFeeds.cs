using System.Collections.Generic;
using System.Linq;
using BigPile.Caching.Tests.Feed;

namespace BigPile.Caching.Tests.Durability;

/// <summary>Readers of the first table's changes, over all its lives.</summary>
internal sealed class TableFeeds
{
    private static readonly ChangeOptions OnlyDurable = new() { Durable = true };

    private FeedFold<long, byte[]> _fold = new();
    private FeedFold<long, byte[]> _durable = new(); // told only what was flushed
    private int _tableId;

    /// <summary>Reads what there is.</summary>
    internal void Read(OpenTables opened)
    {
        BeginAnewIfDropped(opened);
        CatchUp(_fold, opened, null);
        CatchUp(_durable, opened, OnlyDurable);
    }

    /// <summary>What was told is what is there.</summary>
    internal void CheckAll(OpenTables opened, string where, CutTally tally)
    {
        BeginAnewIfDropped(opened);
        CatchUp(_fold, opened, null);
        Check(() => _fold.AssertIs(opened[0]), where, tally);
    }

    /// <summary>Nothing that a durable reader was told was taken back, and each reader is told that it missed something.</summary>
    internal void CheckCut(OpenTables opened, string where, CutTally tally)
    {
        if (opened[0].Core.Id != _tableId)
            return; // it was dropped, which may have been lost
        ulong known = _durable.Cursor.Version;
        Dictionary<long, ulong> there = opened[0].Entries.ToDictionary(static entry => entry.Key, static entry => entry.Info.Version);
        foreach ((long key, ulong version) in there.Where(pair => _durable.IsWhole && pair.Value <= known))
        {
            if (!_durable.Entries.TryGetValue(key, out Change<long, byte[]> told) || told.Version != version)
                tally.Find("rolled back", $"{where}: key {key} has version {version}, a durable reader at {known} knows {told.Version}");
        }
        foreach (FeedFold<long, byte[]> reader in (FeedFold<long, byte[]>[])[_fold, _durable])
        {
            FeedFold<long, byte[]> next = reader.Copy();
            CatchUp(next, opened, null);
            if (next.Gaps != reader.Gaps && next.FlushedUpTo != 0 && next.FlushedUpTo < known)
                tally.Find("not told", $"{where}: all is known up to {next.FlushedUpTo}, and a durable reader was told {known}");
            Check(() => next.AssertIs(opened[0]), where, tally);
        }
    }

    /// <summary>The readers go on from what a cut left.</summary>
    internal void ContinueFrom(OpenTables opened)
    {
        (_fold, _durable) = (new FeedFold<long, byte[]>(), new FeedFold<long, byte[]>());
        Read(opened);
    }

    private void BeginAnewIfDropped(OpenTables opened)
    {
        if (_tableId != opened[0].Core.Id)
            (_fold, _durable) = (new FeedFold<long, byte[]>(), new FeedFold<long, byte[]>());
        _tableId = opened[0].Core.Id;
    }

    private static void CatchUp(FeedFold<long, byte[]> fold, OpenTables opened, ChangeOptions? options) =>
        fold.CatchUpAsync(opened[0], options).GetAwaiter().GetResult();

    private static void Check(System.Action check, string where, CutTally tally)
    {
        try
        {
            check();
        }
        catch (Xunit.Sdk.XunitException e)
        {
            tally.Find("wrong", $"{where}: changes are not those of the table: {e.Message}");
        }
    }
}
