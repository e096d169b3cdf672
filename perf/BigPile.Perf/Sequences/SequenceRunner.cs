using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.IO;
using System.Numerics;
using System.Threading;
using BigPile.Files;

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
    internal static IReadOnlyList<SequenceRow> Run(SequenceOptions options, ILoadProgress progress, CancellationToken stop)
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
        return rows;
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

/// <summary>Checks whether a sequence fits the disk.</summary>
internal static class SequenceSpace
{
    private const long MaxAheadBytes = 256 << 20; // what a file reserves beyond its size
    private const int BucketBytes = 8;
    private const int RecordHeadBytes = 32; // about what a hash database keeps beside a key and a value

    /// <summary>Refuses a load that needs more disk space than is free.</summary>
    internal static void Require(SequenceOptions options, string directory)
    {
        long fileBytes = FileBytesOf(options);
        long neededBytes = fileBytes + Math.Min(fileBytes, MaxAheadBytes);
        MachineLimits.Require(
            $"--count {options.Count} of {Describe(options)}", neededBytes, MachineLimits.FreeDiskBytes(directory),
            $"space in '{directory}'", "Lower one of them, or name a --directory on a larger disk.");
    }

    private static long FileBytesOf(SequenceOptions options)
    {
        if (options.Layer == SequenceLayer.File)
            return (long)options.Count * options.SizeBytes;
        long buckets = (long)BitOperations.RoundUpToPowerOf2((ulong)(options.Buckets ?? options.Count));
        return buckets * BucketBytes + options.Count * ((long)options.RecordBytes + RecordHeadBytes);
    }

    private static string Describe(SequenceOptions options) => options.Layer == SequenceLayer.File
        ? string.Create(CultureInfo.InvariantCulture, $"--size {options.SizeBytes}")
        : string.Create(CultureInfo.InvariantCulture, $"--key-size {options.KeyBytes} and --value-size {options.ValueBytes}");
}
