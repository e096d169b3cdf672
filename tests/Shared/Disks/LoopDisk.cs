using System;
using System.IO;

namespace BigPile.Testing;

/// <summary>A small file system in a file that is mounted; unless another one is asked for, of a kind that can't reserve space.</summary>
internal sealed class LoopDisk : IDisposable
{
    private readonly string _image;

    internal LoopDisk(string path, long bytes, string kind = "ext2")
    {
        Path = path;
        _image = path + ".image";
        Directory.CreateDirectory(path);
        using (FileStream file = File.Create(_image))
            file.SetLength(bytes);
        if (!DiskCommand.Run("mkfs." + kind, "-q", "-m", "0", _image) || !DiskCommand.Run("mount", "-o", "loop", _image, path))
            throw new InvalidOperationException($"'{path}' could not be mounted.");
    }

    internal string Path { get; }

    private string BallastPath => System.IO.Path.Combine(Path, "ballast");

    /// <summary>Leaves no block free.</summary>
    internal void Fill()
    {
        using FileStream file = File.Create(BallastPath, bufferSize: 1);
        var block = new byte[1024];
        try
        {
            while (true)
                file.Write(block);
        }
        catch (IOException)
        {
            file.Flush(flushToDisk: true);
        }
    }

    internal void FreeSpace() => File.Delete(BallastPath);

    /// <summary>Whether this process may mount one.</summary>
    internal static bool IsPossible { get; } = TryMount();

    public void Dispose()
    {
        DiskCommand.Unmount(Path);
        File.Delete(_image);
    }

    private static bool TryMount()
    {
        if (!OperatingSystem.IsLinux() || Environment.UserName != "root")
            return false;
        string path = Directory.CreateTempSubdirectory("bigpile-loop-").FullName;
        try
        {
            new LoopDisk(path, 1 << 20).Dispose();
            return true;
        }
        catch (Exception e) when (e is InvalidOperationException or System.ComponentModel.Win32Exception)
        {
            return false;
        }
        finally
        {
            File.Delete(path + ".image");
            Directory.Delete(path);
        }
    }
}
