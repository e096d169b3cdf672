using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using Microsoft.Win32.SafeHandles;

namespace BigPile.Memory;

/// <summary>Calls of the C library that the runtime does not offer.</summary>
/// <remarks>
/// Functions with a variadic mode argument are declared as if it were a normal one: on Linux the calling conventions are the same, on macOS
/// they are not.
/// </remarks>
[SupportedOSPlatform("linux")]
internal static unsafe partial class LibC
{
    internal const int ProtectionRead = 1;
    internal const int ProtectionWrite = 2;
    internal const int MapShared = 0x01;
    internal const int MapPrivate = 0x02;
    internal const int MapAnonymous = 0x20;
    internal const int MapNoReserve = 0x4000;
    internal const int AdviseRandom = 1;
    internal const int AdviseWillNeed = 3;
    internal const int AdviseDoNotNeed = 4;
    internal const int AdviseHugePage = 14;
    internal const int OpenReadOnly = 0;
    internal const int OpenReadWrite = 0x2;
    internal const int OpenCreate = 0x40;
    internal const int OpenTruncate = 0x200;
    internal const int OpenCloseOnExec = 0x80000;
    internal const int SeekHole = 4;
    internal const int ModeOfFiles = 0x1B6; // 0666, less the umask
    internal const int ModeOfPrivateFiles = 0x180; // 0600

    internal const long MemoryFileSystem = 0x01021994; // TMPFS_MAGIC

    internal static readonly void* MapFailed = (void*)-1;

    [LibraryImport("libc", EntryPoint = "mmap", SetLastError = true)]
    internal static partial void* MemoryMap(void* address, nuint length, int protection, int flags, int descriptor, long offset);

    [LibraryImport("libc", EntryPoint = "munmap", SetLastError = true)]
    internal static partial int MemoryUnmap(void* address, nuint length);

    [LibraryImport("libc", EntryPoint = "madvise", SetLastError = true)]
    internal static partial int MemoryAdvise(void* address, nuint length, int advice);

    [LibraryImport("libc", EntryPoint = "open", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    internal static partial int Open(string path, int flags, int mode);

    [LibraryImport("libc", EntryPoint = "openat", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    internal static partial int OpenAt(SafeFileHandle directory, string name, int flags, int mode);

    [LibraryImport("libc", EntryPoint = "renameat", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    internal static partial int RenameAt(SafeFileHandle fromDirectory, string from, SafeFileHandle toDirectory, string to);

    [LibraryImport("libc", EntryPoint = "unlinkat", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    internal static partial int UnlinkAt(SafeFileHandle directory, string name, int flags);

    [LibraryImport("libc", EntryPoint = "fallocate", SetLastError = true)]
    internal static partial int Allocate(SafeFileHandle file, int mode, long offset, long length);

    [LibraryImport("libc", EntryPoint = "fstatfs", SetLastError = true)]
    internal static partial int FileSystemStatus(SafeFileHandle file, long* status);

    [LibraryImport("libc", EntryPoint = "lseek", SetLastError = true)]
    internal static partial long Seek(SafeFileHandle file, long offset, int whence);

    [LibraryImport("libc", EntryPoint = "fdatasync", SetLastError = true)]
    internal static partial int SyncData(SafeFileHandle file);

    [LibraryImport("libc", EntryPoint = "fsync", SetLastError = true)]
    internal static partial int Sync(SafeFileHandle file);

    [LibraryImport("libc", EntryPoint = "statx", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    internal static partial int StatusAt(int directory, string path, int flags, uint mask, byte* status);

    [LibraryImport("libc", EntryPoint = "statx", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    internal static partial int StatusAt(SafeFileHandle directory, string path, int flags, uint mask, byte* status);
}
