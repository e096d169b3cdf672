using System;
using Microsoft.Win32.SafeHandles;

namespace BigPile.Memory;

/// <summary>Locks on single bytes of an opened file, which the system drops when the process dies.</summary>
/// <remarks>
/// They belong to the opened file, and not to the process: another handle of the same file that is closed takes none away, and two that are
/// open in one process exclude each other. Threads that share the handle must exclude each other by themselves. Linux and Windows only.
/// </remarks>
internal static class RangeLock
{
    /// <summary>Locks a byte, unless another one has it.</summary>
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

    /// <summary>Whether another opened file has a byte locked.</summary>
    internal static bool IsHeldByOther(SafeFileHandle file, string path, int offset) => OperatingSystem.IsLinux()
        ? LinuxRangeLock.IsHeldByOther(file, path, offset)
        : WindowsRangeLock.IsHeldByOther(file, path, offset);
}
