using System.Buffers;
using System.Collections.Generic;
using System.Threading;
using BigPile.Hash;
using BigPile.Torture.Journals;
using BigPile.Torture.Values;

namespace BigPile.Torture.Hash;

/// <summary>One thread's operations on its own records, on the counters of all, and on the database.</summary>
internal sealed unsafe partial class HashWorker : IWorker
{
    private const int LargeRecords = 8;

    private readonly HashTarget _target;
    private readonly HashDatabase _database;
    private readonly Journal _journal;
    private readonly Findings _findings;
    private readonly int _first;
    private readonly ThreadRecord* _record;
    private readonly Dice _dice;
    private readonly ArrayBufferWriter<byte> _value = new();

    internal HashWorker(HashTarget target, Journal journal, Findings findings, int thread, ulong seed)
    {
        _target = target;
        _database = target.Database;
        _journal = journal;
        _findings = findings;
        _first = thread * Journal.ObjectsPerThread;
        _record = journal.ThreadAt(thread);
        _dice = new Dice(seed);
    }

    public void Step()
    {
        if (_dice.OneIn(2500))
            Clear();
        else
            StepBesideOthers();
        Volatile.Write(ref _record->Operations, _record->Operations + 1);
    }

    private void StepBesideOthers()
    {
        _target.Clearing.EnterReadLock();
        try
        {
            if (!TryMaintain())
                Change(_first + (_dice.OneIn(3) ? _dice.Next(64) : _dice.Next(Journal.ObjectsPerThread)));
        }
        finally
        {
            _target.Clearing.ExitReadLock();
        }
    }

    private void Clear()
    {
        _target.Clearing.EnterWriteLock();
        try
        {
            _target.Clear();
        }
        finally
        {
            _target.Clearing.ExitWriteLock();
        }
    }

    private bool TryMaintain()
    {
        switch (_dice.Next(3000))
        {
            case < 8:
                long began = _journal.Tick();
                _database.Synchronize();
                _journal.RecordFlush(began);
                return true;
            case < 10:
                _database.Synchronize(hard: false);
                return true;
            case < 13:
                _database.Rebuild();
                return true;
            case < 16:
                Walk();
                return true;
            case < 19:
                HashStatistics s = _database.GetStatistics();
                if (s.FileBytes != s.IndexBytes + s.LiveBytes + s.FreeBytes + s.WaitingBytes)
                    _findings.Wrong("while it is running, the statistics do not add up", s.ToString());
                return true;
            default:
                return false;
        }
    }

    // What nobody changes comes exactly once: this thread's own records.
    private void Walk()
    {
        var seen = new HashSet<int>();
        foreach (HashRecord record in _database)
        {
            int id = HashValue.IdOf(record.Key.Span, _journal.ObjectCount);
            if (id < _first || id >= _first + Journal.ObjectsPerThread || HashValue.IsShared(id))
                continue;
            if (!seen.Add(id))
                _findings.Wrong("while it is running, a walk gives a record twice", $"record {id}");
            if (!HashTarget.IsValue(id, _journal.ObjectAt(id)->Now, record.Value.ToArray()))
                _findings.Wrong("while it is running, a walk gives another value", $"record {id}");
        }
        for (int id = _first; id < _first + Journal.ObjectsPerThread; id++)
        {
            if (!HashValue.IsShared(id) && _journal.ObjectAt(id)->Now.IsLive && !seen.Contains(id))
                _findings.Lost("while it is running, a walk leaves a record out", $"record {id}");
        }
    }

    private void Change(int id)
    {
        ObjectRecord* record = _journal.ObjectAt(id);
        if (HashValue.IsShared(id))
            Count(id, record);
        else if (!record->Now.IsLive)
            Add(id, record);
        else if (!_dice.OneIn(4) || Check(id, record))
            ChangeLive(id, record);
    }

    private void ChangeLive(int id, ObjectRecord* record)
    {
        int kind = _dice.Next(20);
        if (kind < 5)
            Remove(id, record);
        else if (HashValue.IsCounter(id))
            Count(id, record);
        else if (kind < 8 && record->Now.LengthBytes >= ValueBytes.HeadBytes && record->Now.Next < 500)
            Append(id, record);
        else
            Replace(id, record, kind < 14 ? record->Now.LengthBytes : LengthOf(id));
    }

    private bool Check(int id, ObjectRecord* record)
    {
        _value.ResetWrittenCount();
        bool isThere = _database.TryGet(HashValue.KeyOf(id), _value);
        if (isThere && HashTarget.IsValue(id, record->Now, _value.WrittenSpan.ToArray()))
            return true;
        string where = HashTarget.Where(id, record->Now);
        if (isThere)
            _findings.Wrong("while it is running, a record has another value", where);
        else
            _findings.Lost("while it is running, a record is not there", where);
        _target.Drop(id);
        return false;
    }

    private int LengthOf(int id)
    {
        if (id - _first < HashValue.SharedCounters + LargeRecords)
            return 20_000 + _dice.Next(1 << (12 + _dice.Next(7)));
        int length = _dice.OneIn(8) ? _dice.Next(ValueBytes.HeadBytes) : ValueBytes.HeadBytes + _dice.Next(1 << (1 + _dice.Next(9)));
        return _dice.OneIn(40) ? length * 8 : length;
    }
}
