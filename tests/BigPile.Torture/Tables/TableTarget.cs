using System;
using System.Buffers;
using System.Collections.Generic;
using System.Globalization;
using BigPile.Caching;
using BigPile.Torture.Journals;
using BigPile.Torture.Values;

namespace BigPile.Torture.Tables;

/// <summary>Keys of two tables; each has a thread that puts it and another that removes it.</summary>
internal sealed unsafe class TableTarget : ITarget
{
    private readonly PileCache _cache;
    private readonly CacheTable<long, byte[]> _numbers;
    private readonly CacheTable<string, byte[]> _names;
    private readonly Journal _journal;
    private readonly Findings _findings;
    private readonly ArrayBufferWriter<byte> _value = new();

    internal TableTarget(PileCache cache, Journal journal, Findings findings)
    {
        _cache = cache;
        _numbers = cache.GetOrCreateTable<long, byte[]>("numbers");
        _names = cache.GetOrCreateTable<string, byte[]>("names");
        _journal = journal;
        _findings = findings;
        BeingPut = new int[journal.Threads / 2];
        for (int pair = 0; pair < BeingPut.Length; pair++)
            BeingPut[pair] = pair * Journal.KeysPerPair;
        LastPut = [.. BeingPut];
    }

    /// <summary>The key that each pair's first thread puts, for the second to remove.</summary>
    internal int[] BeingPut { get; }

    /// <summary>The key that each pair's first thread put last, likewise.</summary>
    internal int[] LastPut { get; }

    public IWorker MakeWorker(int thread, ulong seed) =>
        thread % 2 == 0
            ? new PuttingWorker(this, _journal, _findings, thread, seed)
            : new RemovingWorker(this, _journal, thread, seed);

    public void Settle()
    {
        for (int i = 0; i < _journal.KeyCount; i++)
        {
            if (_journal.KeyAt(i)->Put.IsInFlight || _journal.KeyAt(i)->Remove.IsInFlight)
                _ = CheckKey(i);
        }
    }

    public void Verify()
    {
        var present = new HashSet<int>();
        for (int i = 0; i < _journal.KeyCount; i++)
        {
            if (CheckKey(i))
                present.Add(i);
        }
        var listed = new HashSet<int>();
        foreach (int key in ListedKeys())
        {
            if (!listed.Add(key))
                _findings.Wrong("a table lists a key twice", $"key {key}");
        }
        if (!listed.SetEquals(present))
            _findings.Wrong("the tables list other keys than they find", $"{listed.Count:N0} listed, {present.Count:N0} found");
        if (_numbers.Count + _names.Count != present.Count)
            _findings.Wrong("the tables count other keys than they find", $"{_numbers.Count + _names.Count:N0} instead of {present.Count:N0}");
        StatisticsCheck.Run(_cache.Pile, present.Count, _findings);
    }

    internal ulong Put(int key, byte[] value, bool typed)
    {
        if (typed)
        {
            _ = key % 2 == 0 ? _numbers.Put(key, value) : _names.Put(NameOf(key), value);
            return 0;
        }
        EntryInfo info;
        _ = key % 2 == 0 ? _numbers.PutBytes(key, value, out info) : _names.PutBytes(NameOf(key), value, out info);
        return info.Version;
    }

    internal bool Remove(int key) => key % 2 == 0 ? _numbers.Remove(key) : _names.Remove(NameOf(key));

    private static string NameOf(int key) => string.Create(CultureInfo.InvariantCulture, $"key {key}");

    private IEnumerable<int> ListedKeys()
    {
        foreach (long key in _numbers.Keys)
            yield return (int)key;
        foreach (string name in _names.Keys)
            yield return int.Parse(name.AsSpan(4), CultureInfo.InvariantCulture);
    }

    /// <summary>Compares one key with what its two threads did, while nobody changes it.</summary>
    private bool CheckKey(int key)
    {
        KeyRecord* record = _journal.KeyAt(key);
        _journal.Head->Compared++;
        bool isFound = TryRead(key, out EntryInfo info);
        if (isFound)
            isFound = CheckFound(key, record, info);
        else
            CheckAbsent(key, record);
        if (record->Remove.IsInFlight)
            record->Remove.Withdraw();
        return isFound;
    }

    private bool CheckFound(int key, KeyRecord* record, EntryInfo info)
    {
        EntryState last = record->Put.Last;
        EntryState then = record->Put.Then;
        ulong* lastVersion = &_journal.ThreadAt(key / Journal.KeysPerPair * 2)->LastVersion;
        if (record->Put.IsInFlight && IsValue(key, then))
        {
            if (info.Version <= *lastVersion)
                _findings.Wrong("versions went backwards", $"key {key}: {info.Version} after {*lastVersion}");
            *lastVersion = info.Version;
            _journal.Head->FoundWhole++;
            record->Put.Complete(then with { Version = info.Version, End = _journal.Tick() });
            return true;
        }
        if (!IsValue(key, last))
        {
            string found = ValueBytes.Describe(_value.WrittenSpan);
            _findings.Wrong("a key has a value that was not put last", $"key {key} after revision {last.Revision}: {found}");
            Forget(key, record);
            return false;
        }
        if (record->Put.IsInFlight)
        {
            _journal.Head->FoundAbsent++;
            record->Put.Withdraw();
        }
        if (last.Version != 0 && info.Version != last.Version)
            _findings.Wrong("an entry has another version", $"key {key}: {info.Version} instead of {last.Version}");
        if (record->Remove.Last.Begin <= last.End)
            return true;
        _findings.Wrong("a removed key came back", $"key {key} revision {last.Revision} version {info.Version}");
        Forget(key, record);
        return false;
    }

    private void CheckAbsent(int key, KeyRecord* record)
    {
        EntryState last = record->Put.Last;
        bool mayBeRemoved = record->Remove.IsInFlight || record->Found.Last.End > last.Begin;
        if (last.Revision != 0 && !mayBeRemoved)
            _findings.Lost("a key is not there", $"key {key} revision {last.Revision} version {last.Version}");
        record->Put.Complete(default);
    }

    private void Forget(int key, KeyRecord* record)
    {
        _ = Remove(key);
        record->Put.Complete(default);
    }

    private bool TryRead(int key, out EntryInfo info)
    {
        _value.ResetWrittenCount();
        return key % 2 == 0 ? _numbers.TryRead(key, _value, out info) : _names.TryRead(NameOf(key), _value, out info);
    }

    private bool IsValue(int key, EntryState state) =>
        state.Revision != 0 && _value.WrittenSpan.SequenceEqual(ValueBytes.Build(key, state.Revision, 0, state.LengthBytes));
}
