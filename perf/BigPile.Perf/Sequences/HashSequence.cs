using System;
using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.IO;
using BigPile.Files;
using BigPile.Hash;

namespace BigPile.Perf.Sequences;

/// <summary>Sets the records of a hash database, gets them and removes them.</summary>
internal sealed class HashSequence(SequenceOptions options, BlockFileKind kind, string path) : ISequence
{
    private readonly HashBuffers[] _buffers = HashBuffers.Make(options);
    private HashDatabase? _database;

    public bool CanRemove => true;

    public void Open(SequencePhase phase) => _database = HashDatabase.Open(path, new HashDatabaseOptions
    {
        FileKind = kind,
        ReadOnly = phase == SequencePhase.Get,
        Mode = phase == SequencePhase.Set ? FileMode.Create : FileMode.Open,
        Tuning = new HashTuning { Buckets = options.Buckets ?? options.Count },
    });

    public void Set(Worker worker, int start, int end)
    {
        HashDatabase database = _database!;
        HashBuffers buffers = _buffers[worker.Index];
        SequenceOrder numbers = new(options, worker, start, unit: 1);
        for (int i = start; i < end; i++)
        {
            long number = numbers.Next();
            database.Set(buffers.KeyOf(number), buffers.ValueOf(number));
        }
    }

    public void Get(Worker worker, int start, int end)
    {
        try
        {
            GetAll(worker, start, end);
        }
        catch (ArgumentException e)
        {
            throw new LoadException($"A value of the database in {Describe()} came back longer. The database is at fault.", e);
        }
    }

    public void Remove(Worker worker, int start, int end)
    {
        HashDatabase database = _database!;
        HashBuffers buffers = _buffers[worker.Index];
        SequenceOrder numbers = new(options, worker, start, unit: 1);
        for (int i = start; i < end; i++)
        {
            long number = numbers.Next();
            if (!database.Remove(buffers.KeyOf(number)) && !options.IsRandom)
                ThrowWrong(number, "is gone");
        }
    }

    public void Synchronize() => _database!.Synchronize(hard: false);

    public void Check(SequencePhase phase)
    {
        long most = phase == SequencePhase.Remove ? 0 : options.Count;
        long least = options.IsRandom ? Math.Min(most, 1) : most;
        if (_database!.Count is var count && (count < least || count > most))
        {
            throw new LoadException(string.Create(
                CultureInfo.InvariantCulture,
                $"The database in {Describe()} counts {count:N0} records, and {most:N0} are right. The database is at fault."));
        }
    }

    public void Close() => _database!.Close();

    public void Dispose() => _database?.Dispose();

    private void GetAll(Worker worker, int start, int end)
    {
        HashDatabase database = _database!;
        HashBuffers buffers = _buffers[worker.Index];
        SequenceOrder numbers = new(options, worker, start, unit: 1);
        for (int i = start; i < end; i++)
        {
            long number = numbers.Next();
            if (!database.TryGet(buffers.KeyOf(number), buffers.Read, out int length))
                ThrowWrong(number, "is gone");
            if (!buffers.ValueOf(number).SequenceEqual(buffers.Read[..length]))
                ThrowWrong(number, "came back changed");
        }
    }

    private string Describe() => $"the {BlockFile.NameOf(kind)} file";

    [DoesNotReturn]
    private void ThrowWrong(long number, string what) => throw new LoadException(string.Create(
        CultureInfo.InvariantCulture, $"Record {number:N0} of the database in {Describe()} {what}. The database is at fault."));
}

/// <summary>One worker's buffers for keys, values and reads of a hash database.</summary>
/// <remarks>
/// A key is its big-endian number, padded with zeros in front. A value has a word derived from the number at its beginning and its end, so
/// that a value of another record, or a mixture of two, is detected; the bytes between are the same in all.
/// </remarks>
internal sealed class HashBuffers
{
    private const ulong Odd = 0x9E3779B97F4A7C15; // gives each number a different word
    private const byte Between = (byte)'v';

    private readonly PaddedBuffer _key;
    private readonly PaddedBuffer _value;
    private readonly PaddedBuffer _read;
    private readonly int _keyBytes;

    private HashBuffers(PaddedBuffer key, PaddedBuffer value, PaddedBuffer read, int keyBytes)
    {
        _key = key;
        _value = value;
        _read = read;
        _keyBytes = keyBytes;
        _value.Bytes.Fill(Between);
    }

    /// <summary>The buffer for reads.</summary>
    internal Span<byte> Read => _read.Bytes;

    /// <summary>Creates the buffers of each worker.</summary>
    internal static HashBuffers[] Make(SequenceOptions options)
    {
        PaddedBuffer[] keys = PaddedBuffer.Make(options.Threads, Math.Max(options.KeyBytes, sizeof(long)));
        PaddedBuffer[] values = PaddedBuffer.Make(options.Threads, options.ValueBytes);
        PaddedBuffer[] reads = PaddedBuffer.Make(options.Threads, options.ValueBytes);
        var buffers = new HashBuffers[options.Threads];
        for (int i = 0; i < buffers.Length; i++)
            buffers[i] = new HashBuffers(keys[i], values[i], reads[i], options.KeyBytes);
        return buffers;
    }

    /// <summary>The key of a number, until the next call.</summary>
    internal ReadOnlySpan<byte> KeyOf(long number)
    {
        Span<byte> key = _key.Bytes;
        BinaryPrimitives.WriteInt64BigEndian(key[^sizeof(long)..], number);
        return key[^_keyBytes..];
    }

    /// <summary>The value of a number, until the next call.</summary>
    internal ReadOnlySpan<byte> ValueOf(long number)
    {
        Span<byte> value = _value.Bytes;
        ulong word = (ulong)(number + 1) * Odd;
        if (value.Length < sizeof(ulong))
        {
            for (int i = 0; i < value.Length; i++)
                value[i] = (byte)(word >> (56 - 8 * i));
            return value;
        }
        BinaryPrimitives.WriteUInt64LittleEndian(value, word);
        BinaryPrimitives.WriteUInt64LittleEndian(value[^sizeof(ulong)..], word);
        return value;
    }
}
