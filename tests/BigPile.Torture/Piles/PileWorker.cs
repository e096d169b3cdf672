using System;
using System.Threading;
using BigPile.Torture.Journals;
using BigPile.Torture.Values;

namespace BigPile.Torture.Piles;

/// <summary>One thread's operations on its own objects.</summary>
internal sealed unsafe partial class PileWorker : IWorker
{
    private const int LargeObjects = 6;

    private readonly Pile _pile;
    private readonly Journal _journal;
    private readonly Findings _findings;
    private readonly int _thread;
    private readonly int _first;
    private readonly ThreadRecord* _record;
    private readonly Dice _dice;
    private readonly PileChurn _churn;

    internal PileWorker(Pile pile, Journal journal, Findings findings, int thread, ulong seed)
    {
        _pile = pile;
        _journal = journal;
        _findings = findings;
        _thread = thread;
        _first = thread * Journal.ObjectsPerThread;
        _record = journal.ThreadAt(thread);
        _dice = new Dice(seed);
        _churn = new PileChurn(_dice);
    }

    public void Step()
    {
        if (_churn.TryNext(out int churned, out int lengthBytes))
            Churn(churned, lengthBytes);
        else if (_dice.OneIn(1500))
            _churn.Begin();
        else if (!TryMaintain())
            Change(_dice.Next(Journal.ObjectsPerThread));
        Volatile.Write(ref _record->Operations, _record->Operations + 1);
    }

    // A churn fills pages with objects of one size, or empties them; it ends with giving memory back.
    private void Churn(int slot, int lengthBytes)
    {
        if (slot == PileChurn.GiveBack)
        {
            _pile.Trim();
            return;
        }
        ObjectRecord* record = _journal.ObjectAt(_first + slot);
        if (lengthBytes < 0 && record->Now.IsLive)
            Delete(_first + slot, record);
        else if (lengthBytes >= 0 && !record->Now.IsLive)
            Put(_first + slot, record, slot < LargeObjects ? LargeLength() : lengthBytes);
    }

    private void Change(int slot)
    {
        int index = _first + slot;
        ObjectRecord* record = _journal.ObjectAt(index);
        if (!record->Now.IsLive && _dice.OneIn(8))
        {
            Allocate(index, record, ValueBytes.MinPatchedBytes + SmallLength());
            return;
        }
        if (!record->Now.IsLive)
        {
            Put(index, record, slot < LargeObjects ? LargeLength() : SmallLength());
            return;
        }
        if (_dice.OneIn(4) && !Check(index, record))
            return;
        if (record->Now.Shape == Shape.Zeros)
        {
            WriteHead(index, record);
            return;
        }
        switch (_dice.Next(20))
        {
            case < 4:
                Delete(index, record);
                break;
            case < 9:
                Replace(index, record, Math.Max(9, record->Now.LengthBytes / (1 + _dice.Next(3))));
                break;
            case < 13:
                Replace(index, record, Math.Min(record->Now.LengthBytes * (1 + _dice.Next(4)), 1 << 20));
                break;
            case < 16:
                Patch(index, record);
                break;
            case < 18:
                ChangeLeased(index, record);
                break;
            default:
                CheckStale();
                break;
        }
    }

    private bool Check(int index, ObjectRecord* record)
    {
        ObjectVersion now = record->Now;
        if (StoredValue.IsStored(_pile, index, now, out string difference))
            return true;
        string where = $"object {index} revision {now.Revision} at {PilePointer.FromUInt64(now.Pointer)}: {difference}";
        if (_pile.Contains(PilePointer.FromUInt64(now.Pointer)))
            _findings.Wrong("while it is running, an object has another value", where);
        else
            _findings.Lost("while it is running, an object is not there", where);
        _journal.Begin(record, Journals.Change.Delete, Dead);
        _ = _pile.TryDelete(PilePointer.FromUInt64(now.Pointer));
        _journal.Complete(record);
        return false;
    }

    private void CheckStale()
    {
        Span<ulong> stale = _journal.StaleOf(_thread);
        if (stale.Length == 0)
            return;
        var pointer = PilePointer.FromUInt64(stale[_dice.Next(stale.Length)]);
        if (_pile.Contains(pointer))
            _findings.Wrong("while it is running, the pointer of a deleted object names something", pointer.ToString());
    }

    private int SmallLength()
    {
        int lengthBytes = 9 + _dice.Next(1 << (3 + _dice.Next(9)));
        return _dice.OneIn(40) ? lengthBytes * 8 : lengthBytes;
    }

    private int LargeLength() => 33_000 + _dice.Next(1 << (15 + _dice.Next(8)));
}
