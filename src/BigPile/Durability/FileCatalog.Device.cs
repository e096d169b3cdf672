using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;
using BigPile.Memory;

namespace BigPile.Durability;

/// <summary>What is known of the file on the device, for <see cref="SyncRecord"/>.</summary>
internal sealed partial class FileCatalog
{
    private static readonly TimeSpan LongestClockTick = TimeSpan.FromMilliseconds(20); // of the times that files have; mostly it is 1 to 10

    private StrongBox<FileStatus>? _onDevice; // which is read without the lock
    private long _markedAt; // by the steady clock, and no earlier than the time that the file then had

    /// <summary>
    /// The file as it was when the device had all of it, and its name; null while it may not, or where the system does not tell.
    /// </summary>
    internal FileStatus? StatusOnDevice => Volatile.Read(ref _onDevice)?.Value;

    /// <summary>Whether the device was known to have the file as it was found, so that nothing was written through.</summary>
    internal bool IsOnDevice { get; private set; }

    private void MarkOnDevice()
    {
        FileStatus? status = FileStatus.Of(_file.Handle);
        _markedAt = Stopwatch.GetTimestamp();
        Volatile.Write(ref _onDevice, status is { } known ? new StrongBox<FileStatus>(known) : null);
    }

    private void ClearOnDevice() => Volatile.Write(ref _onDevice, null);

    // Has the next change of the file get another time than it had when a note may have been made of it: cut to the length of then, it
    // would be taken for the same.
    private void WaitForClockTick()
    {
        if (Stopwatch.GetElapsedTime(_markedAt) < LongestClockTick)
            _ = SpinWait.SpinUntil(static () => false, LongestClockTick);
    }
}
