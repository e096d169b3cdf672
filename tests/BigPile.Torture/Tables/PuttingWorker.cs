using System;
using System.Buffers;
using System.Collections.Generic;
using System.Threading;
using BigPile.Caching;
using BigPile.Torture.Journals;
using BigPile.Torture.Values;

namespace BigPile.Torture.Tables;

/// <summary>The thread of a pair that puts.</summary>
internal sealed unsafe partial class PuttingWorker : IWorker
{
    private const int HotKeys = 24;
    private const int BatchKeys = 6;
    private const int LongestAgeMs = 3000;

    private readonly TableTarget _target;
    private readonly Journal _journal;
    private readonly Findings _findings;
    private readonly int _pair;
    private readonly Dice _dice;
    private readonly ThreadRecord* _record;
    private readonly TableMaintenance _maintenance;
    private readonly ArrayBufferWriter<byte> _value = new();

    internal PuttingWorker(TableTarget target, Journal journal, Findings findings, int thread, ulong seed)
    {
        _target = target;
        _journal = journal;
        _findings = findings;
        _pair = thread / 2;
        _dice = new Dice(seed);
        _record = journal.ThreadAt(thread);
        _maintenance = new TableMaintenance(target, journal, findings, thread, _dice);
    }

    public void Step()
    {
        if (!_maintenance.TryStep())
            Change(_pair * Journal.KeysPerPair + (_dice.OneIn(2) ? _dice.Next(HotKeys) : _dice.Next(Journal.KeysPerPair)));
        Volatile.Write(ref _record->Operations, _record->Operations + 1);
    }

    private void Change(int key)
    {
        if (_dice.OneIn(4))
            Check(key);
        else if (TableSet.RoleOf(key) == TableRole.Owners)
            ChangeOwner(key);
        else if (_dice.OneIn(40))
            PutMany(key);
        else
            Put(key, OptionsFor(key, out EntryState then), then);
    }

    private void Put(int key, EntryOptions? options, EntryState then, bool asObject = false)
    {
        KeyRecord* record = _journal.KeyAt(key);
        byte[] value = ValueBytes.Build(key, then.Revision, 0, then.LengthBytes);
        then.IsOwned = asObject || (TableSet.RoleOf(key) <= TableRole.Names && _dice.OneIn(8));
        Volatile.Write(ref _target.BeingPut[_pair], key);
        Begin(key, ref then);
        IKeyTable table = _target.Tables.Of(key);
        if (then.IsOwned)
            table.PutPointer(key, _target.Pile.Put(value), options);
        else if (_dice.OneIn(4))
            table.Put(key, value, options);
        else
            then.Version = table.PutBytes(key, value, options).Version;
        Complete(key, record, then);
        Volatile.Write(ref _target.LastPut[_pair], key);
    }

    private void Begin(int key, ref EntryState then)
    {
        _target.KeepFlushed(key);
        then.Begin = _journal.Tick();
        _journal.KeyAt(key)->Put.Begin(then);
    }

    private void Complete(int key, KeyRecord* record, EntryState then)
    {
        if (then.ExpiresAt != 0)
            then.ExpiresAt += _target.Time.NowTicks; // was the age until now
        then.End = _journal.Tick();
        record->Put.Complete(then);
        if (then.Version != 0)
            RecordVersion(key, then.Version);
    }

    private void PutMany(int first)
    {
        var keys = new List<int>();
        for (int key = first; keys.Count < BatchKeys && key < (_pair + 1) * Journal.KeysPerPair; key++)
        {
            if (TableSet.RoleOf(key) == TableSet.RoleOf(first))
                keys.Add(key);
        }
        EntryOptions? options = OptionsFor(first, out EntryState like);
        var states = new EntryState[keys.Count];
        var values = new byte[keys.Count][];
        for (int i = 0; i < keys.Count; i++)
        {
            states[i] = like with { Revision = ++_record->LastRevision, LengthBytes = Length() };
            values[i] = ValueBytes.Build(keys[i], states[i].Revision, 0, states[i].LengthBytes);
            Begin(keys[i], ref states[i]);
        }
        _target.Tables.Of(first).PutMany([.. keys], values, options);
        for (int i = 0; i < keys.Count; i++)
            Complete(keys[i], _journal.KeyAt(keys[i]), states[i]);
    }

    private EntryOptions? OptionsFor(int key, out EntryState then)
    {
        then = new EntryState { Revision = ++_record->LastRevision, LengthBytes = Length() };
        if (TableSet.RoleOf(key) == TableRole.Expirables)
            return ExpiringOptions(ref then);
        switch (_dice.Next(8))
        {
            case 0:
                return new EntryOptions { Sliding = TimeSpan.FromDays(30) };
            case 1:
                return new EntryOptions { Priority = (EntryPriority)_dice.Next((int)EntryPriority.NeverEvict) };
            case < 5 when TableSet.RoleOf(key) <= TableRole.Names:
                then.Tag = 1 + _dice.Next(Journal.TagsPerPair);
                return new EntryOptions { Tags = [TableSet.TagOf(_pair, then.Tag)], Sliding = _dice.OneIn(3)
                    ? TimeSpan.FromDays(30)
                    : null };
            default:
                return null;
        }
    }

    private EntryOptions ExpiringOptions(ref EntryState then)
    {
        var age = TimeSpan.FromMilliseconds(1 + _dice.Next(LongestAgeMs));
        // To all calls here a stale entry is missing.
        TimeSpan? failSafe = _dice.OneIn(3) ? TimeSpan.FromMilliseconds(1 + _dice.Next(LongestAgeMs)) : null;
        then.ExpiresFrom = _target.Time.NowTicks + age.Ticks;
        if (_dice.OneIn(2))
            return new EntryOptions { Sliding = age, FailSafeMaxAge = failSafe };
        then.ExpiresAt = age.Ticks; // made an instant once the put has ended
        return new EntryOptions { MaxAge = age, FailSafeMaxAge = failSafe };
    }

    private void RecordVersion(int key, ulong version)
    {
        if (version <= _record->LastVersion)
            _findings.Wrong("versions went backwards", $"key {key}: {version} after {_record->LastVersion}");
        _record->LastVersion = version; // also of a lower one, so that one step back is counted once
    }

    private int Length()
    {
        int lengthBytes = ValueBytes.HeadBytes + _dice.Next(1 << (3 + _dice.Next(8)));
        return _dice.OneIn(200) ? lengthBytes + 40_000 : lengthBytes;
    }
}
