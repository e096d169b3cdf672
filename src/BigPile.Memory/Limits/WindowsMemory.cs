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

    // MEMORYSTATUSEX, of which the rest is not read.
    [StructLayout(LayoutKind.Explicit, Size = 64)]
    private struct Status
    {
        [FieldOffset(0)]
        internal uint SizeBytes;

        [FieldOffset(8)]
        internal ulong TotalBytes;

        [FieldOffset(16)]
        internal ulong AvailableBytes;
    }
}
