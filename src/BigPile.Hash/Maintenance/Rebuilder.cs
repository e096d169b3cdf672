using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using BigPile.Files;
using BigPile.Files.Storage;
using BigPile.Hash.Access;
using BigPile.Hash.Checking;
using BigPile.Hash.Records;
using BigPile.Memory.Checking;

namespace BigPile.Hash.Maintenance;

/// <summary>Writes all records to a new file, beside readers and writers, and replaces the old file with it.</summary>
/// <remarks>
/// Copies bucket by bucket, each under its stripe, and records in the stripe up to which hash it has come. A writer that changes a record
/// below that hash repeats the change in the copy, under the same stripe. So when the last bucket is copied, the copy is complete, and
/// stays so. Then all stripes are locked, the copy is made durable, and it is renamed over the old file.
/// </remarks>
internal sealed class Rebuilder(DatabaseState database, Synchronizer synchronizer)
{
    private volatile bool _isStopped;

    /// <summary>Makes a running rebuild end soon, with an exception.</summary>
    internal void Stop() => _isStopped = true;

    internal void Run(HashTuning? tuning)
    {
        RecordStore old = database.Store;
        HashDatabaseOptions options = database.Options;
        string path = database.Path + Opening.RebuildSuffix;
        ThrowIfRenamed(old);
        Opening.DeleteRebuilt(path); // a link of that name would be followed
        HashTuning newTuning = (tuning ?? TuningFor(old)).Checked();
        IBlockFile block = BlockFile.Open(options.FileKind, path, Opening.FileOptionsOf(options, FileMode.Create));
        bool isDone = false;
        try
        {
            var head = Head.Make(block, newTuning, Opening.BootIdOf(options), database.Seed);
            var copy = new RecordStore(new RecordFile(block, head.Layout), options);
            copy.File.CacheBuckets();
            Begin(copy);
            CopyAll(old, copy);
            block.Synchronize(hard: !options.Temporary); // most of the copy, before anybody has to wait
            isDone = ReplaceFile(old, copy, head);
        }
        finally
        {
            if (!isDone)
                Abort(block, path);
        }
        block.Synchronize(hard: !options.Temporary); // its name, too
    }

    private void Begin(RecordStore copy)
    {
        database.Stripes.LockAll(admitReaders: true);
        for (int i = 0; i < SeqLockStripes.Count; i++)
            database.Stripes[i].CopiedTo = 0;
        database.SetCopyLocked(copy);
        database.Stripes.UnlockAll();
    }

    private void CopyAll(RecordStore old, RecordStore copy)
    {
        var found = new List<HashRecord>();
        for (long bucket = 0; bucket < old.File.Layout.Buckets; bucket++)
        {
            ulong from = old.File.Layout.FirstHashOf(bucket);
            int index = SeqLockStripes.IndexOf(from);
            ref Stripe stripe = ref database.Stripes[index];
            stripe.Lock.Enter();
            try
            {
                Debug.Assert(stripe.CopiedTo <= from, "The buckets of a stripe are copied in their order, each once.");
                ThrowIfStopped(copy);
                found.Clear();
                Walk.Read(database, old.File, bucket, 0, found);
                foreach (HashRecord record in found)
                    CopyChanges.Apply(copy, index, ref stripe, database.HashOf(record.Key.Span), record.Key.Span, true, record.Value.Span);
                stripe.CopiedTo = bucket + 1 < old.File.Layout.Buckets ? old.File.Layout.FirstHashOf(bucket + 1) : ulong.MaxValue;
            }
            finally
            {
                SeqLockStripes.Unlock(ref stripe);
            }
        }
    }

    private void ThrowIfStopped(RecordStore copy)
    {
        if (_isStopped)
            throw database.Closed();
        if (database.Copy != copy)
            throw new HashDatabaseException($"'{database.Path}' was not rebuilt, and is as it was: its copy failed.", database.CopyFailure);
    }

    private bool ReplaceFile(RecordStore old, RecordStore copy, Head head)
    {
        lock (synchronizer.Lock)
        {
            database.Stripes.LockAll();
            try
            {
                ThrowIfStopped(copy);
                Debug.Assert(database.Store == old, "Only a rebuild replaces the store, and one runs at a time.");
                Debug.Assert(database.Stripes[SeqLockStripes.Count - 1].CopiedTo == ulong.MaxValue, "All buckets are copied.");
                bool wasEverHard = synchronizer.State.WasEverHard;
                long synced = wasEverHard ? Math.Max(database.Stripes.LastSequence, old.SyncedSequence) : 0;
                copy.SyncedSequence = synced;
                copy.File.File.Synchronize(hard: !database.Options.Temporary);
                long records = wasEverHard ? database.Stripes.Records : 0;
                head.Write(head.State with { WasEverHard = wasEverHard, SyncedSequence = synced, Records = records });
                copy.File.File.Synchronize(hard: !database.Options.Temporary);
                CrashPoints.Pass(HashCrashPoint.RebuildBeforeRename);
                ThrowIfRenamed(old);
                Rename(copy.File.File, Path.GetFileName(database.Path));
                CrashPoints.Pass(HashCrashPoint.RebuildRenamed);
                database.SetCopyLocked(null);
                database.SetStoreLocked(copy);
                synchronizer.ChangeHeadLocked(head);
                CloseQuietly(old.File.File);
                return true;
            }
            finally
            {
                database.Stripes.UnlockAll();
            }
        }
    }

    // The file that has the name now may belong to somebody else.
    private void ThrowIfRenamed(RecordStore store)
    {
        if (!((IRenamableFile)store.File.File).HasItsName)
        {
            throw new HashDatabaseException(
                $"'{database.Path}' is not the file that was opened: it, or its directory, was renamed, removed or replaced. Nothing was "
                + "rebuilt, and the database goes on where it is. Put it back at its path.");
        }
    }

    // Shortens chains that are too long.
    private HashTuning TuningFor(RecordStore old)
    {
        HashTuning tuning = old.File.Layout.Tuning;
        long records = database.Stripes.Records;
        return records > tuning.Buckets * HashStatistics.MostRecordsPerBucket ? tuning with { Buckets = records * 2 } : tuning;
    }

    /// <summary>Renames a file within its directory.</summary>
    internal static void Rename(IBlockFile block, string name)
    {
        string before = block.Path;
        try
        {
            ((IRenamableFile)block).Rename(name);
        }
        catch (IOException) when (!File.Exists(before))
        {
            // the rename has succeeded, though the device reported a failure
        }
    }

    private void Abort(IBlockFile block, string path)
    {
        database.Stripes.LockAll(admitReaders: true);
        database.SetCopyLocked(null);
        database.Stripes.UnlockAll();
        Discard(block, path);
    }

    /// <summary>Closes and deletes an unfinished file.</summary>
    internal static void Discard(IBlockFile block, string path)
    {
        CloseQuietly(block);
        try
        {
            File.Delete(path);
        }
        catch (IOException)
        {
            // the next opening deletes it
        }
    }

    // The content is no longer needed.
    internal static void CloseQuietly(IBlockFile file)
    {
        try
        {
            file.Close();
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            // it is closed; only cutting it failed
        }
    }
}
