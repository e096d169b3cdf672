using System;
using System.Collections.Generic;
using System.IO;

namespace BigPile.Server.Hosting;

/// <summary>What to tell at the start of a pile whose limit does not keep it in bounds.</summary>
internal static class MemoryAdvice
{
    /// <summary>The sentences; none where there is nothing to tell.</summary>
    internal static IEnumerable<string> Of(PileSettings pile) => Of(
        pile.Store, pile.MaxBytes, GC.GetGCMemoryInfo().TotalAvailableMemoryBytes,
        pile.Store == StoreKind.Mapped ? DiskBytesAt(pile.Directory) : 0);

    /// <summary>The sentences.</summary>
    /// <param name="store">Where the pile is.</param>
    /// <param name="maxBytes">The most that it may take.</param>
    /// <param name="memoryBytes">The memory that the process may have: the container's, where it is in one.</param>
    /// <param name="diskBytes">The size of the disk that it is on; zero: not known.</param>
    internal static IEnumerable<string> Of(StoreKind store, long maxBytes, long memoryBytes, long diskBytes)
    {
        (string what, long bytes) =
            store == StoreKind.Mapped ? ("the disk", diskBytes) : ("the memory that this process may have", memoryBytes);
        if (maxBytes == long.MaxValue)
            yield return $"Pile:MaxBytes is not set: the pile may grow until it has all of {what}.";
        else if (bytes != 0 && maxBytes > bytes)
        {
            yield return
                $"Pile:MaxBytes is {maxBytes:N0}, more than {what}, {bytes:N0} bytes: the process may end before the pile is full.";
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
