using System;
using System.Globalization;
using System.Numerics;
using BigPile.Perf.Loads;

namespace BigPile.Perf.Sequences;

/// <summary>Checks whether a sequence fits the disk.</summary>
internal static class SequenceSpace
{
    private const long MaxAheadBytes = 256 << 20; // what a file reserves beyond its size
    private const int BucketBytes = 8;
    private const int RecordHeadBytes = 32; // about what a hash database keeps beside a key and a value

    /// <summary>Refuses a load that needs more disk space than is free.</summary>
    /// <exception cref="LoadException">There is too little space.</exception>
    internal static void Require(SequenceOptions options, string directory)
    {
        long fileBytes = FileBytesOf(options);
        long neededBytes = fileBytes + Math.Min(fileBytes, MaxAheadBytes);
        long freeBytes = MachineLimits.FreeDiskBytes(directory);
        if (neededBytes <= freeBytes)
            return;
        throw new LoadException(string.Create(
            CultureInfo.InvariantCulture,
            $"--count {options.Count} of {Describe(options)} needs {neededBytes:N0} bytes of space in '{directory}', and {freeBytes:N0} "
            + $"are free. Lower one of them, or name a --directory on a larger disk."));
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
