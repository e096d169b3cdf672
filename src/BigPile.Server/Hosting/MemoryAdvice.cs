using System;
using System.Collections.Generic;
using System.IO;

namespace BigPile.Server.Hosting;

/// <summary>Warnings at the start if the pile's limit exceeds memory or disk.</summary>
internal static class MemoryAdvice
{
    /// <summary>The warnings; none if there is nothing to say.</summary>
    internal static IEnumerable<string> Of(PileSettings pile) => Of(
        pile.Store, pile.MaxBytes, GC.GetGCMemoryInfo().TotalAvailableMemoryBytes,
        pile.Store == StoreKind.Mapped ? DiskBytesAt(pile.Directory) : 0);

    /// <summary>The warnings.</summary>
    /// <param name="store">The pile's store.</param>
    /// <param name="maxBytes">The pile's limit.</param>
    /// <param name="memoryBytes">The memory available to the process or its container.</param>
    /// <param name="diskBytes">The size of the pile's disk; 0: unknown.</param>
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
