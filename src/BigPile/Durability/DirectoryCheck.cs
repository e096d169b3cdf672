using System;
using System.Collections.Generic;
using System.IO;
using BigPile.Memory;

namespace BigPile.Durability;

/// <summary>Checks whether a directory contains a pile.</summary>
internal static class DirectoryCheck
{
    private const int MaxNamed = 5;

    /// <summary>The exception for a directory without a pile.</summary>
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
    /// <remarks>Such a directory is not empty: the first segment of a new pile would overwrite a segment of the old one.</remarks>
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
            + "Restore the superblock from a copy, or remove these files to start over.");
    }

    /// <summary>Creates a directory, and syncs its name where possible.</summary>
    internal static void Make(string path, IFileHook? hook)
    {
        Directory.CreateDirectory(path);
        SyncName(path, hook);
    }

    /// <summary>Syncs the name of a directory where possible.</summary>
    internal static void SyncName(string path, IFileHook? hook)
    {
        if (Path.GetDirectoryName(path) is not { } above)
            return;
        try
        {
            using HeldDirectory parent = HeldDirectory.Open(above, hook);
            parent.Sync();
        }
        catch (IOException)
        {
            // the user may lack the right to read the parent; most file systems sync the name with the first file in the directory
        }
    }
}
