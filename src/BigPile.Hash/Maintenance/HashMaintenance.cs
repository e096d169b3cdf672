using System;
using System.Diagnostics;
using System.Threading;
using BigPile.Files;
using BigPile.Hash.Access;
using BigPile.Hash.Checking;
using BigPile.Hash.Format;
using BigPile.Hash.Records;
using BigPile.Memory.Checking;

namespace BigPile.Hash.Maintenance;

/// <summary>Operations on a database as a whole, one at a time.</summary>
/// <remarks>Lock order: this lock, the synchronizer's, the stripes in ascending order.</remarks>
internal sealed class HashMaintenance
{
    private readonly Lock _lock = new();
    private readonly DatabaseState _database;
    private readonly Synchronizer _synchronizer;
    private readonly Rebuilder _rebuilder;

    internal HashMaintenance(DatabaseState database, Head head)
    {
        _database = database;
        _synchronizer = new Synchronizer(database, head);
        _rebuilder = new Rebuilder(database, _synchronizer);
    }

    internal void Synchronize(bool hard)
    {
        _database.ThrowIfNotWritable();
        _synchronizer.Synchronize(hard);
    }

    internal void Rebuild(HashTuning? tuning)
    {
        _database.ThrowIfNotWritable();
        lock (_lock)
            _rebuilder.Run(tuning);
    }

    internal void Clear()
    {
        _database.ThrowIfNotWritable();
        lock (_lock)
        {
            lock (_synchronizer.Lock)
                RunExclusive(ClearLocked);
        }
    }

    internal HashVerification Verify()
    {
        _database.ThrowIfInCallback();
        _database.Stripes.LockAll(admitReaders: true);
        try
        {
            RecordStore store = _database.Store;
            long last = Math.Max(_database.Stripes.LastSequence, store.SyncedSequence);
            if (_database.IsReadOnly)
                last = long.MaxValue;
            return new Verifier(store.File).Run(
                _database.Stripes.Records, last, mayWait: store.PendingFrees.HasAny || _database.IsReadOnly);
        }
        finally
        {
            _database.Stripes.UnlockAll();
        }
    }

    // An extent goes from pending to free or dropped, and nowhere else before it is allocated. So reading in this order, while nothing is
    // allocated or freed, counts none twice. An extent in transit counts as live.
    internal HashStatistics Statistics()
    {
        RecordStore store = _database.Store;
        FileLayout layout = store.File.Layout;
        return store.File.Extents.Measure((end, free) =>
        {
            long dropped = store.PendingFrees.DroppedBytes;
            long waiting = store.PendingFrees.WaitingBytes;
            long live = end - layout.AreaStart - free - dropped - waiting;
            Debug.Assert(live >= 0, "No byte is counted twice.");
            return new HashStatistics(_database.Stripes.Records, layout.Buckets, end, layout.AreaStart, live, free + dropped, waiting);
        });
    }

    /// <summary>Checks all structures, for tests; see <see cref="RecordStore.CheckInvariants"/>.</summary>
    internal void CheckInvariants()
    {
        _database.Stripes.LockAll();
        try
        {
            Invariant.Equal("HashDatabase", 0, "phase", _synchronizer.State.Phase, FilePhase.Open);
            Invariant.Between(
                "HashDatabase", 0, "stated durable sequence", _synchronizer.State.SyncedSequence, 0, _database.Store.SyncedSequence);
            _database.Store.CheckInvariants(_database.Stripes);
        }
        finally
        {
            _database.Stripes.UnlockAll();
        }
    }

    internal void Close()
    {
        _database.ThrowIfInCallback();
        _rebuilder.Stop();
        lock (_lock)
        {
            lock (_synchronizer.Lock)
            {
                RunExclusive(() =>
                {
                    if (_database.StoreOrNull is not { } store)
                        return;
                    _database.SetStoreLocked(null);
                    _synchronizer.CloseLocked(store);
                });
            }
        }
    }

    // After a kill or a device failure, the next opening finishes it.
    private void ClearLocked()
    {
        Debug.Assert(_lock.IsHeldByCurrentThread && _database.Copy == null, "No rebuild copies what is removed.");
        RecordStore store = _database.Store;
        IBlockFile block = store.File.File;
        try
        {
            _synchronizer.WriteClearing();
            // The device must have "clearing" before it loses what outdates dead records: some of these may not be marked.
            if (_synchronizer.State.WasEverHard)
                block.Synchronize(hard: true);
            CrashPoints.Pass(HashCrashPoint.ClearStated);
            store.File.CutToBuckets();
            CrashPoints.Pass(HashCrashPoint.ClearCut);
            _synchronizer.WriteCleared();
        }
        catch
        {
            _database.SetStoreLocked(null);
            block.Close();
            throw;
        }
        store.PendingFrees.Reset(); // before the allocator: Statistics subtracts these from the area
        store.File.Extents.Reset(store.File.Layout.AreaStart);
        for (int i = 0; i < SeqLockStripes.Count; i++)
            _database.Stripes[i].Records = 0;
    }

    private void RunExclusive(Action action)
    {
        _database.Stripes.LockAll();
        try
        {
            action();
        }
        finally
        {
            _database.Stripes.UnlockAll();
        }
    }
}
