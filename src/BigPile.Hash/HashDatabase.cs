using System;
using System.Buffers;
using System.Collections;
using System.Collections.Generic;
using System.IO;
using BigPile.Files;
using BigPile.Hash.Access;
using BigPile.Hash.Maintenance;
using BigPile.Memory;

namespace BigPile.Hash;

/// <summary>A database of keys and values in one file, found by the hash of the key.</summary>
/// <remarks>
/// <para>
/// Thread safety: all members may be called concurrently. An operation on one record is seen whole. Readers take no lock.
/// One process writes a database, or many read it.
/// </para>
/// <para>
/// A kill of the process loses nothing that a call has returned for. A power cut loses nothing that a hard <see cref="Synchronize"/> has
/// returned for; a record that was changed later is then as it was, or as it was at some time since.
/// </para>
/// <para>
/// Where a device fails (<see cref="IOException"/>) the record is as it was or as it was to be, and all others as they were.
/// </para>
/// </remarks>
public sealed class HashDatabase : IDisposable, IEnumerable<HashRecord>
{
    private readonly DatabaseState _database;
    private readonly HashMaintenance _maintenance;

    private HashDatabase(DatabaseState database, Head head, HashRecovery found)
    {
        _database = database;
        _maintenance = new HashMaintenance(database, head);
        Recovery = found;
    }

    /// <summary>The full path of the file.</summary>
    public string Path => _database.Path;

    /// <summary>How the file's bytes are got at.</summary>
    public BlockFileKind FileKind => _database.Options.FileKind;

    /// <summary>Whether the database was opened for reading only.</summary>
    public bool IsReadOnly => _database.IsReadOnly;

    /// <summary>What the database was made or last rebuilt with.</summary>
    public HashTuning Tuning => _database.Store.File.Layout.Tuning;

    /// <summary>What opening found.</summary>
    public HashRecovery Recovery { get; }

    /// <summary>The number of records; exact, but for what others change meanwhile.</summary>
    /// <exception cref="ObjectDisposedException">The database was closed.</exception>
    public long Count
    {
        get
        {
            _ = _database.Store;
            return _database.Stripes.Records;
        }
    }

    /// <summary>Opens a database, and locks its file.</summary>
    /// <param name="path">The file; its directory must exist.</param>
    /// <param name="options">How; the defaults when <see langword="null"/>.</param>
    /// <exception cref="ArgumentException">An option has no meaning; it is named.</exception>
    /// <exception cref="FileNotFoundException">There is no such file, and none was to be made.</exception>
    /// <exception cref="BlockFileLockedException">It is open already.</exception>
    /// <exception cref="HashDatabaseCorruptException">
    /// The file is no hash database, or one that is damaged; it is as it was. <see cref="HashDatabaseOptions.Restore"/> opens it all the
    /// same.
    /// </exception>
    /// <exception cref="HashDatabaseException">It is to be recovered, and was opened for reading only.</exception>
    /// <exception cref="BlockFileFullException">There is no room for a new one.</exception>
    /// <exception cref="IOException">The file can't be used.</exception>
    public static HashDatabase Open(string path, HashDatabaseOptions? options = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        options ??= new HashDatabaseOptions();
        options.Validate();
        (DatabaseState database, Head head, HashRecovery found) = Opening.Open(path, options);
        return new HashDatabase(database, head, found);
    }

    /// <summary>Looks at every byte of a database that nobody has open for writing.</summary>
    /// <param name="path">The file.</param>
    /// <returns>What is wrong and where. One that a kill or a power cut has left to be recovered is no sound one.</returns>
    /// <exception cref="FileNotFoundException">There is no such file.</exception>
    /// <exception cref="BlockFileLockedException">It is open for writing.</exception>
    /// <exception cref="IOException">The file can't be read.</exception>
    public static HashVerification Verify(string path)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        using IBlockFile file = BlockFile.Open(BlockFileKind.PositionalParallel, path, new BlockFileOptions { ReadOnly = true });
        return Verifier.OfFile(file, BootClock.Current);
    }

    /// <summary>Stores a record.</summary>
    /// <param name="key">The key; it may be empty.</param>
    /// <param name="value">The value; it may be empty.</param>
    /// <param name="overwrite">Whether a record that is there gets the value.</param>
    /// <returns><see langword="false"/> if one was there, and was to stay.</returns>
    /// <exception cref="ArgumentException">Key or value is longer than the database's limits.</exception>
    /// <exception cref="BlockFileFullException">There is no room; the database is as it was.</exception>
    /// <exception cref="HashDatabaseCorruptException">A record that was come by is damaged, and might be the one.</exception>
    /// <exception cref="InvalidOperationException">The database is read-only, or called by one of its own callbacks.</exception>
    /// <exception cref="IOException">The device failed.</exception>
    /// <exception cref="ObjectDisposedException">The database was closed.</exception>
    public bool Set(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value, bool overwrite = true)
    {
        var edit = new SetEdit(value, overwrite);
        return RecordWriter.Edit(_database, key, ref edit) == RecordChangeKind.Set;
    }

    /// <summary>The value of a record; <see langword="null"/> when it is not there.</summary>
    /// <exception cref="HashDatabaseCorruptException">It, or one that was come by and might be it, is damaged.</exception>
    /// <exception cref="IOException">The device failed.</exception>
    /// <exception cref="ObjectDisposedException">The database was closed.</exception>
    public byte[]? Get(ReadOnlySpan<byte> key)
    {
        var sink = default(ArraySink);
        return RecordReader.TryRead(_database, key, ref sink) ? sink.Value : null;
    }

    /// <summary>Copies the value of a record.</summary>
    /// <param name="key">The key.</param>
    /// <param name="destination">Where to.</param>
    /// <param name="length">The value's length; 0 when the record is not there.</param>
    /// <returns>Whether the record is there.</returns>
    /// <exception cref="ArgumentException">The value is longer than the destination; the message names its length.</exception>
    /// <inheritdoc cref="Get" path="/exception"/>
    public bool TryGet(ReadOnlySpan<byte> key, Span<byte> destination, out int length)
    {
        var sink = new SpanSink(destination);
        bool isThere = RecordReader.TryRead(_database, key, ref sink);
        length = isThere ? sink.Length : 0;
        return isThere;
    }

    /// <summary>Writes the value of a record to a buffer.</summary>
    /// <param name="key">The key.</param>
    /// <param name="destination">Where to. It is told of bytes only when the value is whole.</param>
    /// <returns>Whether the record is there.</returns>
    /// <inheritdoc cref="Get" path="/exception"/>
    public bool TryGet(ReadOnlySpan<byte> key, IBufferWriter<byte> destination)
    {
        ArgumentNullException.ThrowIfNull(destination);
        var sink = new WriterSink(destination);
        bool isThere = RecordReader.TryRead(_database, key, ref sink);
        if (isThere)
            sink.Advance();
        return isThere;
    }

    /// <summary>Whether there is a record.</summary>
    /// <inheritdoc cref="Get" path="/exception"/>
    public bool Contains(ReadOnlySpan<byte> key)
    {
        var sink = default(NoSink);
        return RecordReader.TryRead(_database, key, ref sink);
    }

    /// <summary>Removes a record.</summary>
    /// <returns>Whether it was there.</returns>
    /// <inheritdoc cref="Set" path="/exception"/>
    public bool Remove(ReadOnlySpan<byte> key)
    {
        var edit = default(RemoveEdit);
        return RecordWriter.Edit(_database, key, ref edit) == RecordChangeKind.Remove;
    }

    /// <summary>Adds to the end of a value; a record that is not there gets what is added as its value.</summary>
    /// <param name="key">The key.</param>
    /// <param name="value">What is added.</param>
    /// <param name="delimiter">What comes between, where there was a record.</param>
    /// <returns>The length of the whole value.</returns>
    /// <inheritdoc cref="Set" path="/exception"/>
    public long Append(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value, ReadOnlySpan<byte> delimiter = default)
    {
        var edit = new AppendEdit(value, delimiter, _database.Options.MaxValueLength);
        try
        {
            RecordWriter.Edit(_database, key, ref edit);
            return edit.Length;
        }
        finally
        {
            edit.Dispose();
        }
    }

    /// <summary>Changes a record if it is what was expected.</summary>
    /// <param name="key">The key.</param>
    /// <param name="expected">The value that it must have; <see langword="null"/> when it must not be there.</param>
    /// <param name="desired">The value that it gets; <see langword="null"/> when it goes.</param>
    /// <returns>Whether it was what was expected.</returns>
    /// <inheritdoc cref="Set" path="/exception"/>
    public bool CompareExchange(ReadOnlySpan<byte> key, byte[]? expected, byte[]? desired)
    {
        var edit = new CompareEdit(expected, desired);
        RecordWriter.Edit(_database, key, ref edit);
        return edit.IsExpected;
    }

    /// <summary>Adds to a counter: a value of 8 bytes, a number with its lowest byte first.</summary>
    /// <param name="key">The key.</param>
    /// <param name="delta">What is added.</param>
    /// <param name="initial">What a counter that is not there begins with; <paramref name="delta"/> is added to it.</param>
    /// <returns>The counter's new value.</returns>
    /// <exception cref="OverflowException">The sum is no number of 64 bits; the counter is as it was.</exception>
    /// <exception cref="InvalidOperationException">
    /// The value is no counter; or the database is read-only, or called by one of its own callbacks.
    /// </exception>
    /// <exception cref="BlockFileFullException">There is no room; the database is as it was.</exception>
    /// <exception cref="IOException">The device failed.</exception>
    /// <exception cref="ObjectDisposedException">The database was closed.</exception>
    public long Increment(ReadOnlySpan<byte> key, long delta = 1, long initial = 0)
    {
        var edit = new IncrementEdit(delta, initial, stackalloc byte[sizeof(long)]);
        RecordWriter.Edit(_database, key, ref edit);
        return edit.Sum;
    }

    /// <summary>Has a callback look at a record and change it, while nobody else can.</summary>
    /// <param name="key">The key.</param>
    /// <param name="processor">The callback. What it throws leaves the record as it was, and comes out of this call.</param>
    /// <param name="state">What it is passed.</param>
    /// <inheritdoc cref="Set" path="/exception"/>
    public void Process<TState>(ReadOnlySpan<byte> key, RecordProcessor<TState> processor, TState state) where TState : allows ref struct
    {
        ArgumentNullException.ThrowIfNull(processor);
        var edit = new ProcessEdit<TState>(_database, processor, state);
        RecordWriter.Edit(_database, key, ref edit);
    }

    /// <inheritdoc cref="Process{TState}"/>
    public void Process(ReadOnlySpan<byte> key, RecordProcessor<object?> processor) => Process(key, processor, null);

    /// <summary>Walks through all records, in no order that means anything, while others may write.</summary>
    /// <remarks>
    /// A record that is there from the beginning to the end of the walk comes exactly once, with a value that it had meanwhile; also
    /// beside a <see cref="Rebuild"/>.
    /// </remarks>
    public IEnumerator<HashRecord> GetEnumerator() => Walk.Records(_database);

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    /// <summary>Writes all records to a new file, which then takes the old one's place; others read and write meanwhile.</summary>
    /// <param name="tuning">
    /// What the new file is made with; <see langword="null"/> for what the old one has, but with twice as many buckets as records where
    /// chains have more than two on the average.
    /// </param>
    /// <remarks>
    /// The new file lies beside the old one, with <c>.rebuild</c> behind its name. Until it takes its place nothing is changed.
    /// </remarks>
    /// <inheritdoc cref="Set" path="/exception"/>
    public void Rebuild(HashTuning? tuning = null) => _maintenance.Rebuild(tuning);

    /// <summary>Hands what was written to the system, or has the device take it.</summary>
    /// <param name="hard">Return when the device has it: a power cut can't undo it. Otherwise only the system needs to have it.</param>
    /// <exception cref="IOException">The device failed.</exception>
    /// <exception cref="InvalidOperationException">The database is read-only, or called by one of its own callbacks.</exception>
    /// <exception cref="ObjectDisposedException">The database was closed.</exception>
    public void Synchronize(bool hard = true) => _maintenance.Synchronize(hard);

    /// <summary>Removes all records: behind a kill all of them are there, or none.</summary>
    /// <exception cref="IOException">The device failed. The database is closed; the next opening finds all records, or none.</exception>
    /// <exception cref="InvalidOperationException">The database is read-only, or called by one of its own callbacks.</exception>
    /// <exception cref="ObjectDisposedException">The database was closed.</exception>
    public void Clear() => _maintenance.Clear();

    /// <summary>Whether a <see cref="Rebuild"/> would make the database faster or smaller, see <see cref="HashStatistics"/>.</summary>
    /// <exception cref="ObjectDisposedException">The database was closed.</exception>
    public bool ShouldBeRebuilt => _maintenance.Statistics().ShouldBeRebuilt;

    /// <summary>What the database has, and what of its file is used how.</summary>
    /// <exception cref="ObjectDisposedException">The database was closed.</exception>
    public HashStatistics GetStatistics() => _maintenance.Statistics();

    /// <summary>Looks at every byte. Who writes waits meanwhile; who reads does not.</summary>
    /// <returns>What is wrong and where.</returns>
    /// <exception cref="IOException">The device failed.</exception>
    /// <exception cref="ObjectDisposedException">The database was closed.</exception>
    public HashVerification Verify() => _maintenance.Verify();

    /// <summary>Waits for running calls, and closes the database. Calling it again does nothing.</summary>
    /// <remarks>One that was ever hard-synchronized is so once more.</remarks>
    /// <exception cref="IOException">The device failed: the database is closed, and is as after a kill.</exception>
    public void Close() => _maintenance.Close();

    /// <inheritdoc cref="Close"/>
    public void Dispose() => Close();
}
