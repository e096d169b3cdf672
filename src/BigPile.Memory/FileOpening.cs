using System;
using System.IO;
using System.Runtime.InteropServices;
using System.Runtime.Versioning;
using Microsoft.Win32.SafeHandles;

namespace BigPile.Memory;

/// <summary>Opens files relative to a directory handle where the system can, and locks them.</summary>
internal static class FileOpening
{
    /// <summary>Opens a directory, so that names can be resolved below it.</summary>
    [SupportedOSPlatform("linux")]
    internal static SafeFileHandle OpenDirectory(string path)
    {
        int descriptor = LibC.Open(path, LibC.OpenReadOnly | LibC.OpenCloseOnExec, 0);
        return descriptor >= 0 ? new SafeFileHandle(descriptor, ownsHandle: true) : throw FileErrors.Last(path, "opened");
    }

    /// <summary>Opens or creates a file, by the mode.</summary>
    /// <param name="directory">Its directory; only on Linux.</param>
    /// <param name="path">Its path.</param>
    /// <param name="mode">Whether it must exist.</param>
    /// <param name="access">Whether it is written.</param>
    /// <param name="lengthBytes">The length that a new one will have.</param>
    /// <param name="isPrivate">Whether a new one is for this user alone; only on Linux.</param>
    internal static SafeFileHandle Open(
        SafeFileHandle? directory, string path, FileMode mode, FileAccess access, long lengthBytes, bool isPrivate) =>
        OperatingSystem.IsLinux()
            ? OpenOnLinux(directory!, path, mode, access, isPrivate)
            : File.OpenHandle(
                path, mode, access, FileShare.ReadWrite | FileShare.Delete, preallocationSize: mode == FileMode.Open ? 0 : lengthBytes);

    /// <summary>Opens a file and locks it; null if it is locked by another handle.</summary>
    internal static SafeFileHandle? TryOpenLocked(
        SafeFileHandle? directory, string path, FileMode mode, FileAccess access, bool isShared, bool isPrivate) =>
        OperatingSystem.IsWindows()
            ? TryOpenLockedOnWindows(path, mode, access, isShared)
            : TryOpenLockedOnUnix(directory, path, mode, access, isShared, isPrivate);

    /// <summary>Unlocks a file.</summary>
    /// <remarks>
    /// Closing is not enough while a child process is being started: until its program runs, it has copies of all handles.
    /// </remarks>
    internal static void Unlock(SafeFileHandle file)
    {
        if (!OperatingSystem.IsWindows() && !file.IsClosed)
            _ = UnixC.Lock(file, UnixC.Unlock);
    }

    [SupportedOSPlatform("linux")]
    private static SafeFileHandle OpenOnLinux(SafeFileHandle directory, string path, FileMode mode, FileAccess access, bool isPrivate)
    {
        int flags = LibC.OpenCloseOnExec | (access == FileAccess.Read ? LibC.OpenReadOnly : LibC.OpenReadWrite) | mode switch
        {
            FileMode.Open => 0,
            FileMode.OpenOrCreate => LibC.OpenCreate,
            FileMode.Create => LibC.OpenCreate | LibC.OpenTruncate,
            _ => throw new ArgumentOutOfRangeException(nameof(mode), mode, null),
        };
        int rights = isPrivate ? LibC.ModeOfPrivateFiles : LibC.ModeOfFiles;
        int descriptor;
        do
            descriptor = LibC.OpenAt(directory, Path.GetFileName(path), flags, rights);
        while (descriptor < 0 && Marshal.GetLastPInvokeError() == FileErrors.Interrupted);
        return descriptor >= 0 ? new SafeFileHandle(descriptor, ownsHandle: true) : throw FileErrors.Last(path, "opened");
    }

    private static SafeFileHandle? TryOpenLockedOnWindows(string path, FileMode mode, FileAccess access, bool isShared)
    {
        try
        {
            return File.OpenHandle(path, mode, access, isShared ? FileShare.Read : FileShare.None);
        }
        catch (IOException e) when (e.HResult == FileErrors.SharingViolation)
        {
            return null;
        }
    }

    // Lock by a direct system call: an environment variable can disable the runtime's own locks. The runtime may have taken a shared lock
    // at opening; release it first, since none of several shared holders would get the exclusive one.
    [UnsupportedOSPlatform("windows")]
    private static SafeFileHandle? TryOpenLockedOnUnix(
        SafeFileHandle? directory, string path, FileMode mode, FileAccess access, bool isShared, bool isPrivate)
    {
        SafeFileHandle handle;
        try
        {
            handle = Open(directory, path, mode, access, 0, isPrivate);
        }
        catch (IOException e) when (e.HResult is FileErrors.WouldBlock or FileErrors.WouldBlockMac)
        {
            return null;
        }
        _ = UnixC.Lock(handle, UnixC.Unlock);
        if (UnixC.Lock(handle, (isShared ? UnixC.LockShared : UnixC.LockExclusive) | UnixC.LockWithoutWaiting) == 0)
            return handle;
        int error = Marshal.GetLastPInvokeError();
        handle.Dispose();
        return error is FileErrors.WouldBlock or FileErrors.WouldBlockMac ? null : throw FileErrors.Of(path, "locked", error);
    }
}
