using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace BigPile.Memory.Limits;

/// <summary>The memory of a Windows machine.</summary>
[SupportedOSPlatform("windows")]
internal static unsafe partial class WindowsMemory
{
    /// <summary>The physical memory, and what of it is free or can be made so at once; <see langword="null"/>: unknown.</summary>
    internal static (long TotalBytes, long AvailableBytes)? Read()
    {
        var status = new Status { SizeBytes = (uint)sizeof(Status) };
        return GetStatus(&status) ? ((long)status.TotalBytes, (long)status.AvailableBytes) : null;
    }

    [LibraryImport("kernel32", EntryPoint = "GlobalMemoryStatusEx")]
    [return: MarshalAs(UnmanagedType.Bool)]
    private static partial bool GetStatus(Status* status);

    [StructLayout(LayoutKind.Sequential)]
    private struct Status // MEMORYSTATUSEX
    {
        internal uint SizeBytes;
        internal uint LoadPercent;
        internal ulong TotalBytes;
        internal ulong AvailableBytes;
        internal fixed ulong PageFileAndAddresses[5];
    }
}
