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
    /// Locks an opened file, or unlocks it. The system does so when the process dies; a program that it started has no part in it.
    /// </summary>
    [LibraryImport("libc", EntryPoint = "flock", SetLastError = true)]
    internal static partial int Lock(SafeFileHandle file, int operation);

    /// <summary>
    /// Reads at a position. The error is the system's last one, and not the runtime's; the descriptor must stay open meanwhile.
    /// </summary>
    [LibraryImport("libc", EntryPoint = "pread")]
    internal static unsafe partial nint ReadAt(int descriptor, byte* destination, nuint length, long offset);

    /// <inheritdoc cref="ReadAt"/>
    [LibraryImport("libc", EntryPoint = "pwrite")]
    internal static unsafe partial nint WriteAt(int descriptor, byte* source, nuint length, long offset);
}
