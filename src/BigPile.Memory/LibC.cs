using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using Microsoft.Win32.SafeHandles;

namespace BigPile.Memory;

/// <summary>The few calls to the C library that the runtime does not offer.</summary>
[SupportedOSPlatform("linux")]
internal static unsafe partial class LibC
{
    internal const int ProtectionRead = 1;
    internal const int ProtectionWrite = 2;
    internal const int MapPrivate = 0x02;
    internal const int MapAnonymous = 0x20;
    internal const int MapNoReserve = 0x4000;
    internal const int AdviseWillNeed = 3;
    internal const int AdviseHugePage = 14;
    internal const int OpenReadOnly = 0;

    internal static readonly void* MapFailed = (void*)-1;

    [LibraryImport("libc", EntryPoint = "mmap", SetLastError = true)]
    internal static partial void* MemoryMap(void* address, nuint length, int protection, int flags, int descriptor, long offset);

    [LibraryImport("libc", EntryPoint = "munmap", SetLastError = true)]
    internal static partial int MemoryUnmap(void* address, nuint length);

    [LibraryImport("libc", EntryPoint = "madvise", SetLastError = true)]
    internal static partial int MemoryAdvise(void* address, nuint length, int advice);

    [LibraryImport("libc", EntryPoint = "fdatasync", SetLastError = true)]
    internal static partial int SyncData(SafeFileHandle file);

    [LibraryImport("libc", EntryPoint = "open", SetLastError = true, StringMarshalling = StringMarshalling.Utf8)]
    internal static partial int Open(string path, int flags);

    [LibraryImport("libc", EntryPoint = "fsync", SetLastError = true)]
    internal static partial int Sync(int descriptor);

    [LibraryImport("libc", EntryPoint = "close")]
    internal static partial int Close(int descriptor);
}
