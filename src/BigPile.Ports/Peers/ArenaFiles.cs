using System;
using System.IO;
using BigPile.Memory;
using BigPile.Ports.Layout;
using BigPile.Ports.Objects;

namespace BigPile.Ports.Peers;

/// <summary>The two files of an arena: its memory, and its locks.</summary>
internal static class ArenaFiles
{
    private const string Suffix = ".arena";
    private const int MaxNameLength = 64;
    private const string SharedMemoryDirectory = "/dev/shm";

    /// <summary>The directory, which is created if it does not exist.</summary>
    internal static string DirectoryOf(string? chosen)
    {
        if (!(OperatingSystem.IsLinux() || OperatingSystem.IsWindows()) || !Environment.Is64BitProcess)
            throw new PlatformNotSupportedException("Shared arenas need Linux or Windows, and a process of 64 bits.");
        string path = Path.GetFullPath(chosen ?? DefaultDirectory());
        OwnerOnly.MakeDirectory(path);
        return path;
    }

    /// <summary>Whether an arena exists. Does not create its directory.</summary>
    internal static bool Exists(string? directory, string name) =>
        File.Exists(Path.Combine(Path.GetFullPath(directory ?? DefaultDirectory()), name + Suffix));

    private static string DefaultDirectory() => OperatingSystem.IsWindows()
        ? Path.Combine(Environment.GetFolderPath(Environment.SpecialFolder.LocalApplicationData), "BigPile", "Arenas")
        : Path.Combine(SharedMemoryDirectory, "bigpile-" + Environment.UserName);

    /// <exception cref="ArgumentException">The name is not a valid file name on every system.</exception>
    internal static void CheckName(string name)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        bool isPlain = name.Length <= MaxNameLength && name[0] != '.';
        foreach (char letter in name)
            isPlain &= char.IsAsciiLetterOrDigit(letter) || letter is '-' or '_' or '.';
        if (!isPlain)
        {
            throw new ArgumentException(
                $"An arena's name has 1 to {MaxNameLength} letters, digits, '-', '_' and '.', and no '.' in front.", nameof(name));
        }
    }

    /// <summary>Maps an arena, or creates it.</summary>
    /// <param name="directory">Its directory.</param>
    /// <param name="name">Its name.</param>
    /// <param name="wanted">The layout of a new arena.</param>
    /// <param name="locks">Its locks.</param>
    /// <param name="identity">Tells whether the name still leads to the file.</param>
    /// <exception cref="InvalidDataException">The file is not an arena, or one of another version.</exception>
    /// <exception cref="IOException">There is no space for it.</exception>
    internal static ObjectTable MapLocked(
        HeldDirectory directory, string name, ArenaShape wanted, ArenaLocks locks, out ArenaIdentity identity)
    {
        RefuseLink(directory, name + Suffix);
        using HeldFile file = directory.Open(name + Suffix, FileMode.OpenOrCreate, FileAccess.ReadWrite);
        OwnerOnly.Give(file);
        identity = new ArenaIdentity(name, file);
        long lengthBytes = file.LengthBytes;
        if (lengthBytes is > 0 and < ArenaShape.HeadBytes)
            throw new InvalidDataException($"'{file.Path}' is no arena: it has {lengthBytes:N0} bytes.");
        if (lengthBytes > 0 && TryMap(file, lengthBytes, locks.FileNumber) is { } found)
            return found;
        if (locks.IsAnySlotHeldByOther())
        {
            throw new InvalidDataException(
                $"The arena '{file.Path}' was removed or overwritten while some process has it open: close it everywhere first.");
        }
        return Make(directory, file, wanted, locks.FileNumber);
    }

    /// <exception cref="IOException">The name is a link, which might lead anywhere.</exception>
    internal static void RefuseLink(HeldDirectory directory, string file)
    {
        if (new FileInfo(directory.PathOf(file)).LinkTarget != null)
            throw new IOException($"'{directory.PathOf(file)}' is a link. An arena's files must be regular files: remove the link.");
    }

    /// <summary>How many bytes of an arena are allocated so far.</summary>
    internal static long AllocatedBytesOf(HeldDirectory directory, string name) =>
        FileStatus.Of(directory.PathOf(name + Suffix))?.AllocatedBytes ?? 0;

    /// <summary>Removes an arena's memory file, and keeps its lock file.</summary>
    /// <returns>Whether it existed.</returns>
    internal static bool TryRemoveLocked(HeldDirectory directory, string name)
    {
        if (!File.Exists(directory.PathOf(name + Suffix)))
            return false;
        if (OperatingSystem.IsLinux())
            directory.Delete(name + Suffix);
        else
            DeleteUnmapped(directory, name + Suffix);
        return true;
    }

    // Windows removes no mapped file, and objects that were never disposed keep the mapping: collect them first.
    private static void DeleteUnmapped(HeldDirectory directory, string file)
    {
        GC.Collect();
        GC.WaitForPendingFinalizers();
        directory.Delete(file);
    }

    // Returns null if its creator died before it was finished: no process has used it.
    private static ObjectTable? TryMap(HeldFile file, long lengthBytes, long lockFile)
    {
        file.Allocate(lengthBytes, isNew: false);
        var mapping = new Mapping(file, lengthBytes);
        ArenaShape? shape;
        unsafe
        {
            shape = ArenaShape.ReadHead(mapping.Start, lengthBytes, lockFile, file.Path);
        }
        return shape is { } found ? new ObjectTable(mapping, found) : null;
    }

    private static unsafe ObjectTable Make(HeldDirectory directory, HeldFile file, ArenaShape shape, long lockFile)
    {
        try
        {
            file.SetLength(0);
            file.Allocate(shape.LengthBytes, isNew: true);
            var mapping = new Mapping(file, shape.LengthBytes);
            shape.WriteHead(mapping.Start, lockFile);
            return new ObjectTable(mapping, shape);
        }
        catch
        {
            directory.Delete(Path.GetFileName(file.Path)); // give back the space that was allocated so far
            throw;
        }
    }
}
