using System;
using System.IO;
using BigPile.Files;

namespace BigPile.Caching.Spill;

/// <summary>Deletes what killed processes left in a directory to spill into: a pile in memory has another name each time.</summary>
/// <remarks>Whose file is open has it locked, and keeps it.</remarks>
internal static class SpillLeftovers
{
    private const string Files = "table-*.hash*";

    /// <summary>Deletes what nobody uses.</summary>
    /// <param name="directory">The directory that has one for each pile.</param>
    /// <param name="own">The pile's own one, which is left as it is.</param>
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
            // what can't be looked at stays
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
            File.Delete(path); // while it is locked: who opens it meanwhile is told so
            return true;
        }
        catch (Exception e) when (SpillFile.IsFault(e))
        {
            return false;
        }
    }
}
