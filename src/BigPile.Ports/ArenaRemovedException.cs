using System;
using System.IO;

namespace BigPile.Ports;

/// <summary>
/// The arena's files were removed or replaced while it was open, as some systems do with shared memory when its user logs out. Processes
/// that open the arena now get another one. Close this one, and open it again.
/// </summary>
public sealed class ArenaRemovedException : IOException
{
    /// <summary>Makes an exception with a message.</summary>
    public ArenaRemovedException(string message) : base(message)
    {
    }

    /// <summary>Makes an exception with a message and its cause.</summary>
    public ArenaRemovedException(string message, Exception? innerException) : base(message, innerException)
    {
    }
}
