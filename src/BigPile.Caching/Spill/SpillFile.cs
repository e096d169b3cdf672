using System;
using System.Collections.Generic;
using System.IO;
using System.Runtime.ExceptionServices;
using System.Threading;
using BigPile.Concurrency;
using BigPile.Files;
using BigPile.Hash;
using Microsoft.Extensions.Logging;

namespace BigPile.Caching.Spill;

/// <summary>The hash database that a table spills into: created with the first entry, and deleted as a whole when it fails.</summary>
/// <remarks>
/// A failed removal could bring a value back, so a file that can't be changed is deleted with all entries. A full disk is no failure: what
/// does not fit is evicted.
/// Thread safety: all members may be called concurrently, for one key by one thread at a time.
/// </remarks>
/// <param name="path">The file; its directory is made with it.</param>
/// <param name="table">The table's name, for messages.</param>
/// <param name="logger">Receives the failure.</param>
/// <param name="background">Runs rebuilds of the database, and log calls.</param>
/// <param name="entries">How many entries the table has in memory.</param>
internal sealed class SpillFile(string path, string table, ILogger logger, BackgroundWork background, Func<long> entries) : IDisposable
{
    private const long LeastBuckets = 1 << 10; // of the new database: a cache may have thousands of tables
    private const long MostBuckets = 1 << 18; // as before; rebuilds add more
    private const int SkipsAfterFailure = 1 << 12; // stores that are not tried

    private readonly Lock _changing = new(); // held while the file is made, closed or deleted
    private HashDatabase? _database; // null: no entry yet, failed, or closed; written under _changing
    private long _failures; // interlocked
    private long _lost; // interlocked
    private long _skipsLeft; // stores to skip before the file is created again
    private long _changes; // times the checks for a rebuild
    private int _isRebuilding; // 1 while a rebuild is queued or runs
    private bool _isClosed; // under _changing; for good

    /// <summary>How often a file failed or could not be created.</summary>
    internal long Failures => Volatile.Read(ref _failures);

    /// <summary>Entries lost with failed files.</summary>
    internal long Lost => Volatile.Read(ref _lost);
    internal Action EntriesLost { get; init; } = static () => { }; // called when some were, with no lock held

    /// <summary>Entries in the file, and its size in bytes.</summary>
    internal (long Entries, long Bytes) Size
    {
        get
        {
            try
            {
                return Volatile.Read(ref _database)?.GetStatistics() is { } now ? (now.Records, now.FileBytes) : default;
            }
            catch (ObjectDisposedException)
            {
                return default; // closed meanwhile
            }
        }
    }

    /// <summary>Stores an entry.</summary>
    /// <returns><see langword="false"/> when the disk is full, or there is no usable file.</returns>
    internal bool TrySet(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value)
    {
        if (!TryOpen(out HashDatabase? database))
            return false;
        try
        {
            _ = database!.Set(key, value);
            RebuildIfNeeded(database);
            return true;
        }
        catch (BlockFileFullException)
        {
            return false; // nothing has changed
        }
        catch (Exception e) when (IsFault(e))
        {
            GiveUp(database!, e);
            return false;
        }
    }

    /// <summary>Copies an entry.</summary>
    internal bool TryGet(ReadOnlySpan<byte> key, PileBuffer into)
    {
        if (Volatile.Read(ref _database) is not { } database)
            return false;
        try
        {
            return database.TryGet(key, into);
        }
        catch (Exception e) when (IsFault(e))
        {
            GiveUp(database, e);
            return false;
        }
    }

    /// <summary>Removes an entry.</summary>
    /// <returns>Whether it was present.</returns>
    internal bool Remove(ReadOnlySpan<byte> key)
    {
        if (Volatile.Read(ref _database) is not { } database)
            return false;
        try
        {
            bool wasThere = database.Remove(key);
            if (wasThere)
                RebuildIfNeeded(database);
            return wasThere;
        }
        catch (Exception e) when (IsFault(e))
        {
            GiveUp(database, e);
            return false;
        }
    }

    /// <summary>Removes all entries.</summary>
    internal void Clear()
    {
        if (Volatile.Read(ref _database) is not { } database)
            return;
        try
        {
            database.Clear();
        }
        catch (Exception e) when (IsFault(e))
        {
            GiveUp(database, e);
        }
    }

    /// <summary>Begins an enumeration of the entries; <see langword="null"/> when there is no file.</summary>
    /// <remarks>The enumeration throws what <see cref="IsFault"/> accepts, after the file was given up.</remarks>
    internal IEnumerator<HashRecord>? BeginWalk() => Volatile.Read(ref _database) is { } database ? Walk(database) : null;

    private IEnumerator<HashRecord> Walk(HashDatabase database)
    {
        using IEnumerator<HashRecord> walk = database.GetEnumerator();
        while (TryWalkOn(database, walk))
            yield return walk.Current;
    }

    private bool TryWalkOn(HashDatabase database, IEnumerator<HashRecord> walk)
    {
        try
        {
            return walk.MoveNext();
        }
        catch (Exception e) when (IsFault(e))
        {
            GiveUp(database, e);
            throw;
        }
    }

    /// <summary>Whether an exception means that the file is unusable.</summary>
    internal static bool IsFault(Exception e) =>
        e is IOException or HashDatabaseException or ObjectDisposedException or UnauthorizedAccessException;

    /// <summary>Closes and deletes the file. Later calls find nothing.</summary>
    public void Dispose()
    {
        lock (_changing)
        {
            _isClosed = true;
            DeleteLocked();
        }
    }

    private bool TryOpen(out HashDatabase? database)
    {
        database = Volatile.Read(ref _database);
        if (database != null)
            return true;
        if (Interlocked.Decrement(ref _skipsLeft) >= 0) // below 0 without a failure: each call tries
            return false;
        lock (_changing)
        {
            if (!_isClosed && _database == null)
                OpenLocked();
            database = _database;
        }
        return database != null;
    }

    private void OpenLocked()
    {
        try
        {
            var tuning = new HashTuning { Buckets = Math.Clamp(entries(), LeastBuckets, MostBuckets) };
            var options = new HashDatabaseOptions { Mode = FileMode.Create, Temporary = true, Tuning = tuning };
            Volatile.Write(ref _database, SpillDirectory.Make(path, options));
        }
        catch (Exception e) when (IsFault(e))
        {
            ReportFailure(e, lost: 0);
            if (e is not BlockFileLockedException)
                EndLocked("the end of a file that could not be made", () => SpillDirectory.Delete(path));
        }
    }

    private void GiveUp(HashDatabase database, Exception e)
    {
        lock (_changing)
        {
            if (_database != database || _isClosed) // another thread has given it up
                return;
            ReportFailure(e, CountOf(database));
            DeleteLocked();
        }
    }

    // The logger is application code and may wait for a thread that puts, so it runs in the background, outside of the locks held here.
    private void ReportFailure(Exception e, long lost)
    {
        Interlocked.Increment(ref _failures);
        Interlocked.Add(ref _lost, lost);
        Volatile.Write(ref _skipsLeft, SkipsAfterFailure);
        background.Queue("the tidings of lost entries", EntriesLost);
        background.Queue("the report on a file of evicted entries", () => logger.LogError(
            e,
            "The file '{Path}' for what leaves table '{Table}' can't be used; its {Lost} entries are evicted. It is tried again later",
            path, table, lost));
    }

    // The database keeps the count in memory.
    private static long CountOf(HashDatabase database)
    {
        try
        {
            return database.Count;
        }
        catch (ObjectDisposedException)
        {
            return 0; // a failed Clear closed it
        }
    }

    private void DeleteLocked()
    {
        if (Interlocked.Exchange(ref _database, null) is not { } database) // first: later calls find no file
            return;
        EndLocked("the end of a file of evicted entries", () =>
        {
            try
            {
                database.Close();
            }
            finally
            {
                SpillDirectory.Delete(path);
            }
        });
    }

    // A failure is rethrown, and so reported, in the background.
    private void EndLocked(string name, Action work)
    {
        try
        {
            work();
        }
        catch (Exception e) when (IsFault(e))
        {
            background.Queue(name, ExceptionDispatchInfo.Capture(e).Throw);
        }
    }

    // The database stays usable during a rebuild.
    private void RebuildIfNeeded(HashDatabase database)
    {
        const int ChangesPerCheck = 1024; // the check sums all stripes of the database
        if (Interlocked.Increment(ref _changes) % ChangesPerCheck != 0
            || !database.ShouldBeRebuilt || Interlocked.Exchange(ref _isRebuilding, 1) != 0)
            return;
        background.Queue("the rebuild of a file of evicted entries", () =>
        {
            try
            {
                database.Rebuild();
            }
            catch (BlockFileFullException)
            {
                // no space for the new file: the old one stays in use
            }
            catch (Exception e) when (IsFault(e))
            {
                GiveUp(database, e);
            }
            finally
            {
                Volatile.Write(ref _isRebuilding, 0);
            }
        });
    }
}
