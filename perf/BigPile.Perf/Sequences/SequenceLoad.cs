using System;
using System.Diagnostics;
using System.IO;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Files;

namespace BigPile.Perf.Sequences;

/// <summary>The phases of a sequence in one file, from nothing to nothing.</summary>
/// <remarks>The file is opened before each phase and closed behind it, outside of the phase's time.</remarks>
internal sealed class SequenceLoad(SequenceOptions options, BlockFileKind kind, string path, ILoadProgress progress, CancellationToken stop)
{
    private readonly string _name = BlockFile.NameOf(kind);
    private long _processBytes;

    /// <summary>Runs the load, and removes the file.</summary>
    internal SequenceRow Run()
    {
        GC.Collect();
        long baselineBytes = _processBytes = Environment.WorkingSet;
        var layout = new LoadLayout(options.RecordBytes, options.Threads);
        using ISequence sequence = MakeSequence();
        using var team = new WorkerTeam(Worker.Deal(options.Count, options.Threads), layout.BatchObjects, progress, stop);
        double setSeconds = Run(sequence, team, SequencePhase.Set, sequence.Set);
        long fileBytes = new FileInfo(path).Length;
        double getSeconds = Run(sequence, team, SequencePhase.Get, sequence.Get);
        double? removeSeconds = sequence.CanRemove ? Run(sequence, team, SequencePhase.Remove, sequence.Remove) : null;
        File.Delete(path);
        return new SequenceRow
        {
            Layer = options.Layer.ToString().ToLowerInvariant(),
            File = _name,
            Threads = options.Threads,
            SetPerSecond = PerSecond(setSeconds),
            GetPerSecond = PerSecond(getSeconds),
            RemovePerSecond = removeSeconds is { } seconds ? PerSecond(seconds) : null,
            FileBytes = fileBytes,
            MemoryBytes = _processBytes - baselineBytes,
        };
    }

    private double Run(ISequence sequence, WorkerTeam team, SequencePhase phase, WorkerTeam.Batch batch)
    {
        sequence.Open(phase);
        double seconds = team.Run($"{_name}: {phase.ToString().ToLowerInvariant()}", batch);
        if (phase != SequencePhase.Get)
        {
            long start = Stopwatch.GetTimestamp();
            sequence.Synchronize();
            seconds += Stopwatch.GetElapsedTime(start).TotalSeconds;
        }
        _processBytes = Math.Max(_processBytes, Environment.WorkingSet);
        sequence.Check(phase);
        sequence.Close();
        return seconds;
    }

    private ISequence MakeSequence() => options.Layer == SequenceLayer.Hash ? new HashSequence(options, kind, path) : MakeFileSequence();

    private ISequence MakeFileSequence() => kind switch
    {
        BlockFileKind.Standard => Make<StandardKind>(),
        BlockFileKind.MappedParallel => Make<MappedParallelKind>(),
        BlockFileKind.MappedAtomic => Make<MappedAtomicKind>(),
        BlockFileKind.PositionalParallel => Make<PositionalParallelKind>(),
        _ => Make<PositionalAtomicKind>(),
    };

    private FileSequence<TKind> Make<TKind>() where TKind : struct, IFileKind => new(options, path);

    private double PerSecond(double seconds) => Figure.PerSecond(options.Count, seconds);
}

/// <summary>The numbers of a worker's records: dealt out in turns, or drawn at random.</summary>
/// <remarks>A batch gives the same numbers in each phase, so that what is read was written, also where they are drawn.</remarks>
internal struct SequenceOrder
{
    private readonly long _step;
    private readonly bool _isRandom;
    private RandomOrder _random;
    private long _next;

    /// <summary>Starts a batch.</summary>
    /// <param name="options">How many records, by how many threads.</param>
    /// <param name="worker">Whose batch it is.</param>
    /// <param name="start">The first of the worker's records in it.</param>
    /// <param name="unit">What lies between the numbers of two records: 1, or a record's bytes. Drawn numbers may lie between.</param>
    internal SequenceOrder(SequenceOptions options, Worker worker, int start, int unit)
    {
        _step = (long)options.Threads * unit;
        _next = (start - worker.Start) * _step + (long)worker.Index * unit;
        _isRandom = options.IsRandom;
        _random = new RandomOrder(seed: start, limit: (options.Count - 1L) * unit + 1);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    internal long Next()
    {
        if (_isRandom)
            return _random.NextLong();
        long number = _next;
        _next = number + _step;
        return number;
    }
}
