using System;
using System.Collections.Generic;
using System.IO;
using BigPile.Memory;
using BigPile.Ports.Peers;

namespace BigPile.Ports;

/// <content>Opening by name, and removing.</content>
public sealed partial class SharedArena
{
    // Keeps arenas open that were never disposed: otherwise the process would be taken for dead while its objects are in use.
    private static readonly HashSet<SharedArena> Opened = [];

    /// <summary>Opens an arena, or creates it.</summary>
    /// <param name="name">Its name: 1 to 64 letters, digits, '-', '_' and '.', with no '.' in front.</param>
    /// <param name="options">Where it is, and the size of a new one; the defaults if <see langword="null"/>.</param>
    /// <exception cref="ArgumentException">The name or an option is invalid; the message names it.</exception>
    /// <exception cref="InvalidDataException">The file of that name is not an arena, or one of another version.</exception>
    /// <exception cref="IOException">There is no space for it, 64 processes have it open, or the directory cannot be used.</exception>
    /// <exception cref="PlatformNotSupportedException">The system is neither Linux nor Windows, or the process has 32 bits.</exception>
    public static SharedArena Open(string name, SharedArenaOptions? options = null)
    {
        ArenaFiles.CheckName(name);
        options ??= new SharedArenaOptions();
        _ = options.ToShape();
        HeldDirectory directory = HeldDirectory.Open(ArenaFiles.DirectoryOf(options.Directory));
        ArenaLocks? locks = null;
        try
        {
            locks = new ArenaLocks(directory, name, options.ControlTimeout);
            var arena = new SharedArena(name, directory, locks, options);
            lock (Opened)
                Opened.Add(arena);
            return arena;
        }
        catch
        {
            locks?.Dispose(); // releases the slot's lock, too
            directory.Dispose();
            throw;
        }
    }

    /// <summary>Removes an arena that no process has open. Its lock file, which is empty, stays.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="directory">The directory; that of <see cref="SharedArenaOptions.Directory"/> when <see langword="null"/>.</param>
    /// <returns><see langword="false"/> if it does not exist.</returns>
    /// <exception cref="IOException">A process has it open, or the directory cannot be used.</exception>
    public static bool TryRemove(string name, string? directory = null)
    {
        ArenaFiles.CheckName(name);
        if (!ArenaFiles.Exists(directory, name))
            return false;
        using HeldDirectory held = HeldDirectory.Open(ArenaFiles.DirectoryOf(directory));
        using var locks = new ArenaLocks(held, name, SharedArenaOptions.DefaultControlTimeout);
        using ArenaLocks.Making making = locks.EnterMaking(() => ArenaFiles.AllocatedBytesOf(held, name));
        using ArenaLocks.Control control = locks.EnterControl();
        if (locks.IsAnySlotHeldByOther())
            throw new IOException($"The arena '{name}' is open in some process, and can't be removed. Close it there first.");
        return ArenaFiles.TryRemoveLocked(held, name);
    }
}
