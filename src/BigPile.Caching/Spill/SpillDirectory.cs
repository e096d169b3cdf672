using System;
using System.IO;
using System.Threading;
using BigPile.Files;
using BigPile.Hash;

namespace BigPile.Caching.Spill;

/// <summary>The spill directory of a pile: created with the first file, deleted with the last.</summary>
internal static class SpillDirectory
{
    private const int MostTries = 100;

    private static readonly Lock Changing = new(); // innermost: no other lock is taken while it is held

    /// <summary>Creates the parent directory, which holds one directory per pile.</summary>
    /// <exception cref="ArgumentException">It can't be used.</exception>
    internal static void Prepare(string? directory)
    {
        if (directory == null)
            return;
        try
        {
            _ = Directory.CreateDirectory(directory);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or ArgumentException or NotSupportedException)
        {
            throw new ArgumentException(
                $"PileCacheOptions.SpillDirectory '{directory}' can't be used: {e.Message} Name a directory that can be written.",
                "options", e);
        }
    }

    /// <summary>Creates a file, and its directory if need be. Deletes leftovers of killed processes beside it.</summary>
    internal static HashDatabase Make(string path, HashDatabaseOptions options)
    {
        string directory = Path.GetDirectoryName(path)!;
        lock (Changing)
        {
            SpillLeftovers.Delete(Path.GetDirectoryName(directory)!, directory);
            for (int tries = 1; ; tries++)
            {
                try
                {
                    // Between the two calls another table may delete the directory with its own last file, which the lock prevents; or
                    // another process what it takes for leftovers of a killed one, which is retried.
                    _ = Directory.CreateDirectory(directory);
                    return HashDatabase.Open(path, options);
                }
                catch (Exception e) when (tries < MostTries && IsOthersWork(e, directory))
                {
                    _ = Thread.Yield();
                }
            }
        }
    }

    /// <summary>Deletes a file, and its directory unless other tables have files in it.</summary>
    internal static void Delete(string path)
    {
        lock (Changing)
        {
            string directory = Path.GetDirectoryName(path)!;
            if (!Directory.Exists(directory))
                return; // it could not be created, or another process deleted it as a leftover
            File.Delete(path);
            DeleteIfEmpty(directory);
        }
    }

    internal static void DeleteIfEmpty(string directory)
    {
        try
        {
            Directory.Delete(directory);
        }
        catch (IOException)
        {
            // not empty, or deleted already
        }
    }

    // A deletion by another process. It locks each file before it deletes it.
    private static bool IsOthersWork(Exception e, string directory) =>
        e is BlockFileLockedException or DirectoryNotFoundException or FileNotFoundException
        || (e is IOException && !Directory.Exists(directory));
}
