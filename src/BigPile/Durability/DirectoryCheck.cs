using System;
using System.Collections.Generic;
using System.IO;
using BigPile.Memory;

namespace BigPile.Durability;

/// <summary>Whether there is a pile in a directory.</summary>
internal static class DirectoryCheck
{
    private const int MaxNamed = 5;

    /// <summary>What is said where no pile is.</summary>
    internal static PileStorageException Missing(string path) =>
        new($"There is no pile in '{path}'. Check the path; a pile is made there by opening it for writing.");

    /// <summary>Refuses a directory without a pile.</summary>
    internal static void RefuseMissing(HeldDirectory files)
    {
        using HeldFile? superblock = files.TryOpen(PileDirectory.SuperblockName, FileAccess.Read);
        if (superblock != null)
            return;
        RefuseLeftovers(files);
        throw Missing(files.Path);
    }

    /// <summary>Refuses a directory whose superblock was lost.</summary>
    /// <remarks>It is not one without a pile: the first segment of a new one would overwrite that of the old one.</remarks>
    internal static void RefuseLeftovers(HeldDirectory files)
    {
        List<string> found = files.NamesOf(MappedSegmentStore.NamePrefix);
        using (HeldFile? catalog = files.TryOpen(PileDirectory.CatalogName, FileAccess.Read))
        {
            if (catalog is { LengthBytes: > 0 })
                found.Add(PileDirectory.CatalogName);
        }
        if (found.Count == 0)
            return;
        string named = string.Join(", ", found.GetRange(0, Math.Min(found.Count, MaxNamed)));
        string more = found.Count > MaxNamed ? $" and {found.Count - MaxNamed:N0} more" : "";
        throw new PileStorageException(
            $"The superblock '{files.PathOf(PileDirectory.SuperblockName)}' is missing or empty, "
            + $"and there are files of a pile beside it: {named}{more}. "
            + "Restore the superblock from a copy, or remove these files to begin anew.");
    }

    /// <summary>Makes a directory, and its name durable where that can be.</summary>
    internal static void Make(string path, IFileHook? hook)
    {
        Directory.CreateDirectory(path);
        if (Path.GetDirectoryName(path) is not { } above)
            return;
        try
        {
            using HeldDirectory parent = HeldDirectory.Open(above, hook);
            parent.Sync();
        }
        catch (IOException)
        {
            // a user may pass through a directory that he may not read; most file systems make the name durable with the first file in it
        }
    }
}
