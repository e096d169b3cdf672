using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Threading;
using BigPile.Hash.Format;
using BigPile.Hash.Records;

namespace BigPile.Hash.Access;

/// <summary>The state shared by all operations of an open database.</summary>
internal sealed class DatabaseState(RecordStore store, HashDatabaseOptions options, SeqLockStripes stripes)
{
    // The databases whose callbacks this thread runs, innermost last.
    [ThreadStatic]
    private static List<DatabaseState>? _callbacksOfThread;

    // null once closed. Written while all stripes are held.
    private RecordStore? _store = store;
    // The copy of a running rebuild, or null. Written while holding a stripe.
    private RecordStore? _copy;
    // How many callbacks of this database run, on any thread. Interlocked.
    private int _callbacks;

    internal HashDatabaseOptions Options { get; } = options;

    internal string Path { get; } = store.File.File.Path;

    internal bool IsReadOnly => Options.IsReadOnly;

    internal SeqLockStripes Stripes { get; } = stripes;

    internal ulong Seed { get; } = store.File.Layout.Seed;

    /// <summary>Why the rebuild's copy was abandoned. Written under a stripe lock, read by the rebuild.</summary>
    internal Exception? CopyFailure { get; private set; }

    /// <summary>The current store; throws if the database was closed. Replaced only while all stripes are held.</summary>
    internal RecordStore Store => Volatile.Read(ref _store) ?? throw Closed();

    /// <summary>The current store; <see langword="null"/> if the database was closed.</summary>
    internal RecordStore? StoreOrNull => Volatile.Read(ref _store);

    /// <summary>The store that a rebuild fills, or <see langword="null"/>. To be used only while holding a stripe.</summary>
    internal RecordStore? Copy => Volatile.Read(ref _copy);

    /// <summary>Whether somebody holds a stripe; for assertions, which tests run.</summary>
    internal bool IsHeld(int stripe) => Stripes[stripe].Lock.IsTaken;

    /// <summary>Whether all stripes are held; for assertions, which tests run.</summary>
    internal bool AreAllHeld => Enumerable.Range(0, SeqLockStripes.Count).All(IsHeld);

    internal ulong HashOf(ReadOnlySpan<byte> key) => KeyHash.Of(key, Seed);

    /// <summary>Replaces the store; <see langword="null"/> closes the database. The caller holds all stripes.</summary>
    internal void SetStoreLocked(RecordStore? store)
    {
        Debug.Assert(AreAllHeld, "Nobody reads or writes while the store is replaced.");
        Volatile.Write(ref _store, store);
    }

    /// <summary>Starts or stops repeating changes in a copy. The caller holds a stripe.</summary>
    internal void SetCopyLocked(RecordStore? copy, Exception? failure = null)
    {
        CopyFailure = failure;
        Volatile.Write(ref _copy, copy);
    }

    /// <summary>Throws if the database is closed or read-only, or if the calling thread runs one of its callbacks.</summary>
    internal void ThrowIfNotWritable()
    {
        ThrowIfInCallback();
        if (IsReadOnly)
        {
            _ = Store;
            throw new InvalidOperationException(
                $"The database '{Path}' was opened for reading only. Open it without HashDatabaseOptions.ReadOnly to change it.");
        }
    }

    /// <summary>Throws if the calling thread runs a callback of this database: it would wait for itself.</summary>
    internal void ThrowIfInCallback()
    {
        if (Volatile.Read(ref _callbacks) != 0 && _callbacksOfThread?.Contains(this) == true)
        {
            throw new InvalidOperationException(
                $"The database '{Path}' was called from one of its own callbacks. Call it after the callback has returned, or "
                + "return the change from the callback.");
        }
    }

    internal void BeginCallback()
    {
        Interlocked.Increment(ref _callbacks);
        (_callbacksOfThread ??= []).Add(this);
    }

    internal void EndCallback()
    {
        Debug.Assert(_callbacksOfThread![^1] == this, "The innermost callback ends first.");
        _callbacksOfThread.RemoveAt(_callbacksOfThread.Count - 1);
        Interlocked.Decrement(ref _callbacks);
    }

    internal ObjectDisposedException Closed() => new(Path, $"The database '{Path}' was closed.");
}
