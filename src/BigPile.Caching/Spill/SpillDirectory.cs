using System;
using System.IO;
using System.Threading;
using BigPile.Files;
using BigPile.Hash;

namespace BigPile.Caching.Spill;

/// <summary>The directory that a pile's tables spill into: it comes with the first file, and goes with the last.</summary>
/// <remarks>
/// Another table's file goes with its directory, and another cache takes away what killed processes left, both perhaps between the
/// making of this one's directory and of its file. Within the process one does so at a time; where another process did, it is tried again.
/// Thread safety: all members may be called concurrently.
/// </remarks>
internal static class SpillDirectory
{
    private const int MostTries = 100;

    private static readonly Lock Changing = new(); // no other lock is asked for while it is held

    /// <summary>Makes the directory above, which holds one for each pile.</summary>
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

    /// <summary>Makes a file, and its directory if need be; and deletes what killed processes left beside that.</summary>
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

    /// <summary>Deletes a file, and its directory unless other tables have files there.</summary>
    internal static void Delete(string path)
    {
        lock (Changing)
        {
            string directory = Path.GetDirectoryName(path)!;
            if (!Directory.Exists(directory))
                return; // it could not be made, or another process took it for what a killed one had left
            File.Delete(path);
            DeleteIfEmpty(directory);
        }
    }

    /// <summary>Deletes a directory unless there is something in it.</summary>
    internal static void DeleteIfEmpty(string directory)
    {
        try
        {
            Directory.Delete(directory);
        }
        catch (IOException)
        {
            // there is something in it, or it is gone
        }
    }

    // It locks what it finds before it deletes that.
    private static bool IsOthersWork(Exception e, string directory) =>
        e is BlockFileLockedException or DirectoryNotFoundException or FileNotFoundException
        || (e is IOException && !Directory.Exists(directory));
}
