using System;
using System.IO;

namespace BigPile.Ports;

/// <summary>An arena has no contiguous space for an object. It is unchanged.</summary>
public sealed class ArenaFullException : IOException
{
    /// <summary>Makes an exception with a message.</summary>
    public ArenaFullException(string message) : base(message)
    {
    }

    /// <summary>Makes an exception with a message and its cause.</summary>
    public ArenaFullException(string message, Exception? innerException) : base(message, innerException)
    {
    }
}
