using System;
using System.IO;
using BigPile.Perf.Loads;

namespace BigPile.Perf.Restarts;

/// <summary>A directory in the user's one, for the indexes of a load alone. Nothing of it is left behind.</summary>
internal sealed class IndexDirectory : IDisposable
{
    private const string Prefix = "bigpile-perf-";

    private IndexDirectory(string? path) => Path = path;

    /// <summary>The directory; <see langword="null"/> when the user named none.</summary>
    internal string? Path { get; }

    /// <summary>Makes the directory.</summary>
    /// <exception cref="LoadException">It can't be used.</exception>
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
