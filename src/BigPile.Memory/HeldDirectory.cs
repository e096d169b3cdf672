using System;
using System.Collections.Generic;
using System.IO;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;

namespace BigPile.Memory;

/// <summary>A directory that is held open, and through which every operation on it and its files goes.</summary>
/// <remarks>
/// <para>
/// On Linux names are resolved below the handle, so whatever becomes of the path, no file of another directory is touched. Elsewhere they
/// are resolved by the path. Windows renames and removes no directory while a file in it is open.
/// </para>
/// <para>
/// Once <see cref="Guard"/> was called, each operation first proves that the path still leads to this directory, and to the lock in it:
/// who writes into a directory that was renamed, replaced or removed would keep two piles apart that everybody else takes for one.
/// </para>
/// <para>All failures are <see cref="IOException"/>, denied access too. Thread safety: all members may be called concurrently.</para>
/// </remarks>
internal sealed class HeldDirectory : IDisposable
{
    private readonly SafeFileHandle? _handle; // only on Linux
    private readonly IFileHook? _hook;
    private FileStatus? _identity;
    private FileStatus? _lockIdentity;
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
    /// Whether what is in it is for processes of this user, and for this start of the machine: new files are closed to others, and
    /// nothing is written through to a device.
    /// </summary>
    internal bool IsVolatile { get; }

    /// <summary>Opens a directory that exists.</summary>
    /// <param name="path">The full path.</param>
    /// <param name="hook">Is told of each operation.</param>
    /// <param name="isVolatile">Whether what is in it need not outlive the machine's present start, and is for one user.</param>
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

    /// <summary>
    /// From now on proves before each operation that this is the directory at its path, and that a file of it is the one at its own.
    /// </summary>
    internal void Guard(HeldFile lockFile)
    {
        _lockPath = lockFile.Path;
        _lockIdentity = FileStatus.Of(lockFile.Handle);
        _identity = _handle != null ? FileStatus.Of(_handle) : FileStatus.Of(Path);
        Prove();
    }

    /// <summary>Proves that the directory is still the one at its path, where it is guarded.</summary>
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

    /// <summary>Opens a file that exists, or makes one, by the mode.</summary>
    /// <exception cref="FileNotFoundException">There is no such file.</exception>
    internal HeldFile Open(string name, FileMode mode, FileAccess access, long lengthBytes = 0)
    {
        FileOperation operation = mode == FileMode.Open ? FileOperation.Open : FileOperation.Create;
        Begin(operation, PathOf(name));
        SafeFileHandle handle = Translate(() => FileOpening.Open(_handle, PathOf(name), mode, access, lengthBytes, IsVolatile));
        return EndWith(operation, new HeldFile(this, PathOf(name), handle, access != FileAccess.Read));
    }

    /// <summary>Opens a file that exists; null when there is none.</summary>
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

    /// <summary>Opens a file and locks it; null when another one has it locked.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="mode">Whether it must exist.</param>
    /// <param name="access">Whether it is written.</param>
    /// <param name="isShared">Whether others may have it locked as well, who share it too.</param>
    internal HeldFile? TryOpenLocked(string name, FileMode mode, FileAccess access, bool isShared = false)
    {
        Begin(FileOperation.Lock, PathOf(name));
        SafeFileHandle? handle = Translate(
            () => FileOpening.TryOpenLocked(_handle, PathOf(name), mode, access, isShared, IsVolatile));
        return handle == null ? null : EndWith(FileOperation.Lock, new HeldFile(this, PathOf(name), handle, access != FileAccess.Read));
    }

    /// <summary>Gives an opened file another name in this directory; one that has it already is replaced.</summary>
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

    /// <summary>Removes a file, if it is there.</summary>
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

    /// <summary>Removes what a call that failed was making, so that it takes no room. Whatever becomes of that, nobody needs it.</summary>
    internal void TryDelete(string name)
    {
        try
        {
            Delete(name);
        }
        catch (IOException)
        {
            // the name says that it is nothing, or nothing leads to it
        }
    }

    /// <summary>Returns when the device has the names in the directory, where the system has such a call.</summary>
    internal void Sync()
    {
        Begin(FileOperation.SyncDirectory, Path);
        if (OperatingSystem.IsLinux() && !IsVolatile && LibC.Sync(_handle!) != 0)
            throw FileErrors.Last(Path, "written through to its device");
        End(FileOperation.SyncDirectory, Path);
    }

    /// <summary>The names of the files that begin so.</summary>
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

    /// <summary>To be called before each operation.</summary>
    internal void Begin(FileOperation operation, string path)
    {
        Translate(() => _hook?.Before(operation, path));
        Prove();
    }

    /// <summary>To be called after each operation.</summary>
    internal void End(FileOperation operation, string path) => Translate(() => _hook?.After(operation, path));

    /// <summary>Makes denied access an I/O error: whoever must go on after the one must go on after the other.</summary>
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
