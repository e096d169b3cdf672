using System.Runtime.Versioning;
using BigPile.Memory;

namespace BigPile.Ports.Objects;

/// <summary>Maps whole files on Linux.</summary>
[SupportedOSPlatform("linux")]
internal static unsafe class LinuxMap
{
    private const int AdvisePopulateWrite = 23; // MADV_POPULATE_WRITE

    /// <summary>Maps a file.</summary>
    /// <exception cref="System.IO.IOException">The system refuses.</exception>
    internal static void* Map(HeldFile file, nuint lengthBytes)
    {
        void* start = LibC.MemoryMap(
            null, lengthBytes, LibC.ProtectionRead | LibC.ProtectionWrite, LibC.MapShared, (int)file.Handle.DangerousGetHandle(), 0);
        return start != LibC.MapFailed ? start : throw FileErrors.Last(file.Path, "mapped");
    }

    internal static bool Unmap(nint start, nuint lengthBytes) => LibC.MemoryUnmap((void*)start, lengthBytes) == 0;

    /// <summary>Allocates all pages. Older kernels ignore it.</summary>
    internal static void Populate(void* start, nuint lengthBytes) => _ = LibC.MemoryAdvise(start, lengthBytes, AdvisePopulateWrite);
}
