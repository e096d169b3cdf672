using System;
using BigPile.Durability;

namespace BigPile;

/// <summary>What becomes of piles with <see cref="PileOptions.Shared"/> that nobody writes.</summary>
public static class SharedPile
{
    /// <summary>Removes a pile, and gives its memory back. Who reads it is told at the next read.</summary>
    /// <param name="nameOrDirectory">What it was opened by.</param>
    /// <returns><see langword="false"/> when there is none.</returns>
    /// <exception cref="ArgumentException">No pile has such a name.</exception>
    /// <exception cref="PileStorageException">
    /// A process writes it, it is not a shared one, or the directory can't be changed.
    /// </exception>
    /// <exception cref="PlatformNotSupportedException">The system has no shared piles.</exception>
    public static bool TryRemove(string nameOrDirectory) => SharedPileDirectory.TryRemove(SharedPileDirectory.PathOf(nameOrDirectory));
}
