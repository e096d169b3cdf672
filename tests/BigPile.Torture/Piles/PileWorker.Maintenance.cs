using System;
using System.Collections.Generic;
using BigPile.Torture.Journals;
using BigPile.Torture.Values;

namespace BigPile.Torture.Piles;

/// <summary>What is done to the pile as a whole, or to many objects at once, beside the changes of the other threads.</summary>
internal sealed unsafe partial class PileWorker
{
    private const int BatchObjects = 12;
    private const int LongestLease = 400;

    private PileLease? _lease;
    private byte[] _leased = [];
    private int _leaseSteps;

    private bool TryMaintain()
    {
        CheckLease();
        switch (_dice.Next(3000))
        {
            case < 3:
                FlushPile();
                return true;
            case < 9:
                _pile.Trim();
                return true;
            case < 13:
                _ = _pile.Compact();
                return true;
            case < 17:
                Walk();
                return true;
            case < 60:
                PutMany();
                return true;
            case < 90:
                GetMany();
                return true;
            case < 120:
                BeginLease(_first + _dice.Next(Journal.ObjectsPerThread));
                return true;
            default:
                return false;
        }
    }

    private void FlushPile()
    {
        long began = _journal.Tick();
        _pile.Flush();
        _journal.RecordFlush(began);
    }

    // What nobody changes comes exactly once; of the objects, only this thread changes its own.
    private void Walk()
    {
        var seen = new HashSet<ulong>();
        foreach (PileEntry entry in _pile)
        {
            if (!seen.Add(entry.Pointer.ToUInt64()))
                _findings.Wrong("while it is running, a walk gives an object twice", entry.ToString());
        }
        for (int i = _first; i < _first + Journal.ObjectsPerThread; i++)
        {
            ObjectVersion now = _journal.ObjectAt(i)->Now;
            if (now.IsLive && !seen.Contains(now.Pointer))
                _findings.Lost("while it is running, a walk leaves an object out", $"object {i} at {PilePointer.FromUInt64(now.Pointer)}");
        }
    }

    // All or nothing where one fails; after a kill, any of them.
    private void PutMany()
    {
        List<int> absent = Choose(isLive: false);
        var versions = new ObjectVersion[absent.Count];
        var values = new object[absent.Count];
        for (int i = 0; i < values.Length; i++)
        {
            versions[i] = NewVersion(SmallLength());
            values[i] = StoredValue.Make(absent[i], versions[i]);
            _journal.Begin(_journal.ObjectAt(absent[i]), Journals.Change.Put, versions[i]);
        }
        var pointers = new PilePointer[values.Length];
        _pile.PutMany<object>(values, pointers);
        for (int i = 0; i < values.Length; i++)
        {
            ObjectRecord* record = _journal.ObjectAt(absent[i]);
            record->SetThen(versions[i] with { Pointer = pointers[i].ToUInt64() });
            _journal.Complete(record);
        }
    }

    private void GetMany()
    {
        List<int> present = Choose(isLive: true);
        PilePointer[] pointers = [.. present.ConvertAll(index => PilePointer.FromUInt64(_journal.ObjectAt(index)->Now.Pointer))];
        int count = _pile.GetMany(pointers, new object?[pointers.Length]);
        if (count != pointers.Length)
            _findings.Lost("while it is running, a batch does not find its objects", $"{count} of {pointers.Length}");
    }

    private List<int> Choose(bool isLive)
    {
        var chosen = new List<int>();
        int start = _dice.Next(Journal.ObjectsPerThread - LargeObjects);
        for (int i = 0; i < Journal.ObjectsPerThread - LargeObjects && chosen.Count < BatchObjects; i++)
        {
            int index = _first + LargeObjects + (start + i) % (Journal.ObjectsPerThread - LargeObjects);
            if (_journal.ObjectAt(index)->Now.IsLive == isLive)
                chosen.Add(index);
        }
        return chosen;
    }

    private void BeginLease(int index)
    {
        ObjectVersion now = _journal.ObjectAt(index)->Now;
        if (_lease != null || !now.IsLive || !_pile.TryLease(PilePointer.FromUInt64(now.Pointer), out _lease))
            return;
        _leased = _lease.Span.ToArray();
        _leaseSteps = _dice.Next(LongestLease);
        if (_dice.OneIn(2))
            Delete(index, _journal.ObjectAt(index)); // its room must not be used again before the lease ends
        else if (_dice.OneIn(2))
            Replace(index, _journal.ObjectAt(index), now.LengthBytes);
    }

    // Held over many other operations, flushes and trims among them.
    private void CheckLease()
    {
        if (_lease == null || --_leaseSteps > 0)
            return;
        if (!_lease.Span.SequenceEqual(_leased))
            _findings.Wrong("while it is running, bytes changed under a long lease", ValueBytes.Describe(_leased));
        _lease.Dispose();
        _lease = null;
    }

    private void Allocate(int index, ObjectRecord* record, int lengthBytes)
    {
        var then = new ObjectVersion { Revision = ++_record->LastRevision, LengthBytes = lengthBytes, Shape = Shape.Zeros };
        _journal.Begin(record, Journals.Change.Put, then);
        then.Pointer = _pile.Allocate(lengthBytes).ToUInt64();
        record->SetThen(then);
        _journal.Complete(record);
    }

    // The first part of what was allocated says whose it is.
    private void WriteHead(int index, ObjectRecord* record)
    {
        ObjectVersion then = record->Now with { Shape = Shape.Raw, Revision = ++_record->LastRevision };
        _journal.Begin(record, Journals.Change.Replace, then);
        _pile.Write(PilePointer.FromUInt64(then.Pointer), ValueBytes.BuildRawHead(index, then.Revision, then.LengthBytes));
        _journal.Complete(record);
    }
}
