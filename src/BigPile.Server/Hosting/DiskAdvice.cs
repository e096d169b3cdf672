using System;
using System.Collections.Generic;
using System.IO;

namespace BigPile.Server.Hosting;

/// <summary>Warnings at the start if the limit of a pile in files does not fit its disk. Of memory the pile itself warns.</summary>
internal static class DiskAdvice
{
    /// <summary>The warnings; none if there is nothing to say.</summary>
    internal static IEnumerable<string> Of(PileSettings pile) =>
        pile.Store == StoreKind.Mapped && !pile.Shared ? Of(pile.MaxBytes, DiskBytesAt(pile.Directory)) : [];

    /// <summary>The warnings.</summary>
    /// <param name="maxBytes">The pile's limit; <see langword="null"/>: none.</param>
    /// <param name="diskBytes">The size of the pile's disk; 0: unknown.</param>
    internal static IEnumerable<string> Of(long? maxBytes, long diskBytes)
    {
        if (maxBytes is null or long.MaxValue)
            yield return "Pile:MaxBytes is not set: the pile may grow until it has all of the disk.";
        else if (diskBytes != 0 && maxBytes > diskBytes)
        {
            yield return $"Pile:MaxBytes is {maxBytes:N0}, more than the disk, {diskBytes:N0} bytes: puts will fail when the disk is full, "
                + "before the pile is.";
        }
    }

    private static long DiskBytesAt(string directory)
    {
        try
        {
            return new DriveInfo(directory).TotalSize;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or ArgumentException)
        {
            return 0;
        }
    }
}
