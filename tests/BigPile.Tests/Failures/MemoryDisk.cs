using System.IO;

namespace BigPile.Tests.Failures;

/// <summary>A place for files that are made and removed thousands of times: in memory where there is such a file system.</summary>
internal static class MemoryDisk
{
    private const string Mount = "/dev/shm";
    private const string Prefix = "bigpile-failure-";

    /// <summary>Makes a directory, which the caller removes.</summary>
    internal static string Make() =>
        Directory.Exists(Mount)
            ? Directory.CreateDirectory(Path.Combine(Mount, Prefix + Path.GetRandomFileName())).FullName
            : Directory.CreateTempSubdirectory(Prefix).FullName;
}
