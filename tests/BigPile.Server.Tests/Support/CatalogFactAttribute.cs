using System;
using System.IO;

namespace BigPile.Server.Tests.Support;

/// <summary>A test on the real catalog of 63,440 packages; skipped where the file is not.</summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class CatalogFactAttribute : FactAttribute
{
    private static readonly string RelativePath = Path.Combine("shared", "data", "debian-packages.jsonl.gz");

    public CatalogFactAttribute()
    {
        if (FilePath == null)
            Skip = $"There is no {RelativePath} beside the repository.";
    }

    /// <summary>The catalog, searched for upwards from the test's binaries and from the current directory.</summary>
    internal static string? FilePath { get; } = Find(AppContext.BaseDirectory) ?? Find(Directory.GetCurrentDirectory());

    private static string? Find(string start)
    {
        for (DirectoryInfo? directory = new(start); directory != null; directory = directory.Parent)
        {
            string path = Path.Combine(directory.FullName, RelativePath);
            if (File.Exists(path))
                return path;
        }
        return null;
    }
}
