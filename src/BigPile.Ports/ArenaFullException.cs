using System;
using System.IO;

namespace BigPile.Ports;

/// <summary>An arena has no room in a row for an object. It is as it was.</summary>
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
