using System;
using System.Collections.Generic;
using System.Linq;
using BigPile.Caching.Index;
using BigPile.Caching.Operations;
using BigPile.Caching.Tables;
using BigPile.Concurrency;
using Microsoft.Extensions.Logging;

namespace BigPile.Caching.Persistence;

/// <summary>Brings back the tables of a pile: with their indexes, as far as those were kept and can be trusted.</summary>
/// <remarks>
/// Order: the files are looked at; a split, a line and a change for each thread that a killed process was at are put right; tables whose
/// drop was cut off are found; the files state that they are in use; what was found is dropped to the end. A kill in between changes
/// nothing: all of it is done again. The time depends on the number of tables and not on that of their entries, but for the checksums
/// behind another start of the machine. An index that is not as it was stored counts as none: its entries are found by a walk.
/// </remarks>
/// <param name="pile">The pile.</param>
/// <param name="ids">Which tables there are.</param>
/// <param name="files">The files of the indexes; <see langword="null"/> for a pile that is not mapped.</param>
/// <param name="makeCore">Makes a table with its index at a place.</param>
internal sealed class IndexOpening(
    Pile pile, TableIds ids, IndexFiles? files, Func<TableDefinition, IndexStorage?, TableCore> makeCore)
{
    private readonly Dictionary<int, TableCore> _unknown = [];
    private readonly Dictionary<int, TableCore> _known = [];

    /// <summary>The tables whose entries have to be found.</summary>
    internal IReadOnlyDictionary<int, TableCore> Unknown => _unknown;

    /// <summary>The tables whose index has all entries, by their ids.</summary>
    internal IReadOnlyDictionary<int, TableCore> Known => _known;

    /// <summary>Whether the blocks of the pile have to be looked at.</summary>
    internal bool NeedsWalk { get; private set; }

    /// <summary>Whether indexes came back as they were.</summary>
    internal bool WasRestored => _known.Count != 0;

    /// <summary>Does it.</summary>
    /// <param name="seed">The seed of the hash.</param>
    /// <param name="add">Is given each table as soon as it is made.</param>
    internal void Run(ulong seed, Action<TableCore> add)
    {
        foreach (TableDefinition definition in ids.Tables)
        {
            if (TryOpen(definition, definition.FormerUpTo) is { } core)
                add(_known[definition.Id] = core);
        }
        Recover();
        foreach (TableDefinition definition in ids.Tables)
        {
            if (!_known.ContainsKey(definition.Id))
                add(_unknown[definition.Id] = makeCore(definition, files?.Create(definition.Id, definition.FormerUpTo)));
        }
        NeedsWalk = _unknown.Count != 0 || (ids.Free.Count != 0 && files is not { WereUsable: true, OwesWalk: false });
        if (files == null)
            return;
        FindCutDrops(); // which look whether their indexes are proven: once in use, all are
        files.BeginUse(seed, NeedsWalk);
        foreach (TableCore core in _known.Values)
            core.Counters.Restart(); // not before: an opening that ends early leaves closed indexes as they were
    }

    /// <summary>Tables that were being dropped, and what is left of them.</summary>
    internal List<TableCore> CutDrops { get; } = [];

    /// <summary>
    /// The ids of tables that were being dropped, whose index can't be used: blocks of theirs may be anywhere.
    /// </summary>
    internal List<int> LostDrops { get; } = [];

    private TableCore? TryOpen(TableDefinition definition, ulong? formerUpTo)
    {
        if (files?.TryOpen(definition.Id, formerUpTo) is not { } place)
            return null;
        TableCore core = makeCore(definition, place);
        if (files.IsProven(core.Index))
            return core;
        core.Dispose();
        return null;
    }

    private void Recover()
    {
        int? changes = files == null || Mutation.LeftUnfinished ? 0 : RecoverBegun(files);
        foreach (TableCore core in _known.Values.ToArray())
        {
            if (changes != null && core.Counters.AreRight() && core.TryRestoreMarks())
                continue;
            pile.Logger.LogError(
                "The index of the table '{Table}' is damaged: counters, marks of tags or notes of changes are not as they were stored",
                core.Name);
            core.Dispose(); // its entries are found by a walk, and its marks with them
            _ = _known.Remove(core.Id);
        }
        if (WasRestored)
        {
            pile.Logger.LogInformation(
                "{Tables} tables came back with their indexes; {Changes} changes that a killed process was at were put right",
                _known.Count, changes);
        }
    }

    // Gives how many changes were put right; null when one of them is not known.
    private int? RecoverBegun(IndexFiles found)
    {
        if (found.WereClosed)
        {
            foreach (TableCore core in _known.Values)
                core.Index.ForgetBegun();
            found.Intents.Forget();
            return 0;
        }
        foreach (TableCore core in _known.Values)
            core.Index.Recover();
        return new IntentRecovery(pile, _known).Run(found.Intents); // those of other tables, too, must not count later
    }

    // Of a table that was dropped blocks may be left, as long as its files are there. What no table ever had goes at once.
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
