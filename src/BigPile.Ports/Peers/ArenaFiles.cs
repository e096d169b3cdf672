using System;
using System.IO;
using BigPile.Memory;
using BigPile.Ports.Layout;
using BigPile.Ports.Objects;

namespace BigPile.Ports.Peers;

/// <summary>The two files of an arena: its bytes, and its locks.</summary>
internal static class ArenaFiles
{
    private const string Suffix = ".arena";
    private const int MaxNameLength = 64;
    private const string SharedMemoryDirectory = "/dev/shm";

    /// <summary>The directory, which is made if it is not there.</summary>
    internal static string DirectoryOf(string? chosen)
    {
        if (!(OperatingSystem.IsLinux() || OperatingSystem.IsWindows()) || !Environment.Is64BitProcess)
            throw new PlatformNotSupportedException("Shared arenas need Linux or Windows, and a process of 64 bits.");
        string path = Path.GetFullPath(chosen ?? DefaultDirectory());
        OwnerOnly.MakeDirectory(path);
        return path;
    }

    /// <summary>Whether there is an arena of a name; its directory is not made.</summary>
    internal static bool Exists(string? directory, string name) =>
        File.Exists(Path.Combine(Path.GetFullPath(directory ?? DefaultDirectory()), name + Suffix));

    private static string DefaultDirectory() => OperatingSystem.IsWindows()
        ? Path.Combine(Environment.GetFolderPath(Environment.SpecialFolder.LocalApplicationData), "BigPile", "Arenas")
        : Path.Combine(SharedMemoryDirectory, "bigpile-" + Environment.UserName);

    /// <exception cref="ArgumentException">It is no name that a file may have everywhere.</exception>
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

    /// <summary>Maps an arena that is there, or makes one.</summary>
    /// <param name="directory">Its directory.</param>
    /// <param name="name">Its name.</param>
    /// <param name="wanted">The shape of a new one.</param>
    /// <param name="locks">Its locks.</param>
    /// <param name="identity">Whether it stays under its name.</param>
    /// <exception cref="InvalidDataException">What is there is no arena, or one of another version.</exception>
    /// <exception cref="IOException">There is no room for it.</exception>
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

    /// <exception cref="IOException">The name is a link: what it leads to may be anything.</exception>
    internal static void RefuseLink(HeldDirectory directory, string file)
    {
        if (new FileInfo(directory.PathOf(file)).LinkTarget != null)
            throw new IOException($"'{directory.PathOf(file)}' is a link, and an arena's files must be files.");
    }

    /// <summary>How much of an arena there is so far.</summary>
    internal static long AllocatedBytesOf(HeldDirectory directory, string name) =>
        FileStatus.Of(directory.PathOf(name + Suffix))?.AllocatedBytes ?? 0;

    /// <summary>Removes an arena's bytes, and leaves its locks.</summary>
    /// <returns>Whether there was one.</returns>
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

    // Windows removes no file that is mapped, and memory stays mapped until nobody refers to it: objects that were forgotten do.
    private static void DeleteUnmapped(HeldDirectory directory, string file)
    {
        GC.Collect();
        GC.WaitForPendingFinalizers();
        directory.Delete(file);
    }

    // Null where its maker died before it was whole: nobody has used it.
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
            directory.Delete(Path.GetFileName(file.Path)); // what room it has got so far goes back
            throw;
        }
    }
}
