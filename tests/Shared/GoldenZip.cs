using System;
using System.IO;

namespace BigPile.Testing;

/// <summary>Where a golden test keeps what its generator makes.</summary>
internal static class GoldenZip
{
    /// <summary>
    /// The path of a new file in the directory that <c>BIGPILE_GOLDEN</c> names. Files of earlier versions stay as they are: where the name
    /// is taken, the new one has a number behind it.
    /// </summary>
    /// <param name="name">The name, without its extension.</param>
    /// <param name="otherwise">The directory where none is named.</param>
    internal static string NewPath(string name, string otherwise)
    {
        string directory = Environment.GetEnvironmentVariable("BIGPILE_GOLDEN") ?? otherwise;
        string path = Path.Combine(directory, $"{name}.zip");
        for (int number = 2; File.Exists(path); number++)
            path = Path.Combine(directory, $"{name}-{number}.zip");
        return path;
    }
}
