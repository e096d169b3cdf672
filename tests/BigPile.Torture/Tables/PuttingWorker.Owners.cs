using System;
using System.Linq;
using BigPile.Torture.Journals;
using BigPile.Torture.Values;

namespace BigPile.Torture.Tables;

/// <summary>Reading, and values that are objects of their own: nobody else changes those keys.</summary>
internal sealed unsafe partial class PuttingWorker
{
    private void ChangeOwner(int key)
    {
        switch (_dice.Next(10))
        {
            case < 4:
                Put(key, OptionsFor(key, out EntryState owned), owned, asObject: true);
                break;
            case < 6:
                Put(key, OptionsFor(key, out EntryState plain), plain);
                break;
            case 6:
                MoveOut(key, putsAgain: false);
                break;
            case 7:
                MoveOut(key, putsAgain: true);
                break;
            case 8:
                ReplaceOwned(key);
                break;
            default:
                _target.RemoveKey(key);
                break;
        }
    }

    // The value stays what it is; its entry becomes another one.
    private void MoveOut(int key, bool putsAgain)
    {
        KeyRecord* record = _journal.KeyAt(key);
        record->Put.Complete(record->Put.Last with { Version = 0, IsOwned = true });
        IKeyTable table = _target.Tables.Of(key);
        if (table.TryGetPointer(key, out PilePointer pointer) && putsAgain)
            table.PutPointer(key, pointer, null);
    }

    private void ReplaceOwned(int key)
    {
        KeyRecord* record = _journal.KeyAt(key);
        MoveOut(key, putsAgain: false);
        if (!record->Put.Last.IsOwned || !_target.Tables.Of(key).TryGetPointer(key, out PilePointer pointer))
            return;
        EntryState then = record->Put.Last with { Revision = ++_record->LastRevision, LengthBytes = Length(), KeepsVersion = true };
        Begin(key, ref then);
        _target.Pile.Replace(pointer, ValueBytes.Build(key, then.Revision, 0, then.LengthBytes));
        Complete(key, record, then with { KeepsVersion = false });
    }

    // Only this thread puts the key; so what it put last is there, or nothing.
    private void Check(int key)
    {
        EntryState last = _journal.KeyAt(key)->Put.Last;
        string why = _target.Rules.WhyGone(key, last);
        byte[]? found = Read(key);
        if (found == null)
        {
            if (!_target.Rules.MayBeGone(key, last))
                _findings.Lost("while it is running, a key is not there", $"key {key} ({TableSet.RoleOf(key)}) revision {last.Revision}");
            return;
        }
        string where = $"key {key} ({TableSet.RoleOf(key)}) after revision {last.Revision}: {ValueBytes.Describe(found)}";
        if (last.Revision == 0 || !found.SequenceEqual(ValueBytes.Build(key, last.Revision, 0, last.LengthBytes)))
            _findings.Wrong("while it is running, a key has a value that was not put last", where);
        else if (why.Length != 0)
            _findings.Wrong("while it is running, " + why, where);
    }

    private byte[]? Read(int key)
    {
        IKeyTable table = _target.Tables.Of(key);
        switch (_dice.Next(3))
        {
            case 0:
                return table.TryGet(key, out byte[]? value) ? value : null;
            case 1:
                return table.TryLease(key, out PileLease? lease) ? CopyOf(lease!) : null;
            default:
                _value.ResetWrittenCount();
                return table.TryRead(key, _value, out _) ? _value.WrittenSpan.ToArray() : null;
        }
    }

    private static byte[] CopyOf(PileLease lease)
    {
        using (lease)
            return lease.Span.ToArray();
    }
}
