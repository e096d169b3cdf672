using System;
using System.IO;

namespace BigPile.Perf.Restarts;

/// <summary>Empties the system's cache of files, where that is allowed.</summary>
internal static class PageCache
{
    private const string Path = "/proc/sys/vm/drop_caches";

    /// <summary>Drops pages that are not mapped.</summary>
    /// <returns>Whether it was allowed.</returns>
    internal static bool TryDrop()
    {
        try
        {
            if (!File.Exists(Path))
                return false;
            File.WriteAllText(Path, "3\n");
            return true;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return false;
        }
    }
}
