using System;
using System.ComponentModel;
using System.Diagnostics;
using System.IO;

namespace BigPile.Files.Tests;

/// <summary>A small file system in memory that is mounted.</summary>
internal sealed class SmallDisk : IDisposable
{
    internal SmallDisk(string path, long bytes)
    {
        Path = path;
        Directory.CreateDirectory(path);
        if (!Run("mount", "-t", "tmpfs", "-o", $"size={bytes}", "bigpile-test", path))
            throw new InvalidOperationException($"'{path}' could not be mounted.");
    }

    internal string Path { get; }

    /// <summary>Whether this process may mount one.</summary>
    internal static bool IsPossible { get; } = TryMount();

    public void Dispose() => Run("umount", Path);

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

    private static bool Run(string program, params string[] arguments)
    {
        using Process process =
            Process.Start(new ProcessStartInfo(program, arguments) { RedirectStandardError = true, RedirectStandardOutput = true })!;
        process.WaitForExit();
        return process.ExitCode == 0;
    }
}

/// <summary>Runs where a small file system can be mounted.</summary>
[AttributeUsage(AttributeTargets.Method)]
internal sealed class SmallDiskFactAttribute : FactAttribute
{
    public SmallDiskFactAttribute()
    {
        if (!SmallDisk.IsPossible)
            Skip = "Mounting a small file system takes Linux and the rights of root.";
    }
}
