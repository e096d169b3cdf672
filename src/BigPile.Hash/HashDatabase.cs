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

/// <summary>A hash database: keys and values as bytes, in one file.</summary>
/// <remarks>
/// <para>
/// Thread safety: all members may be called concurrently. An operation on one record is atomic. Readers take no lock.
/// One process writes a database, or any number of processes read it.
/// </para>
/// <para>
/// A kill of the process loses no change whose call has returned. A power cut loses none that a hard <see cref="Synchronize"/> has made
/// durable; a record that was changed later has the synchronized value, or any later one.
/// </para>
/// <para>
/// If the device fails (<see cref="IOException"/>), the record has its old or its new value, and all others are unchanged.
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

    /// <summary>How the file is accessed.</summary>
    public BlockFileKind FileKind => _database.Options.FileKind;

    /// <summary>Whether the database was opened for reading only.</summary>
    public bool IsReadOnly => _database.IsReadOnly;

    /// <summary>The tuning that the database was created or last rebuilt with.</summary>
    public HashTuning Tuning => _database.Store.File.Layout.Tuning;

    /// <summary>What the opening found.</summary>
    public HashRecovery Recovery { get; }

    /// <summary>The number of records; exact, except for concurrent changes.</summary>
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
    /// <param name="options">Options; the defaults if <see langword="null"/>.</param>
    /// <exception cref="ArgumentException">An option is invalid; the message names it.</exception>
    /// <exception cref="FileNotFoundException">The file does not exist, and was not to be created.</exception>
    /// <exception cref="BlockFileLockedException">The database is already open.</exception>
    /// <exception cref="HashDatabaseCorruptException">
    /// The file is not a hash database, or is damaged; it was not changed. <see cref="HashDatabaseOptions.Restore"/> can open it.
    /// </exception>
    /// <exception cref="HashDatabaseException">The database needs recovery, and was opened read-only.</exception>
    /// <exception cref="BlockFileFullException">There is no space for a new database.</exception>
    /// <exception cref="IOException">The file can't be used.</exception>
    public static HashDatabase Open(string path, HashDatabaseOptions? options = null)
    {
        ArgumentException.ThrowIfNullOrEmpty(path);
        options ??= new HashDatabaseOptions();
        options.Validate();
        (DatabaseState database, Head head, HashRecovery found) = Opening.Open(path, options);
        return new HashDatabase(database, head, found);
    }

    /// <summary>Verifies every byte of a database that is not open for writing.</summary>
    /// <param name="path">The file.</param>
    /// <returns>What is wrong, and where. A database that needs recovery after a kill or a power cut is not sound.</returns>
    /// <exception cref="FileNotFoundException">The file does not exist.</exception>
    /// <exception cref="BlockFileLockedException">The database is open for writing.</exception>
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
    /// <param name="overwrite">Whether to replace the value of an existing record.</param>
    /// <returns><see langword="false"/> if the record exists and was not to be replaced.</returns>
    /// <exception cref="ArgumentException">The key or value exceeds the limits of the database.</exception>
    /// <exception cref="BlockFileFullException">There is no space; the database is unchanged.</exception>
    /// <exception cref="HashDatabaseCorruptException">A record on the search path is damaged, and might be the one.</exception>
    /// <exception cref="InvalidOperationException">The database is read-only, or called by one of its own callbacks.</exception>
    /// <exception cref="IOException">The device failed.</exception>
    /// <exception cref="ObjectDisposedException">The database was closed.</exception>
    public bool Set(ReadOnlySpan<byte> key, ReadOnlySpan<byte> value, bool overwrite = true)
    {
        var edit = new SetEdit(value, overwrite);
        return RecordWriter.Edit(_database, key, ref edit) == RecordChangeKind.Set;
    }

    /// <summary>The value of a record; <see langword="null"/> if it does not exist.</summary>
    /// <exception cref="HashDatabaseCorruptException">The record, or one on the search path that might be it, is damaged.</exception>
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
    /// <param name="length">The length of the value; 0 if the record does not exist.</param>
    /// <returns>Whether the record exists.</returns>
    /// <exception cref="ArgumentException">The value is longer than the destination; the message states its length.</exception>
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
    /// <param name="destination">Where to. It is advanced only once the value is complete.</param>
    /// <returns>Whether the record exists.</returns>
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

    /// <summary>Whether a record exists.</summary>
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

    /// <summary>Appends to a value; a record that does not exist is created with the appended bytes.</summary>
    /// <param name="key">The key.</param>
    /// <param name="value">What is added.</param>
    /// <param name="delimiter">What separates the old value from the appended bytes.</param>
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

    /// <summary>Replaces or removes a record if it has the expected value.</summary>
    /// <param name="key">The key.</param>
    /// <param name="expected">The expected value; <see langword="null"/> if the record must not exist.</param>
    /// <param name="desired">The new value; <see langword="null"/> to remove the record.</param>
    /// <returns>Whether the record had the expected value.</returns>
    /// <inheritdoc cref="Set" path="/exception"/>
    public bool CompareExchange(ReadOnlySpan<byte> key, byte[]? expected, byte[]? desired)
    {
        var edit = new CompareEdit(expected, desired);
        RecordWriter.Edit(_database, key, ref edit);
        return edit.IsExpected;
    }

    /// <summary>Adds to a counter: a value of 8 bytes, a little-endian integer.</summary>
    /// <param name="key">The key.</param>
    /// <param name="delta">What is added.</param>
    /// <param name="initial">The start of a counter that does not exist; <paramref name="delta"/> is added to it.</param>
    /// <returns>The counter's new value.</returns>
    /// <exception cref="OverflowException">The sum overflows 64 bits; the counter is unchanged.</exception>
    /// <exception cref="InvalidOperationException">
    /// The value is not a counter; or the database is read-only, or called by one of its own callbacks.
    /// </exception>
    /// <exception cref="BlockFileFullException">There is no space; the database is unchanged.</exception>
    /// <exception cref="IOException">The device failed.</exception>
    /// <exception cref="ObjectDisposedException">The database was closed.</exception>
    public long Increment(ReadOnlySpan<byte> key, long delta = 1, long initial = 0)
    {
        var edit = new IncrementEdit(delta, initial, stackalloc byte[sizeof(long)]);
        RecordWriter.Edit(_database, key, ref edit);
        return edit.Sum;
    }

    /// <summary>Lets a callback inspect and change a record, under the record's lock.</summary>
    /// <param name="key">The key.</param>
    /// <param name="processor">The callback. If it throws, the record is unchanged, and the exception leaves this call.</param>
    /// <param name="state">An argument for the callback.</param>
    /// <inheritdoc cref="Set" path="/exception"/>
    public void Process<TState>(ReadOnlySpan<byte> key, RecordProcessor<TState> processor, TState state) where TState : allows ref struct
    {
        ArgumentNullException.ThrowIfNull(processor);
        var edit = new ProcessEdit<TState>(_database, processor, state);
        RecordWriter.Edit(_database, key, ref edit);
    }

    /// <inheritdoc cref="Process{TState}"/>
    public void Process(ReadOnlySpan<byte> key, RecordProcessor<object?> processor) => Process(key, processor, null);

    /// <summary>Enumerates all records, in no useful order, beside concurrent writers.</summary>
    /// <remarks>
    /// A record that exists during the whole enumeration is returned exactly once, with a value that it had meanwhile; this holds beside a
    /// <see cref="Rebuild"/>, too.
    /// </remarks>
    public IEnumerator<HashRecord> GetEnumerator() => Walk.Records(_database);

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

    /// <summary>Writes all records to a new file, which replaces the old one. Readers and writers go on meanwhile.</summary>
    /// <param name="tuning">
    /// The tuning of the new file; <see langword="null"/> to keep the old one, but with twice as many buckets as records if chains have
    /// more than two on average.
    /// </param>
    /// <remarks>
    /// The new file is beside the old one, with <c>.rebuild</c> appended to its name. Until it replaces the old one, nothing changes.
    /// </remarks>
    /// <inheritdoc cref="Set" path="/exception"/>
    public void Rebuild(HashTuning? tuning = null) => _maintenance.Rebuild(tuning);

    /// <summary>Hands all writes to the operating system, or makes them durable.</summary>
    /// <param name="hard">
    /// Whether to return only when the device has everything, so that a power cut cannot undo it. Otherwise only the operating system
    /// needs to have it.
    /// </param>
    /// <exception cref="IOException">The device failed.</exception>
    /// <exception cref="InvalidOperationException">The database is read-only, or called by one of its own callbacks.</exception>
    /// <exception cref="ObjectDisposedException">The database was closed.</exception>
    public void Synchronize(bool hard = true) => _maintenance.Synchronize(hard);

    /// <summary>Removes all records. After a kill either all of them exist, or none.</summary>
    /// <exception cref="IOException">The device failed. The database is closed; the next opening finds all records, or none.</exception>
    /// <exception cref="InvalidOperationException">The database is read-only, or called by one of its own callbacks.</exception>
    /// <exception cref="ObjectDisposedException">The database was closed.</exception>
    public void Clear() => _maintenance.Clear();

    /// <summary>Whether a <see cref="Rebuild"/> would make the database faster or smaller, see <see cref="HashStatistics"/>.</summary>
    /// <exception cref="ObjectDisposedException">The database was closed.</exception>
    public bool ShouldBeRebuilt => _maintenance.Statistics().ShouldBeRebuilt;

    /// <summary>Counts of records and buckets, and how the bytes of the file are used.</summary>
    /// <exception cref="ObjectDisposedException">The database was closed.</exception>
    public HashStatistics GetStatistics() => _maintenance.Statistics();

    /// <summary>Verifies every byte. Writers wait meanwhile; readers do not.</summary>
    /// <returns>What is wrong, and where.</returns>
    /// <exception cref="IOException">The device failed.</exception>
    /// <exception cref="ObjectDisposedException">The database was closed.</exception>
    public HashVerification Verify() => _maintenance.Verify();

    /// <summary>Waits for running calls, then closes the database. Calling it again does nothing.</summary>
    /// <remarks>A database that was ever hard-synchronized is hard-synchronized once more.</remarks>
    /// <exception cref="IOException">The device failed: the database is closed, and needs recovery as after a kill.</exception>
    public void Close() => _maintenance.Close();

    /// <inheritdoc cref="Close"/>
    public void Dispose() => Close();

    /// <summary>Checks all structures of a database that is open for writing and not in use, for tests.</summary>
    internal void CheckInvariants() => _maintenance.CheckInvariants();
}
