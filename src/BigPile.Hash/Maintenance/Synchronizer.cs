using System;
using System.Diagnostics;
using System.Threading;
using BigPile.Hash.Access;
using BigPile.Hash.Checking;
using BigPile.Hash.Format;
using BigPile.Hash.Records;
using BigPile.Memory.Checking;

namespace BigPile.Hash.Maintenance;

/// <summary>Hard-synchronizes the file, and completes the pending frees; and closes the file.</summary>
internal sealed class Synchronizer(DatabaseState database, Head head)
{
    private const int MostRounds = 4;

    private readonly Lock _lock = new();
    // Written under _lock, with all stripes held.
    private Head _head = head;
    // The number of records at the cut. Guarded by _lock.
    private long _cutRecords;

    /// <summary>Held by one synchronization at a time, and by a rebuild while it replaces the file.</summary>
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

    /// <summary>States that no record is valid any more. The caller holds all stripes.</summary>
    internal void WriteClearing()
    {
        Debug.Assert(_lock.IsHeldByCurrentThread && database.AreAllHeld, "No record changes, and no other state is written.");
        _head.Write(State with { Phase = FilePhase.Clearing, Records = 0, LastSequence = database.Stripes.LastSequence });
    }

    /// <summary>States that there are no records. The last sequence is 0, since those of other stripes may be lower.</summary>
    internal void WriteCleared()
    {
        Debug.Assert(_lock.IsHeldByCurrentThread && database.AreAllHeld, "No record changes, and no other state is written.");
        _head.Write(State with { Phase = FilePhase.Open, LastSequence = 0 });
    }

    /// <summary>
    /// Takes the header of another file, which replaces the old one. The caller holds all stripes and <see cref="Lock"/>.
    /// </summary>
    internal void ChangeHeadLocked(Head head)
    {
        Debug.Assert(_lock.IsHeldByCurrentThread && database.AreAllHeld, "No state of the old file is being written.");
        Debug.Assert(head.Layout == database.Store.File.Layout, "The header is that of the store.");
        _head = head;
    }

    /// <summary>Closes the file. The caller holds all stripes and <see cref="Lock"/>.</summary>
    internal void CloseLocked(RecordStore store)
    {
        Debug.Assert(_lock.IsHeldByCurrentThread && database.AreAllHeld, "Nobody uses the file while it is closed.");
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
        Debug.Assert(_lock.IsHeldByCurrentThread, "One synchronization runs at a time.");
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
        Debug.Assert(database.AreAllHeld, "No record changes at the instant of the cut.");
        store.SyncedSequence = Math.Max(store.SyncedSequence, database.Stripes.LastSequence);
        store.PendingFrees.Cut();
        _cutRecords = database.Stripes.Records;
    }

    private void FinishHard(RecordStore store)
    {
        long synced = store.SyncedSequence;
        Debug.Assert(_head.Layout == store.File.Layout, "The header is that of the store.");
        Debug.Assert(synced >= State.SyncedSequence, "What the header calls durable stays so.");
        // "Was ever hard" must be durable by the time the first synchronization returns. After a kill before that, the cut's sequence tells
        // which records cannot be resurrected.
        _head.Write(State with { WasEverHard = true, LastSequence = synced });
        store.File.File.Synchronize(hard: true);
        CrashPoints.Pass(HashCrashPoint.SyncedBeforeHead);
        _head.Write(State with { SyncedSequence = synced, Records = _cutRecords });
        CrashPoints.Pass(HashCrashPoint.SyncedBeforeMarks);
        Debug.Assert(State.LastSequence >= State.SyncedSequence, "What is durable was in its chain, or dead.");
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
            return; // the next opening recovers
        Debug.Assert(!store.PendingFrees.HasUnmarked, "A closed file has no dead record that is not marked.");
        if (isHard)
            store.File.File.Synchronize(hard: true); // the last dead marks
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
