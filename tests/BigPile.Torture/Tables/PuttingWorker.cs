using System.Threading;
using BigPile.Torture.Journals;
using BigPile.Torture.Values;

namespace BigPile.Torture.Tables;

/// <summary>The thread of a pair that puts.</summary>
internal sealed unsafe class PuttingWorker(TableTarget target, Journal journal, Findings findings, int thread, ulong seed) : IWorker
{
    private const int HotKeys = 12;

    private readonly Dice _dice = new(seed);
    private readonly ThreadRecord* _record = journal.ThreadAt(thread);

    public void Step()
    {
        int key = thread / 2 * Journal.KeysPerPair + (_dice.OneIn(2) ? _dice.Next(HotKeys) : _dice.Next(Journal.KeysPerPair));
        var then = new EntryState { Revision = ++_record->LastRevision, LengthBytes = Length() };
        byte[] value = ValueBytes.Build(key, then.Revision, 0, then.LengthBytes);
        KeyRecord* record = journal.KeyAt(key);
        Volatile.Write(ref target.BeingPut[thread / 2], key);
        then.Begin = journal.Tick();
        record->Put.Begin(then);
        then.Version = target.Put(key, value, typed: _dice.OneIn(4));
        then.End = journal.Tick();
        record->Put.Complete(then);
        if (then.Version != 0)
            NoteVersion(key, then.Version);
        Volatile.Write(ref target.LastPut[thread / 2], key);
        Volatile.Write(ref _record->Operations, _record->Operations + 1);
    }

    private void NoteVersion(int key, ulong version)
    {
        if (version <= _record->LastVersion)
            findings.Wrong("versions went backwards", $"key {key}: {version} after {_record->LastVersion}");
        _record->LastVersion = version; // also of a lower one, so that one step back is counted once
    }

    private int Length()
    {
        int lengthBytes = ValueBytes.HeadBytes + _dice.Next(1 << (3 + _dice.Next(8)));
        return _dice.OneIn(200) ? lengthBytes + 40_000 : lengthBytes;
    }
}
