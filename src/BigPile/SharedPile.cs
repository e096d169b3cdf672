using System;
using BigPile.Durability;

namespace BigPile;

/// <summary>Administers piles with <see cref="PileOptions.Shared"/> that have no writer.</summary>
public static class SharedPile
{
    /// <summary>Removes a pile, and frees its memory. Its readers get an exception at their next read.</summary>
    /// <param name="nameOrDirectory">The name or the directory that it was opened by.</param>
    /// <returns><see langword="false"/> if there is none.</returns>
    /// <exception cref="ArgumentException">The name is not a valid one.</exception>
    /// <exception cref="PileStorageException">
    /// A process has it open for writing, it is not a shared pile, or the directory can't be changed.
    /// </exception>
    /// <exception cref="PlatformNotSupportedException">The system has no shared piles.</exception>
    public static bool TryRemove(string nameOrDirectory) => SharedPileDirectory.TryRemove(SharedPileDirectory.PathOf(nameOrDirectory));
}
