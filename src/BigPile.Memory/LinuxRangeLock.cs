using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using Microsoft.Win32.SafeHandles;

namespace BigPile.Memory;

/// <summary>
/// <see cref="RangeLock"/> on Linux: open file description locks, which belong to the open file and not to the process as POSIX locks do.
/// </summary>
[SupportedOSPlatform("linux")]
internal static partial class LinuxRangeLock
{
    private const int GetLock = 36; // F_OFD_GETLK
    private const int TryLock = 37; // F_OFD_SETLK
    private const short Exclusive = 1; // F_WRLCK
    private const short None = 2; // F_UNLCK
    private const short FromBeginning = 0; // SEEK_SET
    private const int AccessDenied = 13; // EACCES, which some systems return instead of EAGAIN

    internal static bool TryTake(SafeFileHandle file, string path, int offset)
    {
        while (Set(file, TryLock, Exclusive, offset) is not 0 and var error)
        {
            if (error is FileErrors.WouldBlock or AccessDenied)
                return false;
            if (error != FileErrors.Interrupted)
                throw FileErrors.Of(path, "locked", error);
        }
        return true;
    }

    internal static void Release(SafeFileHandle file, int offset) => _ = Set(file, TryLock, None, offset);

    internal static bool IsHeldByOther(SafeFileHandle file, string path, int offset)
    {
        Range range = new() { Kind = Exclusive, Whence = FromBeginning, Start = offset, Length = 1 };
        return Control(file, GetLock, ref range) == 0 ? range.Kind != None : throw FileErrors.Last(path, "asked for its locks");
    }

    private static int Set(SafeFileHandle file, int command, short kind, int offset)
    {
        Range range = new() { Kind = kind, Whence = FromBeginning, Start = offset, Length = 1 };
        return Control(file, command, ref range) == 0 ? 0 : Marshal.GetLastPInvokeError();
    }

    // Variadic: on Linux a pointer is passed as if it were declared.
    [LibraryImport("libc", EntryPoint = "fcntl", SetLastError = true)]
    private static partial int Control(SafeFileHandle file, int command, ref Range range);

    // struct flock of 64-bit systems.
    private struct Range
    {
        internal short Kind;
        internal short Whence;
        internal long Start;
        internal long Length;
        internal int Process; // must be 0 for these locks
    }
}
