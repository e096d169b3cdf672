using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace BigPile.Memory;

/// <summary><see cref="RangeLock"/> on Windows.</summary>
/// <remarks>
/// A lock can only be tested by taking it: the test takes a shared lock for a moment. Tests do not disturb each other, but a thread that
/// tries to lock the byte at that moment is refused, and must retry anyway.
/// </remarks>
internal static partial class WindowsRangeLock
{
    private const int Exclusive = 2; // LOCKFILE_EXCLUSIVE_LOCK
    private const int AtOnce = 1; // LOCKFILE_FAIL_IMMEDIATELY
    private const int Violation = 33; // ERROR_LOCK_VIOLATION
    private const int Pending = 997; // ERROR_IO_PENDING

    internal static bool TryTake(SafeFileHandle file, string path, int offset) => Set(file, path, Exclusive | AtOnce, offset);

    internal static void Release(SafeFileHandle file, int offset)
    {
        Overlapped at = new() { Offset = offset };
        _ = UnlockFile(file, 0, 1, 0, ref at);
    }

    internal static bool IsHeldByOther(SafeFileHandle file, string path, int offset)
    {
        if (!Set(file, path, AtOnce, offset))
            return true;
        Release(file, offset);
        return false;
    }

    private static bool Set(SafeFileHandle file, string path, int flags, int offset)
    {
        Overlapped at = new() { Offset = offset };
        if (LockFile(file, flags, 0, 1, 0, ref at) != 0)
            return true;
        int error = Marshal.GetLastPInvokeError();
        return error is Violation or Pending ? false : throw FileErrors.Of(path, "locked", error);
    }

    [LibraryImport("kernel32", EntryPoint = "LockFileEx", SetLastError = true)]
    private static partial int LockFile(SafeFileHandle file, int flags, int reserved, int lengthLow, int lengthHigh, ref Overlapped offset);

    [LibraryImport("kernel32", EntryPoint = "UnlockFileEx", SetLastError = true)]
    private static partial int UnlockFile(SafeFileHandle file, int reserved, int lengthLow, int lengthHigh, ref Overlapped offset);

    // OVERLAPPED, of which all else is zero.
    [StructLayout(LayoutKind.Explicit, Size = 32)]
    private struct Overlapped
    {
        [FieldOffset(16)]
        internal int Offset;
    }
}
