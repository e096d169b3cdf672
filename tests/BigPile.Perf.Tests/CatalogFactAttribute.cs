using System;
using System.IO;

namespace BigPile.Perf.Tests;

/// <summary>A test on the catalog of Debian 12, which is large and lies outside of the repository. Skipped where it is missing.</summary>
public sealed class CatalogFactAttribute : FactAttribute
{
    private const string RelativePath = "shared/data/debian-packages.jsonl.gz";

    public CatalogFactAttribute()
    {
        if (Find() == null)
            Skip = $"There is no {RelativePath} in a directory above {AppContext.BaseDirectory}.";
    }

    /// <summary>Looks for the catalog in all directories above the tests.</summary>
    internal static string? Find()
    {
        for (var directory = new DirectoryInfo(AppContext.BaseDirectory); directory != null; directory = directory.Parent)
        {
            string path = Path.Combine(directory.FullName, RelativePath);
            if (File.Exists(path))
                return path;
        }
        return null;
    }
}
