using System;
using Microsoft.Win32.SafeHandles;

namespace BigPile.Memory;

/// <summary>Locks on single bytes of an open file, which the system drops when the process dies.</summary>
/// <remarks>
/// They belong to the open file, not to the process: closing another handle of the same file releases none, and two handles in one process
/// exclude each other. Threads that share a handle must exclude each other themselves. Linux and Windows only.
/// </remarks>
internal static class RangeLock
{
    /// <summary>Locks a byte, unless another handle holds it.</summary>
    internal static bool TryTake(SafeFileHandle file, string path, int offset) => OperatingSystem.IsLinux()
        ? LinuxRangeLock.TryTake(file, path, offset)
        : WindowsRangeLock.TryTake(file, path, offset);

    internal static void Release(SafeFileHandle file, int offset)
    {
        if (OperatingSystem.IsLinux())
            LinuxRangeLock.Release(file, offset);
        else
            WindowsRangeLock.Release(file, offset);
    }

    /// <summary>Whether another handle holds the lock of a byte.</summary>
    internal static bool IsHeldByOther(SafeFileHandle file, string path, int offset) => OperatingSystem.IsLinux()
        ? LinuxRangeLock.IsHeldByOther(file, path, offset)
        : WindowsRangeLock.IsHeldByOther(file, path, offset);
}
