using System;
using System.IO;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;

namespace BigPile.Memory;

/// <summary>
/// Taking a file's space from the disk for real: a store through a map for which there is none ends the process by a signal.
/// </summary>
internal static class FileSpace
{
    private const int PartBytes = 1 << 20;
    private const int FileSystemWords = 32; // more than struct statfs has

    /// <summary>Asks the system for the space of what a file has, where a copy may have holes, and whether it is there.</summary>
    /// <returns><see langword="false"/> when it is not sure.</returns>
    /// <exception cref="IOException">The disk is full.</exception>
    internal static bool TryKeep(HeldFile file, long lengthBytes)
    {
        if (!OperatingSystem.IsLinux())
            return TrySetLength(file, lengthBytes);
        if (IsInMemory(file) && HasAll(file, lengthBytes))
            return true; // asked for what is there, a file system in memory looks at each of its pages
        // A file system that compresses states less than it holds, whatever it is asked for: what is in use already stays as it is.
        return TryAllocate(file, 0, lengthBytes) || (HasAll(file, lengthBytes) && LibC.Seek(file.Handle, 0, LibC.SeekHole) >= lengthBytes);
    }

    /// <summary>Asks the system for more space behind what a file has, and whether it is there.</summary>
    /// <returns><see langword="false"/> when it is not sure.</returns>
    /// <exception cref="IOException">The disk is full.</exception>
    internal static bool TryExtend(HeldFile file, long fromBytes, long toBytes) => OperatingSystem.IsLinux()
        ? TryAllocate(file, fromBytes, toBytes) && HasAll(file, toBytes)
        : TrySetLength(file, toBytes);

    /// <summary>
    /// Writes every byte of a part: zeros to a new one, and what is there to another one, which nobody else may be writing.
    /// </summary>
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
        file.Sync(always: true); // some file systems say only then that there is no room
    }

    private static bool TrySetLength(HeldFile file, long lengthBytes)
    {
        HeldDirectory.Translate(() => RandomAccess.SetLength(file.Handle, lengthBytes));
        return OperatingSystem.IsWindows() || HasAll(file, lengthBytes); // Windows makes no holes unless it is asked to
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

    // What it states is exact: it counts the file's own pages, and nothing that says where they are.
    [SupportedOSPlatform("linux")]
    private static unsafe bool IsInMemory(HeldFile file)
    {
        long* status = stackalloc long[FileSystemWords];
        return Environment.Is64BitProcess && LibC.FileSystemStatus(file.Handle, status) == 0 && status[0] == LibC.MemoryFileSystem;
    }

    private static bool HasAll(HeldFile file, long lengthBytes) =>
        FileStatus.Of(file.Handle) is not { } status || status.AllocatedBytes >= lengthBytes;
}
