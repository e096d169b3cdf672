using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Memory;

namespace BigPile.Durability;

/// <summary>What the device is known to have of the file, for <see cref="SyncRecord"/>.</summary>
internal sealed partial class FileCatalog
{
    private static readonly TimeSpan LongestClockTick = TimeSpan.FromMilliseconds(20); // of file times; usually 1 to 10 ms

    private StrongBox<FileStatus>? _onDevice; // written under the catalog's lock, read without it
    private long _markedAt; // monotonic timestamp, taken after the file's time was read

    /// <summary>
    /// The status that the file had when all of it, and its name, was on the device; null while that is not certain, or where the system
    /// does not report it.
    /// </summary>
    internal FileStatus? StatusOnDevice => Volatile.Read(ref _onDevice)?.Value;

    /// <summary>Whether the device was known to have the file at opening, so that nothing was synced.</summary>
    internal bool IsOnDevice { get; private set; }

    private void MarkOnDevice()
    {
        FileStatus? status = FileStatus.Of(_file.Handle);
        _markedAt = Stopwatch.GetTimestamp();
        Volatile.Write(ref _onDevice, status is { } known ? new StrongBox<FileStatus>(known) : null);
    }

    private void ClearOnDevice() => Volatile.Write(ref _onDevice, null);

    // Waits until the next change gives the file a new time. Otherwise a file that is cut back to its recorded length within the same clock
    // step would match the record.
    private void WaitForClockTick()
    {
        if (Stopwatch.GetElapsedTime(_markedAt) < LongestClockTick)
            _ = SpinWait.SpinUntil(static () => false, LongestClockTick);
    }
}
