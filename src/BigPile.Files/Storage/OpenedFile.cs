using System;
using System.Diagnostics;
using System.IO;
using System.Threading;
using BigPile.Memory;

namespace BigPile.Files.Storage;

/// <summary>An open and locked file, with its directory.</summary>
internal sealed class OpenedFile : IDisposable
{
    private readonly HeldDirectory _directory;
    private bool _isNameDurable;

    private OpenedFile(HeldDirectory directory, HeldFile file, BlockFileOptions options)
    {
        _directory = directory;
        File = file;
        Options = options;
        _isNameDurable = options.ReadOnly;
    }

    internal HeldFile File { get; }

    internal BlockFileOptions Options { get; }

    internal string Path => File.Path;

    internal static OpenedFile Open(string path, BlockFileOptions options)
    {
        string fullPath = System.IO.Path.GetFullPath(path);
        string name = System.IO.Path.GetFileName(fullPath);
        if (name.Length == 0 || Directory.Exists(fullPath))
            throw new IOException($"'{fullPath}' is a directory. Name a file.");
        var directory = HeldDirectory.Open(System.IO.Path.GetDirectoryName(fullPath)!, options.Hook);
        HeldFile? file = null;
        try
        {
            file = OpenLocked(directory, name, options) ?? throw BlockFileErrors.Locked(fullPath, options.ReadOnly);
            CheckRegular(file);
            if (options.Mode == FileMode.Create)
                file.SetLength(0);
            return new OpenedFile(directory, file, options);
        }
        catch
        {
            file?.Dispose();
            directory.Dispose();
            throw;
        }
    }

    /// <summary>
    /// Extends the file by allocated disk space: by <paramref name="leastBytes"/> if there is not as much as would be good.
    /// </summary>
    /// <returns>The new length.</returns>
    /// <exception cref="BlockFileFullException">There is not even that; the file is unchanged.</exception>
    internal long Extend(long fromBytes, long goodBytes, long leastBytes)
    {
        Debug.Assert(fromBytes < leastBytes && leastBytes <= goodBytes, "The file grows, and no less than it must.");
        Debug.Assert(goodBytes <= Options.MaxSize, "The file stays within its limit.");
        try
        {
            File.Extend(fromBytes, goodBytes);
            return goodBytes;
        }
        catch (IOException e) when (FileErrors.IsDiskFull(e))
        {
            if (leastBytes >= goodBytes)
                throw BlockFileErrors.DiskFull(Path, leastBytes, e);
        }
        try
        {
            File.Extend(fromBytes, leastBytes);
            return leastBytes;
        }
        catch (IOException e) when (FileErrors.IsDiskFull(e))
        {
            throw BlockFileErrors.DiskFull(Path, leastBytes, e);
        }
    }

    /// <summary>Allocates all holes of a file: a copy may be sparse where the original was not.</summary>
    /// <exception cref="BlockFileFullException">The disk is full.</exception>
    internal static void FillHoles(HeldFile file, long lengthBytes)
    {
        if (lengthBytes == 0 || !file.CanWrite)
            return;
        try
        {
            file.Allocate(lengthBytes, isNew: false);
        }
        catch (IOException e) when (FileErrors.IsDiskFull(e))
        {
            throw BlockFileErrors.DiskFull(file.Path, lengthBytes, e);
        }
    }

    /// <summary>
    /// Cuts a file. If the system reports a failure though the file was cut, that is a success: the bytes must not be touched.
    /// </summary>
    internal static void Cut(HeldFile file, long toBytes)
    {
        try
        {
            file.SetLength(toBytes);
        }
        catch (IOException) when (RandomAccess.GetLength(file.Handle) == toBytes)
        {
            // the file has been cut
        }
    }

    /// <summary>Restores the length after a failure.</summary>
    internal void Restore(long lengthBytes) => File.CutBack(lengthBytes);

    /// <summary>Makes the file and its name durable.</summary>
    internal void Sync()
    {
        if (!File.CanWrite)
            return;
        File.Sync();
        if (Volatile.Read(ref _isNameDurable))
            return;
        _directory.Sync();
        Volatile.Write(ref _isNameDurable, true);
    }

    /// <summary>Whether the path still leads to the file, as far as the system can tell.</summary>
    internal bool HasItsName => FileStatus.Of(File.Handle) is not { } own || FileStatus.Of(Path)?.IsSameFile(own) == true;

    /// <summary>Renames the file within its directory; the next hard synchronization makes that durable.</summary>
    internal void Rename(string name)
    {
        _directory.Rename(File, name);
        Volatile.Write(ref _isNameDurable, false);
    }

    public void Dispose()
    {
        FileOpening.Unlock(File.Handle);
        File.Dispose();
        _directory.Dispose();
    }

    private static void CheckRegular(HeldFile file)
    {
        try
        {
            _ = file.LengthBytes;
        }
        catch (NotSupportedException e)
        {
            throw new IOException($"'{file.Path}' is a device or a pipe. Name a file.", e);
        }
    }

    private static HeldFile? OpenLocked(HeldDirectory directory, string name, BlockFileOptions options) => options.ReadOnly
        ? directory.TryOpenLocked(name, FileMode.Open, FileAccess.Read, isShared: true)
        : directory.TryOpenLocked(name, options.Mode == FileMode.Open ? FileMode.Open : FileMode.OpenOrCreate, FileAccess.ReadWrite);
}
