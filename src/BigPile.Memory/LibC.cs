using System.Runtime.InteropServices;
using System.Runtime.Versioning;

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
    internal const int AdviseHugePage = 14;

    internal static readonly void* MapFailed = (void*)-1;

    [LibraryImport("libc", EntryPoint = "mmap", SetLastError = true)]
    internal static partial void* MemoryMap(void* address, nuint length, int protection, int flags, int descriptor, long offset);

    [LibraryImport("libc", EntryPoint = "munmap", SetLastError = true)]
    internal static partial int MemoryUnmap(void* address, nuint length);

    [LibraryImport("libc", EntryPoint = "madvise", SetLastError = true)]
    internal static partial int MemoryAdvise(void* address, nuint length, int advice);
}
