using System;
using System.Threading;
using BigPile.Hash.Access;
using BigPile.Hash.Format;
using BigPile.Hash.Records;

namespace BigPile.Hash.Maintenance;

/// <summary>Has the device take what was written, and gives free what waited for that; and closes the file.</summary>
internal sealed class Synchronizer(DatabaseState database, Head head)
{
    private const int MostRounds = 4;

    private readonly Lock _lock = new();
    private Head _head = head;
    private long _cutRecords;

    /// <summary>One synchronization at a time; a rebuild takes it when it changes the file.</summary>
    internal Lock Lock => _lock;

    internal FileState State => _head.State;

    internal void Synchronize(bool hard)
    {
        lock (_lock)
        {
            RecordStore store = database.Store;
            if (hard)
                SynchronizeHardLocked(store);
            else
                store.File.File.Synchronize(hard: false);
        }
    }

    /// <summary>While all stripes are held: says that nothing in the file counts any more.</summary>
    internal void WriteClearing() =>
        _head.Write(State with { Phase = FilePhase.Clearing, Records = 0, LastSequence = database.Stripes.LastSequence });

    /// <summary>Says that there is nothing. No sequence was the last one: those of other stripes may be lower.</summary>
    internal void WriteCleared() => _head.Write(State with { Phase = FilePhase.Open, LastSequence = 0 });

    /// <summary>While all stripes are held and no synchronization runs: another file has the database.</summary>
    internal void ChangeHeadLocked(Head head) => _head = head;

    /// <summary>Closes the file. All stripes are held, and no synchronization runs.</summary>
    internal void CloseLocked(RecordStore store)
    {
        try
        {
            if (!database.IsReadOnly)
                WriteClosedLocked(store);
        }
        finally
        {
            store.File.File.Close();
        }
    }

    private void SynchronizeHardLocked(RecordStore store)
    {
        if (store.PendingFrees.HasUnmarked)
            store.PendingFrees.RetryMarks();
        database.Stripes.LockAll(admitReaders: true);
        try
        {
            Cut(store);
        }
        finally
        {
            database.Stripes.UnlockAll();
        }
        FinishHard(store);
    }

    private void Cut(RecordStore store)
    {
        store.SyncedSequence = Math.Max(store.SyncedSequence, database.Stripes.LastSequence);
        store.PendingFrees.Cut();
        _cutRecords = database.Stripes.Records;
    }

    private void FinishHard(RecordStore store)
    {
        long synced = store.SyncedSequence;
        // The device must know when the first one has returned. Behind a kill that comes before that, the cut tells what can't be back.
        _head.Write(State with { WasEverHard = true, LastSequence = synced });
        store.File.File.Synchronize(hard: true);
        store.Pass(HashCrashPoint.SyncedBeforeHead);
        _head.Write(State with { SyncedSequence = synced, Records = _cutRecords });
        store.Pass(HashCrashPoint.SyncedBeforeMarks);
        store.PendingFrees.Complete();
    }

    private void WriteClosedLocked(RecordStore store)
    {
        if (store.PendingFrees.HasUnmarked)
            store.PendingFrees.RetryMarks();
        bool isHard = State.WasEverHard;
        for (int i = 0; isHard && (i == 0 || store.PendingFrees.HasAny) && i < MostRounds; i++)
        {
            Cut(store);
            FinishHard(store);
        }
        if (store.PendingFrees.HasAny)
            return; // the next one recovers it
        if (isHard)
            store.File.File.Synchronize(hard: true); // what was marked last
        _head.Write(State with
        {
            Phase = FilePhase.Closed,
            IsHard = isHard,
            Records = database.Stripes.Records,
            LastSequence = Math.Max(database.Stripes.LastSequence, store.SyncedSequence),
        });
        if (isHard)
            store.File.File.Synchronize(hard: true);
    }
}
