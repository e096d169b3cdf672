using System;
using System.ComponentModel;
using System.IO;

namespace BigPile.Testing;

/// <summary>A small file system in memory that is mounted.</summary>
internal sealed class SmallDisk : IDisposable
{
    internal SmallDisk(string path, long bytes)
    {
        Path = path;
        Directory.CreateDirectory(path);
        if (!DiskCommand.Run("mount", "-t", "tmpfs", "-o", $"size={bytes}", "bigpile-test", path))
            throw new InvalidOperationException($"'{path}' could not be mounted.");
    }

    internal string Path { get; }

    internal long FreeBytes => new DriveInfo(Path).AvailableFreeSpace;

    /// <summary>Whether this process may mount one.</summary>
    internal static bool IsPossible { get; } = TryMount();

    public void Dispose() => DiskCommand.Unmount(Path);

    private static bool TryMount()
    {
        if (!OperatingSystem.IsLinux() || Environment.UserName != "root")
            return false;
        string path = Directory.CreateTempSubdirectory("bigpile-disk-").FullName;
        try
        {
            new SmallDisk(path, 1 << 20).Dispose();
            return true;
        }
        catch (Exception e) when (e is InvalidOperationException or Win32Exception)
        {
            return false;
        }
        finally
        {
            Directory.Delete(path);
        }
    }
}
