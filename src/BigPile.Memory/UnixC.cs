using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using Microsoft.Win32.SafeHandles;

namespace BigPile.Memory;

/// <summary>Calls to the C library that are the same on Linux and macOS.</summary>
[UnsupportedOSPlatform("windows")]
internal static partial class UnixC
{
    internal const int LockExclusive = 2;
    internal const int LockWithoutWaiting = 4;
    internal const int Unlock = 8;

    /// <summary>
    /// Locks an opened file, or unlocks it. The system does so when the process dies; a program that it started has no part in it.
    /// </summary>
    [LibraryImport("libc", EntryPoint = "flock", SetLastError = true)]
    internal static partial int Lock(SafeFileHandle file, int operation);
}
