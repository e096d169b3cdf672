using System;
using System.IO;

namespace BigPile.Testing;

/// <summary>Where the tests were built from.</summary>
internal static class SourceTree
{
    internal static string Root { get; } = FindRoot();

    /// <summary>What a project of the tests was built to, as these tests were.</summary>
    internal static string OutputOf(string project, string file) =>
        Path.Combine(Root, "artifacts/bin", project, new DirectoryInfo(AppContext.BaseDirectory).Name, file);

    private static string FindRoot()
    {
        string? directory = AppContext.BaseDirectory;
        while (!File.Exists(Path.Combine(directory, "BigPile.sln")))
            directory =
                Path.GetDirectoryName(directory) ?? throw new InvalidOperationException("The tests do not run inside the source tree.");
        return directory;
    }
}
