using System.Collections.Generic;
using BigPile.Durability;
using BigPile.Torture.Journals;
using BigPile.Torture.Values;

namespace BigPile.Torture.Piles;

/// <summary>Objects of a pile; each belongs to one thread.</summary>
internal sealed unsafe partial class PileTarget(Pile pile, Journal journal, Findings findings) : ITarget
{
    private readonly Dictionary<ulong, PileEntry> _entries = [];
    private readonly HashSet<ulong> _known = [];

    public IWorker MakeWorker(int thread, ulong seed) => new PileWorker(pile, journal, findings, thread, seed);

    public void Reconcile()
    {
        for (int i = 0; i < journal.ObjectCount; i++)
        {
            ObjectRecord* record = journal.ObjectAt(i);
            if (record->InFlight == Change.Put)
            {
                journal.AddOpenPut(i, record->Then); // its pointer may be unknown: looked for at the next verification
                record->Withdraw();
            }
            else
            {
                ReconcileKnown(i, record);
            }
        }
    }

    public void Verify()
    {
        CollectEntries();
        if (journal.Head->IsOtherBoot)
        {
            ReconcileOtherBoot();
            return;
        }
        for (int i = 0; i < journal.ObjectCount; i++)
        {
            ObjectRecord* record = journal.ObjectAt(i);
            if (record->InFlight == Change.Put)
            {
                journal.AddOpenPut(i, record->Then);
                record->Withdraw();
            }
            ReconcileKnown(i, record);
            if (record->Now.IsLive)
                CheckLive(i, record);
        }
        CheckUnknown();
        CheckStale();
        CheckNext();
        CheckSums(hasFaults: false);
    }

    private void CheckSums(bool hasFaults)
    {
        long began = journal.Tick();
        var census = new BlockCensus(pile);
        journal.RecordFlush(began);
        foreach (CensusBlock block in census.Orphans())
            findings.Leaked("a payload behind a link that is no more", block.ToString());
        foreach (CensusBlock block in census.Objects)
        {
            if (!_known.Contains(block.Pointer))
                findings.Leaked("a block that nobody put", block.ToString());
        }
        StatisticsCheck.Run(pile, _known.Count, findings, hasFaults);
    }

    // A change of an object that was there: its pointer tells whether it is the old or the new one.
    private void ReconcileKnown(int index, ObjectRecord* record)
    {
        if (record->InFlight == Change.None)
            return;
        ObjectVersion old = record->Now;
        bool isOld = StoredValue.IsStored(pile, index, old, out string difference);
        if (isOld)
        {
            journal.Head->FoundAbsent++;
            record->Withdraw();
            return;
        }
        bool isNew = record->InFlight == Change.Delete
            ? !pile.Contains(PilePointer.FromUInt64(old.Pointer))
            : StoredValue.IsStored(pile, index, record->Then, out difference) || EndLongWrite(index, old, record->Then);
        if (!isNew)
        {
            findings.Wrong(
                record->InFlight == Change.Delete
                    ? "a deletion in flight changed its object"
                    : "a replacement in flight is neither old nor new",
                Where(index, old) + ": " + difference);
            Drop(index, record);
            return;
        }
        journal.Head->FoundWhole++;
        if (record->InFlight == Change.Delete)
            journal.AddStale(index / Journal.ObjectsPerThread, old.Pointer);
        journal.Complete(record);
    }

    // A part that is longer than a redo record is whole or absent piece by piece.
    private bool EndLongWrite(int index, in ObjectVersion old, in ObjectVersion then)
    {
        if (then.PatchRevision == 0 || (then.LengthBytes - ValueBytes.HeadBytes) / 2 <= RedoFile.MaxPartBytes)
            return false;
        var pointer = PilePointer.FromUInt64(then.Pointer);
        bool isBetween = StoredValue.TryGet(pile, pointer, out object? value, out _) && value is byte[] found
            && ValueBytes.IsBetween(found, ValueBytes.Build(index, old), ValueBytes.Build(index, then));
        if (isBetween)
            pile.Replace(pointer, StoredValue.Make(index, then));
        return isBetween;
    }

    private void CollectEntries()
    {
        foreach (PileEntry entry in pile)
        {
            if (!_entries.TryAdd(entry.Pointer.ToUInt64(), entry))
                findings.Wrong("the enumeration gives an object twice", entry.ToString());
        }
    }

    private void CheckLive(int index, ObjectRecord* record)
    {
        ObjectVersion now = record->Now;
        journal.Head->Compared++;
        if (!StoredValue.IsStored(pile, index, now, out string difference))
        {
            string where = Where(index, now) + ": " + difference;
            if (pile.Contains(PilePointer.FromUInt64(now.Pointer)))
                findings.Wrong("an object has another value", where);
            else
                findings.Lost("an object is not there", where);
            Drop(index, record);
        }
        else if (!_known.Add(now.Pointer))
        {
            findings.Wrong("one pointer was given to two objects", Where(index, now));
            Drop(index, record);
        }
        else if (!_entries.TryGetValue(now.Pointer, out PileEntry entry))
        {
            findings.Wrong("the enumeration leaves an object out", Where(index, now));
        }
        else if (now.Shape is not (Shape.Utf8 or Shape.Node) && entry.SizeBytes != now.LengthBytes)
        {
            findings.Wrong("the enumeration states another size", Where(index, now) + $": {entry.SizeBytes}");
        }
    }

    // What nobody knows of is a put in flight, or a ghost.
    private void CheckUnknown()
    {
        var open = new List<OpenPut>(journal.OpenPutsNow().ToArray());
        foreach ((ulong pointer, PileEntry entry) in _entries)
        {
            var found = PilePointer.FromUInt64(pointer);
            if (_known.Contains(pointer) || !pile.Contains(found))
                continue;
            int match = open.FindIndex(put => StoredValue.IsStored(pile, found, put.Id, put.Version, out _));
            if (match < 0)
                findings.Leaked(
                    "a ghost: an object that was never put, or was deleted", $"{entry}: {ValueBytes.Describe(pile.GetBytes(found))}");
            else
                open.RemoveAt(match);
            journal.Head->FoundWhole += match < 0 ? 0 : 1;
            pile.Delete(found);
            journal.AddStale(0, pointer);
        }
        journal.Head->FoundAbsent += open.Count;
        journal.Head->OpenPuts = 0;
    }

    private void CheckStale()
    {
        for (int thread = 0; thread < journal.Threads; thread++)
        {
            foreach (ref ulong pointer in journal.StaleOf(thread))
            {
                if (!pile.Contains(PilePointer.FromUInt64(pointer)))
                    continue;
                findings.Wrong("the pointer of a deleted object names something", PilePointer.FromUInt64(pointer).ToString());
                pointer = 0; // counted once
            }
        }
    }

    private void CheckNext()
    {
        for (int i = 0; i < journal.ObjectCount; i++)
        {
            ObjectVersion now = journal.ObjectAt(i)->Now;
            if (now.IsLive && now.Next != 0 && pile.Contains(PilePointer.FromUInt64(now.Next)) != _known.Contains(now.Next))
                findings.Wrong("a pointer in an object does not lead where it did", Where(i, now));
        }
    }

    // So that one fault is counted once.
    private void Drop(int index, ObjectRecord* record)
    {
        ObjectVersion now = record->Now;
        _ = pile.TryDelete(PilePointer.FromUInt64(now.Pointer));
        journal.AddStale(index / Journal.ObjectsPerThread, now.Pointer);
        journal.Begin(record, Change.Delete, DeadFor(index));
        journal.Complete(record);
    }

    private ObjectVersion DeadFor(int index) =>
        new() { PatchRevision = journal.ThreadAt(index / Journal.ObjectsPerThread)->LastRevision };

    private static string Where(int index, in ObjectVersion version) =>
        $"object {index} revision {version.Revision} at {PilePointer.FromUInt64(version.Pointer)}, {version.Shape} of "
        + $"{version.LengthBytes}";
}
