using System;
using System.Collections.Generic;
using System.Linq;
using BigPile.Caching.Tables;
using BigPile.Torture.Journals;
using BigPile.Torture.Values;

namespace BigPile.Torture.Tables;

/// <summary>What the tables as a whole must be once every key was compared.</summary>
internal sealed unsafe partial class TableTarget
{
    private void CheckSums(HashSet<int> present, bool isOtherBoot)
    {
        new TableMaintenance(this, _journal, _findings, 0, new Dice(1)).CheckTablesMade(isOtherBoot);
        CheckGrowth(isOtherBoot);
        foreach (IKeyTable table in Tables.All)
            _ = table.Table.Sweep();
        CheckListed(present);
        CheckIndexes();
        long began = _journal.Tick();
        var census = new BlockCensus(Pile);
        _journal.RecordFlush(began);
        var owners = new EntryOwners(Tables.Cache);
        long objects = census.Entries.Count;
        foreach (CensusBlock block in census.Entries.Where(block => !owners.Entries.Contains(block.Address)))
            _findings.Leaked("an entry that no index leads to", block.ToString());
        foreach (CensusBlock block in census.Orphans())
            _findings.Leaked("a payload behind a link that is no more", block.ToString());
        foreach (CensusBlock block in census.Objects)
            objects += IsOwned(block, owners, isOtherBoot) ? 1 : 0;
        foreach (ulong pointer in owners.OwnedTwice)
            _findings.Wrong("two entries own one object", PilePointer.FromUInt64(pointer).ToString());
        _journal.Head->OpenPuts = 0;
        StatisticsCheck.Run(Pile, objects, _findings, isOtherBoot);
    }

    private void CheckIndexes()
    {
        foreach (TableEngine core in Tables.Cache.Engines())
        {
            if (core.DamageCount != 0)
                _findings.Wrong("an index was found to be damaged", $"table {core.Name}: {core.DamageCount} places");
            try
            {
                core.CheckInvariants();
            }
            catch (InvalidOperationException e)
            {
                _findings.Wrong("an index is not what it must be", $"table {core.Name}: {e.Message}");
            }
        }
    }

    private void CheckListed(HashSet<int> present)
    {
        var listed = new HashSet<int>();
        foreach (int key in Tables.All.SelectMany(static table => table.Keys))
        {
            if (!listed.Add(key))
                _findings.Wrong("a table lists a key twice", Describe(key));
        }
        foreach (int key in present.Where(key => !listed.Contains(key)))
            _findings.Wrong("a table does not list a key that it finds", Describe(key));
        foreach (int key in listed.Where(key => !present.Contains(key)))
        {
            _findings.Wrong("a table lists a key that it does not find", Describe(key));
            _ = Tables.Of(key).Remove(key); // counted once
        }
        for (int key = 0; key < _journal.KeyCount; key++)
        {
            if (TableSet.RoleOf(key) == TableRole.Expirables && !present.Contains(key))
                _ = Tables.Of(key).Remove(key); // a stale entry, which counts, and reads as missing
        }
        long count = Tables.All.Sum(static table => table.Table.Count);
        if (count != present.Count)
            _findings.Wrong("the tables count other keys than they find", $"{count:N0} instead of {present.Count:N0}");
    }

    // An object that a kill left between its own put and that of its entry is the application's to find; any other is leaked.
    private bool IsOwned(CensusBlock block, EntryOwners owners, bool isOtherBoot)
    {
        if (owners.Owned.Contains(block.Pointer))
            return true;
        var pointer = PilePointer.FromUInt64(block.Pointer);
        byte[] value = Pile.GetBytes(pointer);
        bool isOpenPut = ValueBytes.TryParse(value, out int id, out ObjectVersion version)
            && _journal.OpenPutsNow().ToArray().Any(put => put.Id == id && put.Version.Revision == version.Revision);
        if (!isOpenPut && !isOtherBoot)
            _findings.Leaked("an object that no entry owns", $"{block}: {ValueBytes.Describe(value)}");
        Pile.Delete(pointer);
        return false;
    }
}
