using System;
using System.IO;
using System.Threading;
using BigPile.Memory;

namespace BigPile.Files.Storage;

/// <summary>A file that is open and locked, and its directory.</summary>
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

    /// <summary>Opens a file, and locks it.</summary>
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

    /// <summary>Makes the file longer by space of the disk; the least that serves when there is not as much as would be good.</summary>
    /// <returns>The length that the file has.</returns>
    /// <exception cref="BlockFileFullException">There is not even that; the file is as it was.</exception>
    internal long Extend(long fromBytes, long goodBytes, long leastBytes)
    {
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

    /// <summary>Has the disk give all that a file needs: a copy may have holes where the original had space.</summary>
    /// <exception cref="BlockFileFullException">There is not so much.</exception>
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

    /// <summary>Makes a file shorter. One that says it failed, and is, has not: nobody may touch what is gone.</summary>
    internal static void Cut(HeldFile file, long toBytes)
    {
        try
        {
            file.SetLength(toBytes);
        }
        catch (IOException) when (RandomAccess.GetLength(file.Handle) == toBytes)
        {
            // it is as it should be
        }
    }

    /// <summary>Gives the file its length back after something that failed.</summary>
    internal void Restore(long lengthBytes) => File.CutBack(lengthBytes);

    /// <summary>Returns when the device has the file and its name.</summary>
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

    /// <summary>Whether the path still leads to the file, as far as the system tells.</summary>
    internal bool HasItsName => FileStatus.Of(File.Handle) is not { } own || FileStatus.Of(Path)?.IsSameFile(own) == true;

    /// <summary>Gives the file another name in its directory; the next hard synchronization makes that durable.</summary>
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
