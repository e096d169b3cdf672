using System.Threading;
using BigPile.Torture.Journals;

namespace BigPile.Torture.Tables;

/// <summary>The thread of a pair that removes; half of the time a key that the other is at, so that the two meet.</summary>
internal sealed unsafe class RemovingWorker(TableTarget target, Journal journal, int thread, ulong seed) : IWorker
{
    private readonly Dice _dice = new(seed);
    private readonly ThreadRecord* _record = journal.ThreadAt(thread);

    public void Step()
    {
        int key = _dice.Next(4) switch
        {
            0 => Volatile.Read(ref target.BeingPut[thread / 2]),
            1 => Volatile.Read(ref target.LastPut[thread / 2]),
            _ => thread / 2 * Journal.KeysPerPair + _dice.Next(Journal.KeysPerPair),
        };
        KeyRecord* record = journal.KeyAt(key);
        var then = new EntryState { Begin = journal.Tick() };
        record->Remove.Begin(then);
        then.Found = target.Remove(key);
        then.End = journal.Tick();
        if (then.Found)
            record->Found.Complete(then);
        record->Remove.Complete(then);
        Volatile.Write(ref _record->Operations, _record->Operations + 1);
    }
}
