using System;
using System.IO;
using BigPile.Files;

namespace BigPile.Caching.Spill;

/// <summary>Deletes the spill files of killed processes: a pile in memory has a new name each time.</summary>
/// <remarks>A live process holds the lock of its file, so the file stays.</remarks>
internal static class SpillLeftovers
{
    private const string Files = "table-*.hash*";

    /// <summary>Deletes unused files and directories.</summary>
    /// <param name="directory">The directory that holds one directory per pile.</param>
    /// <param name="own">The pile's own directory, which is skipped.</param>
    internal static void Delete(string directory, string own)
    {
        try
        {
            foreach (string other in Directory.EnumerateDirectories(directory))
            {
                string name = Path.GetFileName(other);
                if (Guid.TryParseExact(name, "N", out _) && name != Path.GetFileName(own))
                    DeleteIn(other);
            }
        }
        catch (Exception e) when (SpillFile.IsFault(e))
        {
            // what can't be read stays
        }
    }

    private static void DeleteIn(string directory)
    {
        bool isEmpty = true;
        foreach (string file in Directory.EnumerateFiles(directory, Files))
            isEmpty &= TryDelete(file);
        if (isEmpty)
            SpillDirectory.DeleteIfEmpty(directory);
    }

    private static bool TryDelete(string path)
    {
        try
        {
            using IBlockFile file = BlockFile.Open(BlockFileKind.PositionalParallel, path, new BlockFileOptions { Mode = FileMode.Open });
            File.Delete(path); // while locked: another process that opens it fails, and retries
            return true;
        }
        catch (Exception e) when (SpillFile.IsFault(e))
        {
            return false;
        }
    }
}
