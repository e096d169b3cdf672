using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using Microsoft.Win32.SafeHandles;

namespace BigPile.Memory;

/// <summary>Calls to the C library that are the same on Linux and macOS.</summary>
[UnsupportedOSPlatform("windows")]
internal static partial class UnixC
{
    internal const int LockShared = 1;
    internal const int LockExclusive = 2;
    internal const int LockWithoutWaiting = 4;
    internal const int Unlock = 8;

    /// <summary>
    /// Locks or unlocks an open file. The system unlocks it when the process dies; child processes do not share the lock.
    /// </summary>
    [LibraryImport("libc", EntryPoint = "flock", SetLastError = true)]
    internal static partial int Lock(SafeFileHandle file, int operation);

    /// <summary>
    /// Reads at an offset. The error is the system's last one, not the runtime's; the descriptor must stay open meanwhile.
    /// </summary>
    [LibraryImport("libc", EntryPoint = "pread")]
    internal static unsafe partial nint ReadAt(int descriptor, byte* destination, nuint length, long offset);

    /// <inheritdoc cref="ReadAt"/>
    [LibraryImport("libc", EntryPoint = "pwrite")]
    internal static unsafe partial nint WriteAt(int descriptor, byte* source, nuint length, long offset);
}
