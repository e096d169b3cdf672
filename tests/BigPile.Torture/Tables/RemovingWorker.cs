using System.Threading;
using BigPile.Torture.Journals;

namespace BigPile.Torture.Tables;

/// <summary>The thread of a pair that removes; half of the time a key that the other is at, so that the two meet.</summary>
internal sealed unsafe class RemovingWorker : IWorker
{
    private const int BatchKeys = 5;

    private readonly TableTarget _target;
    private readonly Journal _journal;
    private readonly int _pair;
    private readonly Dice _dice;
    private readonly ThreadRecord* _record;
    private readonly TableMaintenance _maintenance;

    internal RemovingWorker(TableTarget target, Journal journal, Findings findings, int thread, ulong seed)
    {
        _target = target;
        _journal = journal;
        _pair = thread / 2;
        _dice = new Dice(seed);
        _record = journal.ThreadAt(thread);
        _maintenance = new TableMaintenance(target, journal, findings, thread, _dice);
    }

    public void Step()
    {
        if (!_maintenance.TryStep())
            Change();
        Volatile.Write(ref _record->Operations, _record->Operations + 1);
    }

    private void Change()
    {
        int key = ChooseKey();
        switch (_dice.Next(400))
        {
            case < 4:
                RemoveTag((TableRole)_dice.Next((int)TableRole.Names + 1), 1 + _dice.Next(Journal.TagsPerPair));
                break;
            case 4 when _pair == 0: // one thread clears, so that the journal knows what was cleared last
                Clear(_dice.OneIn(4) ? TableRole.Limited : (TableRole)(_dice.Next(3) switch { 0 => 0, 1 => 1, _ => 3 }));
                break;
            case < 15:
                RemoveMany(key);
                break;
            case < 100:
                _ = _target.Tables.Of(key).TryGet(key, out _); // puts off the end of entries that the other thread is at
                break;
            default:
                _target.RemoveKey(key);
                break;
        }
    }

    private int ChooseKey()
    {
        while (true)
        {
            int key = _dice.Next(4) switch
            {
                0 => Volatile.Read(ref _target.BeingPut[_pair]),
                1 => Volatile.Read(ref _target.LastPut[_pair]),
                _ => _pair * Journal.KeysPerPair + _dice.Next(Journal.KeysPerPair),
            };
            if (TableSet.RoleOf(key) != TableRole.Owners)
                return key;
        }
    }

    private void RemoveTag(TableRole role, int tag)
    {
        KeySide* side = _journal.TagAt((int)role, _pair, tag);
        var then = new EntryState { Begin = _journal.Tick() };
        side->Begin(then);
        _target.Tables.Of(role).Table.RemoveByTag(TableSet.TagOf(_pair, tag));
        side->Complete(then with { End = _journal.Tick() });
    }

    private void Clear(TableRole role)
    {
        KeySide* side = _journal.ClearAt((int)role);
        var then = new EntryState { Begin = _journal.Tick() };
        side->Begin(then);
        _target.Tables.Of(role).Table.Clear();
        side->Complete(then with { End = _journal.Tick() });
    }

    // Which of them were there is not said: the journal takes it that all were.
    private void RemoveMany(int first)
    {
        int[] keys = new int[BatchKeys];
        int count = 0;
        for (int key = first; count < BatchKeys && key < (_pair + 1) * Journal.KeysPerPair; key++)
        {
            if (TableSet.RoleOf(key) == TableSet.RoleOf(first))
                keys[count++] = key;
        }
        keys = keys[..count];
        var then = new EntryState { Begin = _journal.Tick(), Found = true };
        foreach (int key in keys)
            _journal.KeyAt(key)->Remove.Begin(then);
        _ = _target.Tables.Of(first).RemoveMany(keys);
        then.End = _journal.Tick();
        foreach (int key in keys)
        {
            _journal.KeyAt(key)->Found.Complete(then);
            _journal.KeyAt(key)->Remove.Complete(then);
        }
    }
}
