using System;
using System.Globalization;
using BigPile.Perf.Loads;

namespace BigPile.Perf.Sequences;

/// <summary>Whether a sequence can fit the disk at all.</summary>
internal static class SequenceRoom
{
    private const long MaxAheadBytes = 256 << 20; // what a file takes ahead of its size

    /// <summary>Refuses what needs more than there is.</summary>
    /// <exception cref="LoadException">There is too little space.</exception>
    internal static void Require(SequenceOptions options, string directory)
    {
        long fileBytes = FileBytesOf(options);
        long neededBytes = fileBytes + Math.Min(fileBytes, MaxAheadBytes);
        long freeBytes = Room.FreeDiskBytes(directory);
        if (neededBytes <= freeBytes)
            return;
        throw new LoadException(string.Create(
            CultureInfo.InvariantCulture,
            $"--count {options.Count} of {Describe(options)} needs {neededBytes:N0} bytes of space in '{directory}', and {freeBytes:N0} "
            + $"are free. Lower one of them, or name a --directory on a larger disk."));
    }

    private static long FileBytesOf(SequenceOptions options) => (long)options.Count * options.SizeBytes;

    private static string Describe(SequenceOptions options) => string.Create(CultureInfo.InvariantCulture, $"--size {options.SizeBytes}");
}
