using System;
using System.Collections.Generic;
using System.Threading;
using BigPile.Hash.Format;
using BigPile.Hash.Records;

namespace BigPile.Hash.Access;

/// <summary>What all operations of an open database share.</summary>
internal sealed class DatabaseState
{
    [ThreadStatic]
    private static List<DatabaseState>? _callbacksOfThread;

    private RecordStore? _store;
    private RecordStore? _copy;
    private int _callbacks;

    internal DatabaseState(RecordStore store, HashDatabaseOptions options, SeqLockStripes stripes)
    {
        _store = store;
        Options = options;
        Path = store.File.File.Path;
        Seed = store.File.Layout.Seed;
        Stripes = stripes;
    }

    internal HashDatabaseOptions Options { get; }

    internal string Path { get; }

    internal bool IsReadOnly => Options.IsReadOnly;

    internal SeqLockStripes Stripes { get; }

    internal ulong Seed { get; }

    /// <summary>Why a rebuild can't go on.</summary>
    internal Exception? CopyFailure { get; private set; }

    /// <summary>The store; throws when the database was closed. It changes only while all stripes are held.</summary>
    internal RecordStore Store => Volatile.Read(ref _store) ?? throw Closed();

    /// <summary>The same; <see langword="null"/> when the database was closed.</summary>
    internal RecordStore? StoreOrNull => Volatile.Read(ref _store);

    /// <summary>The store that a rebuild fills. To be used by who holds a stripe.</summary>
    internal RecordStore? Copy => Volatile.Read(ref _copy);

    internal ulong HashOf(ReadOnlySpan<byte> key) => KeyHash.Of(key, Seed);

    /// <summary>While all stripes are held.</summary>
    internal void SetStoreLocked(RecordStore? store) => Volatile.Write(ref _store, store);

    /// <summary>Begins or ends that changes are made to a copy as well.</summary>
    internal void SetCopyLocked(RecordStore? copy, Exception? failure = null)
    {
        CopyFailure = failure;
        Volatile.Write(ref _copy, copy);
    }

    /// <summary>Throws when the database can't be changed now, or by this thread.</summary>
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

    /// <summary>Throws when the calling thread is in a callback of this database: it would wait for itself.</summary>
    internal void ThrowIfInCallback()
    {
        if (Volatile.Read(ref _callbacks) != 0 && _callbacksOfThread?.Contains(this) == true)
        {
            throw new InvalidOperationException(
                $"The database '{Path}' was called by a callback that it runs. Do that behind the callback, or say by its "
                + "result what is to be done.");
        }
    }

    internal void BeginCallback()
    {
        Interlocked.Increment(ref _callbacks);
        (_callbacksOfThread ??= []).Add(this);
    }

    internal void EndCallback()
    {
        _callbacksOfThread!.RemoveAt(_callbacksOfThread.Count - 1);
        Interlocked.Decrement(ref _callbacks);
    }

    internal ObjectDisposedException Closed() => new(Path, $"The database '{Path}' was closed.");
}
