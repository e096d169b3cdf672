using System;
using System.IO;

namespace BigPile.Perf.Loads;

/// <summary>A directory that the user named, for writing.</summary>
internal static class UserDirectory
{
    private const string ProbePrefix = "bigpile-perf-";

    /// <summary>
    /// Creates it if it is missing, and checks that files can be created in it, because a load may run long before it writes its first.
    /// </summary>
    /// <param name="path">The directory.</param>
    /// <param name="option">How the user named it.</param>
    /// <exception cref="LoadException">They can't.</exception>
    internal static void Demand(string path, string option)
    {
        try
        {
            Directory.CreateDirectory(path);
            string probe = Path.Combine(path, ProbePrefix + Guid.NewGuid().ToString("n"));
            File.WriteAllBytes(probe, []);
            File.Delete(probe);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            throw new LoadException($"{option} '{path}' can't be used: {e.Message} Name a directory that can be written.", e);
        }
    }
}
