using System;
using System.Diagnostics.CodeAnalysis;
using System.Globalization;
using System.IO;
using BigPile.Files;
using BigPile.Hash;
using BigPile.Perf.Loads;

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
