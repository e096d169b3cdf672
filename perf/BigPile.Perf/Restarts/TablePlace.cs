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
