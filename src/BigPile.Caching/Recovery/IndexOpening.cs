using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using BigPile.Caching.Feed;
using BigPile.Caching.Index;
using BigPile.Caching.Persistence;
using BigPile.Caching.Tables;
using BigPile.Checking;
using BigPile.Tables;
using Microsoft.Extensions.Logging;

namespace BigPile.Caching.Recovery;

/// <summary>Opens the tables of a pile, with their indexes where these were kept and can be trusted.</summary>
/// <remarks>
/// Steps: (1) open the index files; (2) recover what a kill interrupted: a split and a line in transit for each index, and a change for
/// each thread; (3) find interrupted drops; (4) record that the files are in use; then the caller finishes the drops. All steps can be
/// repeated after a kill. The time depends on the number of tables, not of entries, except for checksums after a restart of the machine.
/// An index that is not as it was stored is discarded, and a walk finds its entries.
/// </remarks>
/// <param name="heap">The pile.</param>
/// <param name="ids">The ids of the tables.</param>
/// <param name="files">The index files; <see langword="null"/> for a pile that is not mapped.</param>
/// <param name="makeEngine">Makes a table with its index in a storage.</param>
internal sealed class IndexOpening(
    TableHeap heap, TableIds ids, IndexFiles? files, Func<TableDefinition, IndexStorage?, TableEngine> makeEngine)
{
    private readonly Dictionary<int, TableEngine> _unknown = [];
    private readonly Dictionary<int, TableEngine> _known = [];

    /// <summary>The tables whose entries a walk has to find, by id.</summary>
    internal IReadOnlyDictionary<int, TableEngine> Unknown => _unknown;

    /// <summary>The tables whose index was restored, by id.</summary>
    internal IReadOnlyDictionary<int, TableEngine> Known => _known;

    /// <summary>Whether a walk through the blocks of the pile is needed.</summary>
    internal bool NeedsWalk { get; private set; }

    /// <summary>Whether some index was restored.</summary>
    internal bool WasRestored => _known.Count != 0;

    /// <summary>Opens the tables.</summary>
    /// <param name="seed">The seed of the keys' hash.</param>
    /// <param name="add">Called with each table as soon as it is made.</param>
    internal void Run(ulong seed, Action<TableEngine> add)
    {
        foreach (TableDefinition definition in ids.Tables)
        {
            if (TryOpen(definition, definition.FormerUpTo) is { } engine)
                add(_known[definition.Id] = engine);
        }
        Recover();
        foreach (TableDefinition definition in ids.Tables)
        {
            if (_known.ContainsKey(definition.Id))
                continue;
            (long feedBytes, ulong epoch) = files == null ? default : new FileFeedStorage(files, definition.Id).Found();
            TableEngine engine = makeEngine(definition, files?.Create(definition.Id, definition.FormerUpTo));
            BeginFeedAnew(engine, feedBytes, epoch);
            add(_unknown[definition.Id] = engine);
        }
        NeedsWalk = _unknown.Count != 0 || (ids.Free.Count != 0 && files is not { WereUsable: true, OwesWalk: false });
        if (files == null)
            return;
        // Before BeginUse, which replaces the number of the last use: only an index that was closed with it is opened (GoesWith). And from
        // BeginUse on, an opening after a kill takes all indexes for proven.
        FindCutDrops();
        files.BeginUse(seed, NeedsWalk);
        foreach (TableEngine engine in _known.Values)
        {
            OpenFeed(engine);
            engine.Counters.Restart(); // after BeginUse: an opening that fails earlier must leave closed indexes unchanged
            engine.Limits.SkipOwned(heap.Versions.Last);
        }
    }

    /// <summary>The remainders of tables whose drop a kill interrupted.</summary>
    internal List<TableEngine> CutDrops { get; } = [];

    /// <summary>
    /// The ids of tables whose drop was interrupted and whose index can't be used: an inspection has to find their blocks.
    /// </summary>
    internal List<int> LostDrops { get; } = [];

    private void OpenFeed(TableEngine engine)
    {
        var place = (FileFeedStorage)engine.Feed.Storage;
        (long lengthBytes, ulong epoch) = place.Found();
        if (epoch != 0)
            place.Open(lengthBytes);
        if (epoch == 0 || !place.IsTrusted() || !engine.Feed.TryContinue(new FeedRecovery(engine).IsMade))
            BeginFeedAnew(engine, lengthBytes, epoch);
    }

    // What a power cut leaves of the table is what the last flush had. A table without a feed is better than none at all.
    private void BeginFeedAnew(TableEngine engine, long lengthBytes, ulong epoch)
    {
        if (lengthBytes == 0)
            return;
        try
        {
            engine.Feed.BeginAnew(lengthBytes, new FormerFeed(epoch, heap.Directory!.Superblock.FlushedVersion));
        }
        catch (IOException e)
        {
            heap.Logger.LogError(
                e, "The window of the change feed of the table '{Table}' can't be made: it has none until it is configured again",
                engine.Name);
        }
    }

    private TableEngine? TryOpen(TableDefinition definition, ulong? formerUpTo)
    {
        if (files?.TryOpen(definition.Id, formerUpTo) is not { } place)
            return null;
        TableEngine engine = makeEngine(definition, place);
        if (files.IsProven(engine.Index))
            return engine;
        engine.Dispose();
        return null;
    }

    private void Recover()
    {
        int? changes = files == null || Mutation.LeftUnfinished ? 0 : RecoverBegun(files);
        foreach (TableEngine engine in _known.Values.ToArray())
        {
            if (changes != null && engine.Counters.AreRight() && new FoundEntries(engine).TryRestoreMarks())
                continue;
            heap.Logger.LogError(
                "The index of the table '{Table}' is damaged: counters, tag marks or intents do not match their checks. It will be rebuilt",
                engine.Name);
            engine.Dispose(); // a walk finds its entries and tag marks
            _ = _known.Remove(engine.Id);
        }
        if (WasRestored)
        {
            heap.Logger.LogInformation(
                "{Tables} tables were opened with their indexes; {Changes} changes that a kill had interrupted were completed or undone",
                _known.Count, changes);
        }
    }

    // Returns the number of recovered changes; null if an intent is damaged.
    private int? RecoverBegun(IndexFiles found)
    {
        if (found.WereClosed)
        {
            foreach (TableEngine engine in _known.Values)
                engine.Index.ForgetBegun();
            found.Intents.Forget();
            return 0;
        }
        foreach (TableEngine engine in _known.Values)
            engine.Index.Recover();
        return new IntentRecovery(heap, _known).Run(found.Intents); // also clears intents of tables that are not known
    }

    // A dropped table may still have blocks as long as its files exist. Files of an id that no table ever had are deleted at once.
    private void FindCutDrops()
    {
        foreach (int id in files!.Ids().Except(ids.Tables.Select(static definition => definition.Id)))
        {
            if (!ids.Free.ContainsKey(id))
            {
                files.Delete(id);
                continue;
            }
            ids.Hold(id);
            if (TryOpen(new TableDefinition(id, $"(dropped {id})", default), formerUpTo: null) is { } left)
                CutDrops.Add(left);
            else
                LostDrops.Add(id);
        }
    }
}
