using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Threading;
using BigPile.Files;
using BigPile.Perf.Loads;
using BigPile.Perf.Reports;

namespace BigPile.Perf.Sequences;

/// <summary>Runs a sequence on one kind of file or on all, from nothing to nothing.</summary>
/// <remarks>
/// A small sequence runs repeatedly before the measured one as a warm-up: the runtime optimizes methods that were called often, some tenths
/// of a second later, when a measured phase may be over.
/// </remarks>
internal static class SequenceRunner
{
    private const int RehearsalRecords = 1024;
    private const int MinMeasuredRecords = 4096; // fewer are too short to measure
    private const int RehearsalBytes = 4 << 20;
    private const string FileName = "sequence";

    private static readonly int RehearsalRounds = Brevity.Of(usual: 60, brief: 1);
    private static readonly TimeSpan LeastRehearsal = Brevity.Of(TimeSpan.FromMilliseconds(600), TimeSpan.Zero);

    /// <summary>Runs the load.</summary>
    /// <exception cref="LoadException">It is impossible here, or what was read is not what was written.</exception>
    /// <exception cref="IOException">A file failed.</exception>
    /// <exception cref="OperationCanceledException">The user stopped it.</exception>
    internal static SequenceReport Run(SequenceOptions options, ILoadProgress progress, CancellationToken stop)
    {
        stop.ThrowIfCancellationRequested();
        using WorkDirectory directory = WorkDirectory.Create(options.Directory, "--directory");
        SequenceSpace.Require(options, directory.Path);
        Directory.CreateDirectory(directory.PilePath);
        string path = Path.Combine(directory.PilePath, FileName);
        IEnumerable<BlockFileKind> kinds = options.Kind is { } one ? [one] : BlockFile.Kinds;
        var rows = new List<SequenceRow>();
        foreach (BlockFileKind kind in kinds)
        {
            Rehearse(options, kind, path, stop);
            rows.Add(new SequenceLoad(options, kind, path, progress, stop).Run());
        }
        return new SequenceReport(options, rows);
    }

    private static void Rehearse(SequenceOptions options, BlockFileKind kind, string path, CancellationToken stop)
    {
        int records = Math.Clamp(RehearsalBytes / options.RecordBytes, 1, RehearsalRecords);
        SequenceOptions small = options with { Count = Math.Min(options.Count, records), Buckets = null };
        var load = new SequenceLoad(small, kind, path, new NoProgress(), stop);
        TimeSpan least = options.Count < MinMeasuredRecords ? TimeSpan.Zero : LeastRehearsal;
        long start = Stopwatch.GetTimestamp();
        for (int i = 0; i < RehearsalRounds || Stopwatch.GetElapsedTime(start) < least; i++)
            load.Run();
    }
}
