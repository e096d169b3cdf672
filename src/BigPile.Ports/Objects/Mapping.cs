using System;
using System.Diagnostics;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using BigPile.Memory;

namespace BigPile.Ports.Objects;

/// <summary>
/// The mapping of an arena. It stays while anything refers to this object, so that no span and no sleeping thread loses its memory.
/// </summary>
internal sealed unsafe class Mapping : SafeHandle
{
    private readonly nuint _lengthBytes;

    /// <summary>Maps a file that is completely allocated.</summary>
    /// <exception cref="System.IO.IOException">The system refuses.</exception>
    internal Mapping(HeldFile file, long lengthBytes) : base(0, ownsHandle: true)
    {
        file.BeginMap();
        _lengthBytes = (nuint)lengthBytes;
        SetHandle((nint)(OperatingSystem.IsLinux() ? LinuxMap.Map(file, _lengthBytes) : WindowsMap.Map(file, _lengthBytes)));
        file.EndMap();
    }

    public override bool IsInvalid => handle == 0;

    internal byte* Start
    {
        get
        {
            Debug.Assert(!IsClosed && !IsInvalid, "Whoever uses the memory keeps it mapped.");
            return (byte*)handle;
        }
    }

    /// <summary>Allocates all pages, so that their first use is as fast as later ones.</summary>
    internal void Populate()
    {
        if (OperatingSystem.IsLinux())
            LinuxMap.Populate(Start, _lengthBytes);
        else
            WindowsMap.Populate(Start, _lengthBytes);
    }

    protected override bool ReleaseHandle() =>
        OperatingSystem.IsLinux() ? LinuxMap.Unmap(handle, _lengthBytes) : WindowsMap.Unmap(handle);
}

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
