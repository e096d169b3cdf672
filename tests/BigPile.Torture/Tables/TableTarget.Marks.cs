using System.Collections.Generic;
using System.Linq;
using BigPile.Torture.Journals;

namespace BigPile.Torture.Tables;

/// <summary>Removals of many keys at once: a kill leaves all of them or none.</summary>
internal sealed unsafe partial class TableTarget
{
    private IEnumerable<KeySide> Marks() =>
        Enumerable.Range(0, TableSet.RoleCount).SelectMany(table => TagsOf(table).Append(*_journal.ClearAt(table)));

    private List<KeySide> TagsOf(int table)
    {
        var tags = new List<KeySide>();
        for (int pair = 0; pair < _journal.Pairs; pair++)
        {
            for (int tag = 1; tag <= Journal.TagsPerPair; tag++)
                tags.Add(*_journal.TagAt(table, pair, tag));
        }
        return tags;
    }

    private void CheckMarks()
    {
        for (int table = 0; table < TableSet.RoleCount; table++)
        {
            if (_journal.ClearAt(table)->IsInFlight)
                CheckMark(_journal.ClearAt(table)->Then, table, 0, _journal.KeyCount, tag: 0);
            for (int pair = 0; pair < _journal.Pairs; pair++)
            {
                for (int tag = 1; tag <= Journal.TagsPerPair; tag++)
                {
                    KeySide* side = _journal.TagAt(table, pair, tag);
                    if (side->IsInFlight && !_journal.ClearAt(table)->IsInFlight)
                        CheckMark(side->Then, table, pair * Journal.KeysPerPair, (pair + 1) * Journal.KeysPerPair, tag);
                }
            }
        }
    }

    private void CheckMark(in EntryState removal, int table, int begin, int end, int tag)
    {
        int found = 0;
        int absent = 0;
        for (int key = begin; key < end; key++)
        {
            if ((int)TableSet.RoleOf(key) != table || !IsSureBut(key, tag, removal.Begin))
                continue;
            if (TryRead(key, out _))
                found++;
            else
                absent++;
        }
        if (found != 0 && absent != 0)
        {
            _findings.Wrong(
                tag == 0 ? "a clearing of a table is half done" : "a removal by tag is half done",
                $"{(TableRole)table}, tag {tag}: {found} are there, and {absent} are not");
        }
    }

    // Whether a key that was put before is there unless this one removal took it.
    private bool IsSureBut(int key, int tag, long removalBegan)
    {
        KeyRecord* record = _journal.KeyAt(key);
        EntryState last = record->Put.Last;
        if (record->Put.IsInFlight || record->Remove.IsInFlight || last.Revision == 0 || last.ExpiresFrom != 0 || last.End > removalBegan)
            return false;
        if (TableSet.RoleOf(key) == TableRole.Limited || (tag != 0 && last.Tag != tag) || record->Found.Last.End > last.Begin)
            return false;
        KeySide* clear = _journal.ClearAt((int)TableSet.RoleOf(key));
        if (clear->Last.End > last.Begin)
            return false;
        if (last.Tag == 0)
            return true;
        KeySide* side = _journal.TagAt((int)TableSet.RoleOf(key), TableSet.PairOf(key), last.Tag);
        return side->Last.End <= last.Begin && (tag != 0 || !side->IsInFlight);
    }

    // What they did is known by now: of each key it was seen whether it is there.
    private void WithdrawMarks()
    {
        for (int table = 0; table < TableSet.RoleCount; table++)
        {
            _journal.ClearAt(table)->Withdraw();
            for (int pair = 0; pair < _journal.Pairs; pair++)
            {
                for (int tag = 1; tag <= Journal.TagsPerPair; tag++)
                    _journal.TagAt(table, pair, tag)->Withdraw();
            }
        }
    }
}
