using System;
using System.Diagnostics;
using System.IO;
using System.Threading;
using BigPile.Files;
using BigPile.Perf.Loads;
using BigPile.Perf.Reports;

namespace BigPile.Perf.Sequences;

/// <summary>The phases of a sequence in one file, from nothing to nothing.</summary>
/// <remarks>The file is opened before each phase and closed behind it, outside of the phase's time.</remarks>
internal sealed class SequenceLoad(SequenceOptions options, BlockFileKind kind, string path, ILoadProgress progress, CancellationToken stop)
{
    private readonly string _name = BlockFile.NameOf(kind);
    private long _processBytes;

    /// <summary>Runs the load, and removes the file.</summary>
    /// <exception cref="LoadException">What was read is not what was written.</exception>
    /// <exception cref="IOException">The file failed.</exception>
    /// <exception cref="OperationCanceledException">The user stopped it.</exception>
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

    private double PerSecond(double seconds) => Math.Round(options.Count / Math.Max(seconds, 1e-9));
}
