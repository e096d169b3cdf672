using System.Runtime.InteropServices;
using System.Threading;
using BigPile.Memory;
using BigPile.Ports.Waiting;
using Microsoft.Win32.SafeHandles;

namespace BigPile.Ports.Objects;

/// <summary>Maps whole files on Windows.</summary>
internal static unsafe partial class WindowsMap
{
    private const int ReadWritePages = 4; // PAGE_READWRITE
    private const int ReadWriteView = 6; // FILE_MAP_READ | FILE_MAP_WRITE

    private const int PageBytes = 4096;

    /// <summary>Maps a file, and registers its wake events.</summary>
    /// <exception cref="System.IO.IOException">The system refuses.</exception>
    internal static void* Map(HeldFile file, nuint lengthBytes)
    {
        string identity = IdentityOf(file);
        nint section = CreateMapping(file.Handle, 0, ReadWritePages, (uint)(lengthBytes >> 32), (uint)lengthBytes, null);
        if (section == 0)
            throw FileErrors.Last(file.Path, "mapped");
        void* start = MapView(section, ReadWriteView, 0, 0, lengthBytes);
        int error = Marshal.GetLastPInvokeError();
        _ = Close(section); // the view keeps it
        if (start == null)
            throw FileErrors.Of(file.Path, "mapped", error);
        NamedWakeEvents.Add((nint)start, lengthBytes, identity);
        return start;
    }

    internal static bool Unmap(nint start)
    {
        NamedWakeEvents.Remove(start);
        return UnmapView((void*)start) != 0;
    }

    /// <summary>Allocates all pages.</summary>
    internal static void Populate(byte* start, nuint lengthBytes)
    {
        for (nuint at = 0; at < lengthBytes; at += PageBytes)
            Interlocked.Or(ref *(int*)(start + at), 0); // others may write it already
    }

    // The system's identifier of the file: the same for all processes, whatever the path.
    private static string IdentityOf(HeldFile file)
    {
        FileInformation information;
        return GetInformation(file.Handle, &information) != 0
            ? $"{information.Volume:x}-{information.NumberHigh:x}-{information.NumberLow:x}"
            : throw FileErrors.Last(file.Path, "looked at");
    }

    [LibraryImport("kernel32", EntryPoint = "CreateFileMappingW", SetLastError = true)]
    private static partial nint CreateMapping(SafeFileHandle file, nint security, int pages, uint lengthHigh, uint lengthLow, char* name);

    [LibraryImport("kernel32", EntryPoint = "MapViewOfFile", SetLastError = true)]
    private static partial void* MapView(nint section, int access, uint offsetHigh, uint offsetLow, nuint lengthBytes);

    [LibraryImport("kernel32", EntryPoint = "UnmapViewOfFile")]
    private static partial int UnmapView(void* start);

    [LibraryImport("kernel32", EntryPoint = "CloseHandle")]
    private static partial int Close(nint handle);

    [LibraryImport("kernel32", EntryPoint = "GetFileInformationByHandle", SetLastError = true)]
    private static partial int GetInformation(SafeFileHandle file, FileInformation* information);

    // BY_HANDLE_FILE_INFORMATION, without its times and other unused fields.
    [StructLayout(LayoutKind.Explicit, Size = 52)]
    private struct FileInformation
    {
        [FieldOffset(28)]
        internal uint Volume;

        [FieldOffset(44)]
        internal uint NumberHigh;

        [FieldOffset(48)]
        internal uint NumberLow;
    }
}
