using System;
using System.Diagnostics.CodeAnalysis;
using System.IO;

namespace BigPile.Files.Storage;

/// <summary>The exceptions of file operations, each in one place. Out of line, so that callers stay small.</summary>
internal static class BlockFileErrors
{
    [DoesNotReturn]
    internal static void Closed(string path) => throw new ObjectDisposedException(path, $"The file '{path}' was closed.");

    [DoesNotReturn]
    internal static void ReadOnly(string path) => throw new InvalidOperationException(
        $"The file '{path}' was opened for reading only. Open it without BlockFileOptions.ReadOnly to change it.");

    [DoesNotReturn]
    internal static void PastEnd(string path, long offset, int length, long size) => throw new EndOfStreamException(
        $"{length:N0} bytes at offset {offset:N0} of '{path}' do not lie within its {size:N0} bytes. Nothing was read.");

    [DoesNotReturn]
    internal static void BadOffset(long offset) => throw new ArgumentOutOfRangeException(
        nameof(offset), offset, "An offset must not be negative, and offset plus length must not overflow.");

    internal static EndOfStreamException CutFromOutside(string path, long offset) => new(
        $"'{path}' ends before offset {offset:N0}, which it had: another program has cut it without taking its lock. "
        + "Close it, and restore it from a copy.");

    internal static BlockFileFullException LimitReached(string path, long size, long limit) => new(
        $"'{path}' would have {size:N0} bytes, and may have {limit:N0}. Nothing was written. Raise BlockFileOptions.MaxSize, or remove "
        + "something.");

    internal static BlockFileFullException DiskFull(string path, long bytes, Exception cause) => new(
        $"The disk has no space for the {bytes:N0} bytes that '{path}' needs. Nothing was written. Free some space, or move the file to a "
        + $"larger disk. ({cause.Message})",
        cause);

    internal static BlockFileLockedException Locked(string path, bool readOnly) => new(
        readOnly
            ? $"'{path}' is open for writing, in this process or another one. Close it there first."
            : $"'{path}' is open already, in this process or another one. Close it there first; only files that are opened for reading "
            + "only can be open more than once.");
}
