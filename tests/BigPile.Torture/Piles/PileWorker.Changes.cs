using System;
using System.Buffers;
using BigPile.Torture.Journals;
using BigPile.Torture.Values;

namespace BigPile.Torture.Piles;

/// <summary>The operations that change something: stated in the journal before and after.</summary>
internal sealed unsafe partial class PileWorker
{
    private void Put(int index, ObjectRecord* record, int lengthBytes)
    {
        ObjectVersion then = NewVersion(lengthBytes);
        object value = StoredValue.Make(index, then);
        _journal.Begin(record, Journals.Change.Put, then);
        then.Pointer = PutInOneOfTheWays(value, lengthBytes).ToUInt64();
        record->SetThen(then);
        _journal.Complete(record);
    }

    private PilePointer PutInOneOfTheWays(object value, int lengthBytes) => _dice.Next(10) switch
    {
        < 2 => _pile.PutWithCapacity(value, lengthBytes * (1 + _dice.Next(3))),
        2 when value is byte[] bytes => _pile.Put(new ReadOnlySequence<byte>(bytes)),
        _ => _pile.Put(value),
    };

    private void Replace(int index, ObjectRecord* record, int lengthBytes)
    {
        ObjectVersion then = NewVersion(lengthBytes);
        then.Pointer = record->Now.Pointer;
        object value = StoredValue.Make(index, then);
        _journal.Begin(record, Journals.Change.Replace, then);
        _pile.Replace(PilePointer.FromUInt64(then.Pointer), value);
        _journal.Complete(record);
    }

    private void Patch(int index, ObjectRecord* record)
    {
        ObjectVersion then = record->Now;
        if (then.Shape is not (Shape.Bytes or Shape.Raw)
            || then.LengthBytes is < ValueBytes.MinPatchedBytes or > ValueBytes.MaxPatchedBytes)
        {
            Replace(index, record, then.LengthBytes);
            return;
        }
        then.PatchRevision = ++_record->LastRevision;
        byte[] patch = ValueBytes.BuildPatch(index, then.PatchRevision, then.LengthBytes);
        _journal.Begin(record, Journals.Change.Replace, then);
        _pile.Write(PilePointer.FromUInt64(then.Pointer), patch, ValueBytes.PatchOffset(then.LengthBytes));
        _journal.Complete(record);
    }

    private void Delete(int index, ObjectRecord* record)
    {
        ulong pointer = record->Now.Pointer;
        _journal.Begin(record, Journals.Change.Delete, Dead);
        _pile.Delete(PilePointer.FromUInt64(pointer));
        _journal.AddStale(_thread, pointer);
        _journal.Complete(record);
        if (_pile.Contains(PilePointer.FromUInt64(pointer)))
            _findings.Wrong("while it is running, a deleted object is there", $"object {index}");
    }

    // A lease must show what it showed, whatever happens to the object.
    private void ChangeLeased(int index, ObjectRecord* record)
    {
        using PileLease lease = _pile.Lease(PilePointer.FromUInt64(record->Now.Pointer));
        byte[] before = lease.Span.ToArray();
        if (_dice.OneIn(3))
            Delete(index, record);
        else if (_dice.OneIn(2))
            Patch(index, record);
        else
            Replace(index, record, record->Now.LengthBytes);
        if (!lease.Span.SequenceEqual(before))
            _findings.Wrong("while it is running, leased bytes changed", $"object {index}");
    }

    private ObjectVersion Dead => new() { PatchRevision = _record->LastRevision };

    private ObjectVersion NewVersion(int lengthBytes)
    {
        var version = new ObjectVersion
        {
            Revision = ++_record->LastRevision,
            LengthBytes = lengthBytes,
            Shape = _dice.OneIn(2) ? Shape.Bytes : (Shape)_dice.Next((int)Shape.Node + 1),
        };
        if (version.Shape == Shape.Node)
            version.Next = _journal.ObjectAt(_first + _dice.Next(Journal.ObjectsPerThread))->Now.Pointer;
        return version;
    }
}
