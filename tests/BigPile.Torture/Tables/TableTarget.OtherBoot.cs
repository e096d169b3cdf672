using System;
using System.Collections.Generic;
using BigPile.Caching;
using BigPile.Torture.Journals;
using BigPile.Torture.Values;

namespace BigPile.Torture.Tables;

/// <summary>Comparing after a start of the machine: of each key there is what was flushed, or something younger that was put.</summary>
/// <remarks>Every put and removal since the last flush may be there or not, each for itself. What is found is taken over.</remarks>
internal sealed unsafe partial class TableTarget
{
    private void ReconcileOtherBoot()
    {
        var present = new HashSet<int>();
        for (int key = 0; key < _journal.KeyCount; key++)
        {
            if (ReconcileOtherBoot(key, _journal.KeyAt(key)))
                present.Add(key);
        }
        WithdrawMarks();
        CheckSums(present, isOtherBoot: true);
        _journal.Head->IsOtherBoot = false;
    }

    private bool ReconcileOtherBoot(int key, KeyRecord* record)
    {
        _journal.Head->Compared++;
        KeepFlushed(key);
        EntryState flushed = record->Flushed.Last;
        bool isFound = TryRead(key, out EntryInfo info);
        if (isFound)
            isFound = TakeOver(key, record, flushed, info);
        else
            CheckAbsentAfterOtherBoot(key, record, flushed);
        record->Remove.Withdraw();
        return isFound;
    }

    private bool TakeOver(int key, KeyRecord* record, in EntryState flushed, EntryInfo info)
    {
        bool isWhole = ValueBytes.TryParse(_value.WrittenSpan, out int id, out ObjectVersion version);
        string why = !isWhole || id != key
            ? "after another start, a key has a value that was never put"
            : WhyImpossible(key, record, flushed, version.Revision, info);
        if (why.Length != 0)
        {
            string found = ValueBytes.Describe(_value.WrittenSpan);
            _findings.Wrong(why, $"{Describe(key)}, flushed revision {flushed.Revision}, last {record->Put.Last.Revision}: {found}");
            Forget(key, record);
            return false;
        }
        EntryState known = StateOf(record, flushed, version.Revision);
        if (version.Revision != record->Put.Last.Revision)
            _journal.Head->Undone++;
        *LastVersionOf(key) = Math.Max(info.Version, *LastVersionOf(key));
        long tick = _journal.Tick();
        record->Put.Complete(known with
        {
            Revision = version.Revision, LengthBytes = version.LengthBytes, Version = info.Version, Begin = tick, End = _journal.Tick(),
            KeepsVersion = false, Found = false,
        });
        return true;
    }

    private string WhyImpossible(int key, KeyRecord* record, in EntryState flushed, uint revision, EntryInfo info)
    {
        EntryState last = record->Put.Last;
        if (revision < flushed.Revision)
            return "after another start, a key has an older value than was flushed";
        if (revision == flushed.Revision && flushed.Found)
            return "after another start, a key came back whose removal was flushed";
        if (revision == last.Revision && Rules.WhyGone(key, last with { ExpiresAt = 0 }, _journal.FlushedUpTo).Length != 0)
            return "after another start, a key came back whose removal was flushed";
        return revision == last.Revision && last.Version != 0 && info.Version != last.Version
            ? "after another start, an entry has another version"
            : "";
    }

    // Of a put between the flushed and the last one nobody knows any more when it was to expire, or what its tag was.
    private static EntryState StateOf(KeyRecord* record, in EntryState flushed, uint revision)
    {
        if (record->Put.Then.Revision == revision && record->Put.IsInFlight)
            return record->Put.Then with { ExpiresAt = 0 };
        if (record->Put.Last.Revision == revision)
            return record->Put.Last;
        return flushed.Revision == revision ? flushed : new EntryState { ExpiresFrom = 1 };
    }

    private void CheckAbsentAfterOtherBoot(int key, KeyRecord* record, in EntryState flushed)
    {
        if (flushed.Revision != 0 && !flushed.Found && !Rules.MayBeGone(key, flushed) && !MayBeGoneSince(key, record))
        {
            _findings.Lost(
                "after another start, a flushed key is not there",
                $"{Describe(key)} revision {flushed.Revision}, last {record->Put.Last.Revision}");
        }
        if (record->Put.Last.Revision != 0)
            _journal.Head->Undone++;
        record->Put.Complete(default);
    }

    // The younger values that took the flushed one's place may have been removed, or have expired.
    private bool MayBeGoneSince(int key, KeyRecord* record)
    {
        EntryState last = record->Put.Last;
        EntryState then = record->Put.Then;
        return last.Revision == 0 || Rules.MayBeGone(key, last) || (record->Put.IsInFlight && Rules.MayBeGone(key, then))
            || TableSet.RoleOf(key) == TableRole.Expirables;
    }
}
