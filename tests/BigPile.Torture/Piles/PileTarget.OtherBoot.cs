using System.Collections.Generic;
using System.Linq;
using BigPile.Durability;
using BigPile.Torture.Journals;
using BigPile.Torture.Values;

namespace BigPile.Torture.Piles;

/// <summary>After a start of the machine: what was flushed is there as it was or younger, and nothing is that was never put.</summary>
/// <remarks>
/// Every change since the last flush may be there or not, each for itself. What is found is taken over, so that the run goes on from it;
/// a second finding of one object (its deletion was undone, and so was not the put behind it) is deleted.
/// </remarks>
internal sealed unsafe partial class PileTarget
{
    private readonly record struct Found(ulong Pointer, ObjectVersion Version);

    private void ReconcileOtherBoot()
    {
        Dictionary<int, List<Found>> found = ParseEntries();
        for (int i = 0; i < journal.ObjectCount; i++)
            ReconcileOtherBoot(i, journal.ObjectAt(i), found.GetValueOrDefault(i) ?? []);
        foreach (ulong pointer in _entries.Keys.Where(pointer => !_known.Contains(pointer)))
            _ = pile.TryDelete(PilePointer.FromUInt64(pointer));
        journal.Head->OpenPuts = 0;
        journal.ForgetStale();
        CheckSums(hasFaults: true);
        journal.Head->IsOtherBoot = false;
    }

    private Dictionary<int, List<Found>> ParseEntries()
    {
        var all = new Dictionary<int, List<Found>>();
        Dictionary<ulong, int> owners = Owners();
        foreach ((ulong pointer, PileEntry entry) in _entries)
        {
            if (!StoredValue.TryGet(pile, PilePointer.FromUInt64(pointer), out object? value, out string difference))
            {
                findings.Wrong("after another start, an object can't be read", $"{entry}: {difference}");
                continue;
            }
            if (!TryParse(pointer, value!, owners, out int id, out ObjectVersion version))
                continue;
            if (!all.TryGetValue(id, out List<Found>? list))
                all[id] = list = [];
            list.Add(new Found(pointer, version with { Pointer = pointer }));
        }
        return all;
    }

    private bool TryParse(ulong pointer, object value, Dictionary<ulong, int> owners, out int id, out ObjectVersion version)
    {
        bool isWhole = StoredValue.TryParse(value, out id, out version) && id >= 0 && id < journal.ObjectCount;
        if (isWhole)
            return true;
        if (owners.TryGetValue(pointer, out id) && TryMatch(id, pointer, value, out version))
            return true;
        if (!StoredValue.IsNameless(value) && !IsLongWrite(pointer, value, owners))
            findings.Wrong(
                "after another start, an object is not what was put", $"{PilePointer.FromUInt64(pointer)}: {StoredValue.Describe(value)}");
        return false;
    }

    // Values that can't name themselves are known by comparison.
    private bool TryMatch(int id, ulong pointer, object value, out ObjectVersion version)
    {
        ObjectRecord* record = journal.ObjectAt(id);
        foreach (ObjectVersion candidate in new[] { record->Now, record->Then, record->FlushedAt(journal.FlushedUpTo) })
        {
            version = candidate with { Pointer = pointer };
            if (candidate.IsLive && candidate.Pointer == pointer && StoredValue.IsStored(pile, id, version, out _))
                return true;
        }
        version = default;
        return false;
    }

    // Of a part that is longer than a redo record, the first pieces may be there.
    private bool IsLongWrite(ulong pointer, object value, Dictionary<ulong, int> owners)
    {
        if (value is not byte[] bytes || (bytes.Length - ValueBytes.HeadBytes) / 2 <= RedoFile.MaxPartBytes)
            return false;
        if (!owners.TryGetValue(pointer, out int id) || journal.ObjectAt(id)->InFlight != Change.Replace)
            return false;
        ObjectRecord* record = journal.ObjectAt(id);
        return ValueBytes.IsBetween(bytes, ValueBytes.Build(id, record->Now), ValueBytes.Build(id, record->Then));
    }

    private Dictionary<ulong, int> Owners()
    {
        var owners = new Dictionary<ulong, int>();
        for (int i = 0; i < journal.ObjectCount; i++)
        {
            ObjectRecord* record = journal.ObjectAt(i);
            foreach (ObjectVersion version in new[] { record->FlushedAt(journal.FlushedUpTo), record->Then, record->Now })
            {
                if (version.IsLive && version.Pointer != 0)
                    owners[version.Pointer] = i;
            }
        }
        return owners;
    }

    private void ReconcileOtherBoot(int index, ObjectRecord* record, List<Found> found)
    {
        journal.Head->Compared++;
        ObjectVersion flushed = record->FlushedAt(journal.FlushedUpTo);
        ObjectVersion now = record->Now;
        bool mayBeDeleted = now.Pointer != flushed.Pointer || record->InFlight == Change.Delete;
        CheckFlushed(index, flushed, mayBeDeleted, found);
        foreach (Found item in found.Where(item => IsImpossible(item.Version, flushed) && !IsOpenPut(index, item.Version)))
            findings.Wrong(
                "after another start, an object is older than what was flushed", Where(index, item.Version) + "; " + Where(index, flushed));
        Found kept = found.Where(item => item.Pointer == now.Pointer)
            .Concat(found.OrderByDescending(static item => item.Version.Revision)).FirstOrDefault();
        if (kept.Pointer != 0)
            _known.Add(kept.Pointer);
        if (!kept.Version.HasSameValue(now) && (kept.Version.IsLive || now.IsLive))
            journal.Head->Undone++;
        journal.Begin(record, Change.Replace, kept.Pointer != 0 ? kept.Version : DeadFor(index));
        journal.Complete(record);
    }

    private void CheckFlushed(int index, in ObjectVersion flushed, bool mayBeDeleted, List<Found> found)
    {
        if (!flushed.IsLive || mayBeDeleted)
            return;
        ulong pointer = flushed.Pointer;
        if (found.Any(item => item.Pointer == pointer))
            return;
        bool isThere = _entries.ContainsKey(pointer);
        bool isNameless = flushed.LengthBytes < ValueBytes.HeadBytes + 2 || flushed.Shape == Shape.Zeros;
        if (isThere && isNameless)
            return; // changed since, and can't say to what
        if (!isThere)
            findings.Lost("after another start, a flushed object is not there", Where(index, flushed));
    }

    // A kill before has cut it off: nobody knew its pointer, so nobody has deleted it, whatever has become of the object since.
    private bool IsOpenPut(int index, in ObjectVersion found)
    {
        foreach (ref OpenPut put in journal.OpenPutsNow())
        {
            if (put.Id == index && put.Version.Revision == found.Revision)
                return true;
        }
        return false;
    }

    // A revision of before the flush, or the flushed one somewhere else.
    private static bool IsImpossible(in ObjectVersion found, in ObjectVersion flushed) =>
        found.Revision < (flushed.IsLive ? flushed.Revision : flushed.NextRevision)
        || (found.Revision == flushed.Revision && (found.PatchRevision < flushed.PatchRevision || found.Pointer != flushed.Pointer));
}
