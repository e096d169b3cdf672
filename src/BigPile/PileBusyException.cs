using System;

namespace BigPile;

/// <summary>
/// An object of a pile that was opened for reading only can't be read for now: the process that writes it has begun to replace it, and was
/// stopped or killed. Another try may succeed; after a kill, once the pile was opened for writing.
/// </summary>
public sealed class PileBusyException : PileException
{
    /// <summary>Makes an exception with a message.</summary>
    public PileBusyException(string message) : base(message)
    {
    }

    /// <summary>Makes an exception with a message and its cause.</summary>
    public PileBusyException(string message, Exception? innerException) : base(message, innerException)
    {
    }
}
