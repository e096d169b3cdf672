using System;
using System.IO;
using System.Linq;
using BigPile.Memory;

namespace BigPile.Durability;

/// <summary>The directories of shared piles: locating, creating and removing them.</summary>
internal static class SharedPileDirectory
{
    private const string Root = "/dev/shm";
    private const string Suffix = ".pile";
    private const int MaxNameLength = 64;

    private const UnixFileMode OfOwner = UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.UserExecute;

    // Superblock and lock are deleted last: a kill in between leaves a pile that can be removed again.
    private static readonly string[] NumberedNames = [MappedSegmentStore.NamePrefix, "buckets-", "overflow-", "index-"];
    private static readonly string[] Names = ["index", "use", "redo", StripeFile.Name];
    private static readonly string[] FirstAndLastNames =
        [PileDirectory.CatalogName, "owner", PileDirectory.SuperblockName, DirectoryLock.LockName];

    /// <summary>The options, with a shared pile's name replaced by its directory.</summary>
    /// <exception cref="PlatformNotSupportedException">The system has no shared piles.</exception>
    internal static PileOptions Locate(PileOptions options) => !options.Shared ? options : options with
    {
        Directory = PathOf(options.Directory!),
        Name = options.Name ?? (IsName(options.Directory!) ? options.Directory : null),
    };

    /// <summary>
    /// The directory of a pile: a text with a path separator is the directory itself; a name leads to the user's own directory in /dev/shm.
    /// </summary>
    /// <exception cref="PlatformNotSupportedException">The system has no such piles.</exception>
    /// <exception cref="ArgumentException">The name is not a portable file name.</exception>
    internal static string PathOf(string nameOrPath)
    {
        ArgumentException.ThrowIfNullOrEmpty(nameOrPath);
        if (!OperatingSystem.IsLinux() || !Environment.Is64BitProcess)
        {
            throw new PlatformNotSupportedException(
                "PileOptions.Shared needs Linux, and a process of 64 bits. Elsewhere a mapped pile can be read beside its writer.");
        }
        if (!IsName(nameOrPath))
            return Path.TrimEndingDirectorySeparator(Path.GetFullPath(nameOrPath));
        bool isPlain = nameOrPath.Length <= MaxNameLength && nameOrPath[0] != '.';
        foreach (char letter in nameOrPath)
            isPlain &= char.IsAsciiLetterOrDigit(letter) || letter is '-' or '_' or '.';
        if (!isPlain)
        {
            throw new ArgumentException(
                $"The name of a shared pile has 1 to {MaxNameLength} letters, digits, '-', '_' and '.', and no '.' in front; a directory "
                + $"has a '{Path.DirectorySeparatorChar}' in it.", nameof(nameOrPath));
        }
        return Path.Combine(UserRoot, nameOrPath + Suffix);
    }

    /// <summary>Creates the directory of a pile, closed to other users, if it does not exist.</summary>
    /// <exception cref="IOException">It exists and others have rights to it, or it can't be created.</exception>
    internal static void Make(string path)
    {
        if (Path.GetDirectoryName(path) == UserRoot)
            MakeOwn(UserRoot);
        MakeOwn(path);
    }

    /// <summary>Refuses a directory that other users have rights to: they could replace or truncate its files.</summary>
    /// <exception cref="IOException">Others have rights to it, or it is a link.</exception>
    internal static void Check(string path)
    {
        if (OperatingSystem.IsWindows())
            return;
        bool isLink = new DirectoryInfo(path).LinkTarget != null;
        if (isLink || (File.GetUnixFileMode(path) & ~OfOwner) != 0)
        {
            throw new IOException(
                $"other users have rights to '{path}', or it is a link. A shared pile needs a directory of one user's own (mode 0700).");
        }
    }

    /// <summary>Removes a pile that has no writer; its readers are told.</summary>
    /// <returns>Whether there was a pile.</returns>
    /// <exception cref="PileStorageException">A process writes it, it is not shared, or the directory can't be changed.</exception>
    internal static bool TryRemove(string path)
    {
        bool mayBeOne = File.Exists(Path.Combine(path, PileDirectory.SuperblockName))
            || new FileInfo(Path.Combine(path, DirectoryLock.LockName)) is { Exists: true, Length: 0 };
        if (!mayBeOne)
            return false;
        try
        {
            using HeldDirectory files = HeldDirectory.Open(path, isVolatile: true);
            using DirectoryLock owner = DirectoryLock.Take(files);
            files.Guard(owner.File);
            bool wasThere = RefuseOther(files); // under the lock, before anything is deleted
            if (wasThere)
                RemoveMost(files);
            foreach (string name in FirstAndLastNames)
                files.Delete(name);
            if (!Directory.EnumerateFileSystemEntries(path).Any())
                Directory.Delete(path);
            return wasThere;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new PileStorageException($"The shared pile in '{path}' can't be removed: {e.Message}", e);
        }
    }

    private static string UserRoot => Path.Combine(Root, "bigpile-" + Environment.UserName);

    // Without a superblock it is what a process left that was killed while creating or removing a pile.
    private static bool RefuseOther(HeldDirectory files)
    {
        using SuperblockFile? superblock = SuperblockFile.TryOpen(files, PileDirectory.SuperblockName, readOnly: true);
        if (superblock == null)
        {
            DirectoryCheck.RefuseLeftovers(files);
            return false;
        }
        return superblock.Read(new FaultLog()).IsShared
            ? true
            : throw new PileStorageException(
                $"The pile in '{files.Path}' was made without PileOptions.Shared, and is not removed by this. Delete its directory.");
    }

    private static void RemoveMost(HeldDirectory files)
    {
        StripeFile.MarkRemoved(files); // first: readers are told before a file goes
        foreach (string prefix in NumberedNames)
        {
            foreach (string name in files.NamesOf(prefix))
            {
                if (IsNumber(Path.GetFileNameWithoutExtension(name)[prefix.Length..]))
                    files.Delete(name);
            }
        }
        foreach (string name in Names.Concat(FirstAndLastNames.Select(static name => name + ".new")))
            files.Delete(name);
    }

    private static bool IsName(string nameOrPath) => !nameOrPath.Contains(Path.DirectorySeparatorChar, StringComparison.Ordinal);

    private static bool IsNumber(string text) => text.Length != 0 && text.All(char.IsAsciiDigit);

    private static void MakeOwn(string path)
    {
        if (!OperatingSystem.IsWindows())
            Directory.CreateDirectory(path, OfOwner);
        Check(path);
    }
}
