using System;
using System.IO;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace BigPile.Memory;

/// <summary>Allocates a file's disk space for real: a store through a map to a page without space ends the process by a signal.</summary>
internal static class FileSpace
{
    private const int PartBytes = 1 << 20;
    private const int FileSystemWords = 32; // more than struct statfs has

    /// <summary>Allocates the space of a file's existing bytes, as a copy may have holes.</summary>
    /// <returns><see langword="false"/> if the system can't guarantee it.</returns>
    /// <exception cref="IOException">The disk is full.</exception>
    internal static bool TryKeep(HeldFile file, long lengthBytes)
    {
        if (!OperatingSystem.IsLinux())
            return TrySetLength(file, lengthBytes);
        if (IsInMemory(file) && LibC.Seek(file.Handle, 0, LibC.SeekHole) >= lengthBytes)
            return true; // tmpfs would otherwise visit each existing page
        // A compressing file system reports less space than the file has, whatever is allocated: existing data is accepted as it is.
        return TryAllocate(file, 0, lengthBytes) || (HasAll(file, lengthBytes) && LibC.Seek(file.Handle, 0, LibC.SeekHole) >= lengthBytes);
    }

    /// <summary>Allocates more space at the end of a file.</summary>
    /// <returns><see langword="false"/> if the system can't guarantee it.</returns>
    /// <exception cref="IOException">The disk is full.</exception>
    internal static bool TryExtend(HeldFile file, long fromBytes, long toBytes) => OperatingSystem.IsLinux()
        ? TryAllocate(file, fromBytes, toBytes) && HasAll(file, toBytes)
        : TrySetLength(file, toBytes);

    /// <summary>Writes every byte of a range: zeros if it is new, otherwise what is there; nothing else may write it meanwhile.</summary>
    internal static void Fill(HeldFile file, long fromBytes, long toBytes, bool isNew)
    {
        var part = new byte[Math.Min(PartBytes, toBytes - fromBytes)];
        for (long at = fromBytes; at < toBytes; at += part.Length)
        {
            Span<byte> bytes = part.AsSpan(0, (int)Math.Min(part.Length, toBytes - at));
            if (!isNew)
                _ = file.Read(bytes, at);
            file.Write(bytes, at);
        }
        file.Sync(always: true); // some file systems report a full disk only then
    }

    private static bool TrySetLength(HeldFile file, long lengthBytes)
    {
        HeldDirectory.Translate(() => RandomAccess.SetLength(file.Handle, lengthBytes));
        return OperatingSystem.IsWindows() || HasAll(file, lengthBytes); // Windows makes no holes unless asked
    }

    [SupportedOSPlatform("linux")]
    private static bool TryAllocate(HeldFile file, long fromBytes, long toBytes)
    {
        while (LibC.Allocate(file.Handle, 0, fromBytes, toBytes - fromBytes) != 0)
        {
            int error = Marshal.GetLastPInvokeError();
            if (error is FileErrors.NotSupported or FileErrors.NoSuchCall or FileErrors.InvalidArgument)
                return false;
            if (error != FileErrors.Interrupted)
                throw FileErrors.Of(file.Path, $"given {toBytes - fromBytes:N0} bytes of the disk", error);
        }
        return true;
    }

    // Whether the file is on tmpfs, whose allocated size is exact: it counts only the file's own pages.
    [SupportedOSPlatform("linux")]
    private static unsafe bool IsInMemory(HeldFile file)
    {
        long* status = stackalloc long[FileSystemWords];
        return Environment.Is64BitProcess && LibC.FileSystemStatus(file.Handle, status) == 0 && status[0] == LibC.MemoryFileSystem;
    }

    private static bool HasAll(HeldFile file, long lengthBytes) =>
        FileStatus.Of(file.Handle) is not { } status || status.AllocatedBytes >= lengthBytes;
}
