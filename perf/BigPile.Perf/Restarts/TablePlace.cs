using System;
using System.IO;
using System.Linq;

namespace BigPile.Perf.Restarts;

/// <summary>The directories of a table's pile and its index.</summary>
/// <param name="PilePath">The pile's directory.</param>
/// <param name="IndexPath">The directory of indexes; <see langword="null"/>: they are in the pile's.</param>
internal sealed record TablePlace(string PilePath, string? IndexPath)
{
    private const int ReadBytes = 1 << 20;

    private static readonly string[] IndexPatterns = ["index", "index-*", "buckets-*", "overflow-*"];

    /// <summary>The bytes of the files of the index.</summary>
    internal long IndexBytes => IndexFiles().Sum(static path => new FileInfo(path).Length);

    /// <summary>Removes the index, as a restart of the machine does if it was in memory.</summary>
    internal void RemoveIndex()
    {
        string[] paths = IndexFiles();
        if (paths.Length == 0)
            throw new LoadException($"No files of an index are in '{IndexPath ?? PilePath}'. The table is at fault.");
        foreach (string path in paths)
            File.Delete(path);
    }

    /// <summary>Reads all files into the system's cache.</summary>
    internal void Warm()
    {
        var buffer = new byte[ReadBytes];
        foreach (string path in Directory.EnumerateFiles(PilePath, "*", SearchOption.AllDirectories).Concat(IndexFiles()).Distinct())
        {
            using FileStream file = File.OpenRead(path);
            while (file.Read(buffer) != 0)
            {
            }
        }
    }

    private string[] IndexFiles() =>
        [.. IndexPatterns.SelectMany(pattern => Directory.GetFiles(IndexPath ?? PilePath, pattern, SearchOption.AllDirectories))];
}

/// <summary>A directory in the user's one, for the indexes of a load alone. Nothing of it is left behind.</summary>
internal sealed class IndexDirectory : IDisposable
{
    private const string Prefix = "bigpile-perf-";

    private IndexDirectory(string? path) => Path = path;

    internal string? Path { get; } // the directory; null when the user named none

    /// <summary>Makes the directory.</summary>
    internal static IndexDirectory Create(string? requested)
    {
        if (requested == null)
            return new IndexDirectory(null);
        if (!Directory.Exists(requested))
            throw new LoadException($"--index-dir '{requested}' does not exist. Name a directory that can be written.");
        UserDirectory.Demand(requested, "--index-dir");
        string path = System.IO.Path.Combine(System.IO.Path.GetFullPath(requested), Prefix + Guid.NewGuid().ToString("n"));
        Directory.CreateDirectory(path);
        return new IndexDirectory(path);
    }

    public void Dispose()
    {
        if (Directory.Exists(Path))
            Directory.Delete(Path, recursive: true);
    }
}
