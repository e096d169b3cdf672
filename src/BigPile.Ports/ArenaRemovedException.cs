using System;
using System.IO;

namespace BigPile.Ports;

/// <summary>
/// The arena's files were removed or replaced while it was open, as a system does with shared memory when its user logs out: whoever opens
/// it now gets another one. Close this one, and open it anew.
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
