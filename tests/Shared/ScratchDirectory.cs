using System;
using System.IO;

namespace BigPile.Testing;

/// <summary>A directory that is removed with the test, in memory where the system has a place with enough space.</summary>
internal sealed class ScratchDirectory : IDisposable
{
    private const string Memory = "/dev/shm";
    private const long WantedBytes = 2L << 30;

    internal string Root { get; } = Make();

    public void Dispose() => Directory.Delete(Root, recursive: true);

    internal string At(string name) => Path.Combine(Root, name);

    private static string Make()
    {
        if (!Directory.Exists(Memory) || new DriveInfo(Memory).AvailableFreeSpace < WantedBytes)
            return Directory.CreateTempSubdirectory("bigpile-cut-").FullName;
        string path = Path.Combine(Memory, "bigpile-cut-" + Path.GetRandomFileName());
        Directory.CreateDirectory(path);
        return path;
    }
}
