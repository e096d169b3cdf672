using System;
using System.Collections.Generic;
using System.IO;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace BigPile.Memory;

/// <summary>An open directory, through which every operation on it and its files goes.</summary>
/// <remarks>
/// <para>
/// On Linux names are resolved relative to the handle, so whatever happens to the path, no file of another directory is touched. Elsewhere
/// they are resolved by the path; Windows renames and deletes no directory while a file in it is open.
/// </para>
/// <para>
/// Once <see cref="Guard"/> was called, each operation first checks that the path still leads to this directory, and to its lock file:
/// otherwise two owners could write two directories that all others take for one pile.
/// </para>
/// <para>All failures are <see cref="IOException"/>, also denied access. Thread safety: all members may be called concurrently.</para>
/// </remarks>
internal sealed class HeldDirectory : IDisposable
{
    private readonly SafeFileHandle? _handle; // only on Linux
    private readonly IFileHook? _hook;
    private FileStatus? _identity; // of the guarded directory; null if not guarded
    private FileStatus? _lockIdentity; // of its lock file
    private string _lockPath = "";

    private HeldDirectory(string path, SafeFileHandle? handle, IFileHook? hook, bool isVolatile)
    {
        Path = path;
        _handle = handle;
        _hook = hook;
        IsVolatile = isVolatile;
    }

    internal string Path { get; }

    internal IFileHook? Hook => _hook;

    /// <summary>
    /// Whether the content is only for this user and this boot: new files are closed to others, and nothing is synced to a device.
    /// </summary>
    internal bool IsVolatile { get; }

    /// <summary>Opens an existing directory.</summary>
    /// <param name="path">The full path.</param>
    /// <param name="hook">Called around each operation; for tests.</param>
    /// <param name="isVolatile">Whether the content is only for this user and this boot.</param>
    internal static HeldDirectory Open(string path, IFileHook? hook = null, bool isVolatile = false)
    {
        Translate(() => hook?.Before(FileOperation.OpenDirectory, path));
        var directory = new HeldDirectory(path, OperatingSystem.IsLinux() ? FileOpening.OpenDirectory(path) : null, hook, isVolatile);
        try
        {
            directory.End(FileOperation.OpenDirectory, path);
            return directory;
        }
        catch
        {
            directory.Dispose();
            throw;
        }
    }

    internal string PathOf(string name) => System.IO.Path.Combine(Path, name);

    /// <summary>From now on checks before each operation that this directory and its lock file are the ones at their paths.</summary>
    internal void Guard(HeldFile lockFile)
    {
        _lockPath = lockFile.Path;
        _lockIdentity = FileStatus.Of(lockFile.Handle);
        _identity = _handle != null ? FileStatus.Of(_handle) : FileStatus.Of(Path);
        Prove();
    }

    /// <summary>If guarded, checks that the directory is still the one at its path.</summary>
    /// <exception cref="DirectoryChangedException">It is not.</exception>
    internal void Prove()
    {
        if (_identity is not { } identity || _lockIdentity is not { } lockIdentity)
            return;
        bool isSame = FileStatus.Of(Path)?.IsSameFile(identity) == true
            && FileStatus.Of(_lockPath)?.IsSameFile(lockIdentity) == true;
        if (!isSame)
        {
            throw new DirectoryChangedException(
                $"The directory '{Path}' is not the one that was opened: it, or the lock in it, was renamed, removed or replaced. "
                + "Nothing is written to it. Put it back at its path, or open it anew where it is.");
        }
    }

    /// <summary>Opens or creates a file, by the mode.</summary>
    /// <exception cref="FileNotFoundException">There is no such file.</exception>
    internal HeldFile Open(string name, FileMode mode, FileAccess access, long lengthBytes = 0)
    {
        FileOperation operation = mode == FileMode.Open ? FileOperation.Open : FileOperation.Create;
        Begin(operation, PathOf(name));
        SafeFileHandle handle = Translate(() => FileOpening.Open(_handle, PathOf(name), mode, access, lengthBytes, IsVolatile));
        return EndWith(operation, new HeldFile(this, PathOf(name), handle, access != FileAccess.Read));
    }

    /// <summary>Opens an existing file; null if there is none.</summary>
    internal HeldFile? TryOpen(string name, FileAccess access)
    {
        try
        {
            return Open(name, FileMode.Open, access);
        }
        catch (FileNotFoundException)
        {
            return null;
        }
    }

    /// <summary>
    /// Whether a name is of something else than a file: of a directory, a symbolic link, or a pipe, whose opening may wait.
    /// </summary>
    internal bool IsNoFile(string name)
    {
        var file = new FileInfo(PathOf(name));
        return file.LinkTarget != null || Directory.Exists(file.FullName) || FileStatus.Of(file.FullName) is { IsFile: false };
    }

    /// <summary>Opens a file and locks it; null if it is locked by another handle.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="mode">Whether it must exist.</param>
    /// <param name="access">Whether it is written.</param>
    /// <param name="isShared">Whether the lock is shared with other shared ones.</param>
    internal HeldFile? TryOpenLocked(string name, FileMode mode, FileAccess access, bool isShared = false)
    {
        Begin(FileOperation.Lock, PathOf(name));
        SafeFileHandle? handle = Translate(
            () => FileOpening.TryOpenLocked(_handle, PathOf(name), mode, access, isShared, IsVolatile));
        return handle == null ? null : EndWith(FileOperation.Lock, new HeldFile(this, PathOf(name), handle, access != FileAccess.Read));
    }

    /// <summary>Renames an open file within this directory; replaces a file of that name.</summary>
    internal void Rename(HeldFile file, string name)
    {
        Begin(FileOperation.Rename, file.Path);
        Translate(() =>
        {
            if (!OperatingSystem.IsLinux())
                File.Move(file.Path, PathOf(name), overwrite: true);
            else if (LibC.RenameAt(_handle!, System.IO.Path.GetFileName(file.Path), _handle!, name) != 0)
                throw FileErrors.Last(file.Path, $"renamed to '{name}'");
        });
        string before = file.Path;
        file.Path = PathOf(name);
        End(FileOperation.Rename, before);
    }

    /// <summary>Deletes a file, if it exists.</summary>
    internal void Delete(string name)
    {
        string path = PathOf(name);
        Begin(FileOperation.Delete, path);
        Translate(() =>
        {
            if (!OperatingSystem.IsLinux())
                File.Delete(path);
            else if (LibC.UnlinkAt(_handle!, name, 0) != 0 && Marshal.GetLastPInvokeError() != FileErrors.NoSuchFile)
                throw FileErrors.Last(path, "removed");
        });
        End(FileOperation.Delete, path);
    }

    /// <summary>Deletes the incomplete file of a failed call, to free its space. Failure is harmless.</summary>
    internal void TryDelete(string name)
    {
        try
        {
            Delete(name);
        }
        catch (IOException)
        {
            // its name marks it as incomplete, or nothing refers to it
        }
    }

    /// <summary>Syncs the directory, where the system has such a call.</summary>
    internal void Sync()
    {
        Begin(FileOperation.SyncDirectory, Path);
        if (OperatingSystem.IsLinux() && !IsVolatile && LibC.Sync(_handle!) != 0)
            throw FileErrors.Last(Path, "written through to its device");
        End(FileOperation.SyncDirectory, Path);
    }

    /// <summary>The names of the files with a prefix, sorted.</summary>
    internal List<string> NamesOf(string prefix)
    {
        Begin(FileOperation.List, Path);
        var names = new List<string>();
        Translate(() =>
        {
            foreach (string path in Directory.EnumerateFiles(Path, prefix + "*"))
                names.Add(System.IO.Path.GetFileName(path));
        });
        End(FileOperation.List, Path);
        names.Sort(StringComparer.Ordinal);
        return names;
    }

    public void Dispose() => _handle?.Dispose();

    /// <summary>Called before each operation.</summary>
    internal void Begin(FileOperation operation, string path)
    {
        Translate(() => _hook?.Before(operation, path));
        Prove();
    }

    /// <summary>Called after each operation.</summary>
    internal void End(FileOperation operation, string path) => Translate(() => _hook?.After(operation, path));

    /// <summary>Turns denied access into an <see cref="IOException"/>, as callers handle both alike.</summary>
    internal static void Translate(Action action) => Translate(() =>
    {
        action();
        return true;
    });

    private static T Translate<T>(Func<T> action)
    {
        try
        {
            return action();
        }
        catch (UnauthorizedAccessException e)
        {
            throw new IOException(e.Message, e);
        }
    }

    private HeldFile EndWith(FileOperation operation, HeldFile file)
    {
        try
        {
            End(operation, file.Path);
            return file;
        }
        catch
        {
            file.Dispose();
            throw;
        }
    }
}

/// <summary>A directory, or a file in it, is no longer the one that was opened.</summary>
internal sealed class DirectoryChangedException(string message) : IOException(message);
