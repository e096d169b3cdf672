using System;
using System.IO;

namespace BigPile.Ports;

/// <summary>A port is full, and its policy is to fail. Nothing was sent.</summary>
public sealed class PortFullException : IOException
{
    /// <summary>Makes an exception with a message.</summary>
    public PortFullException(string message) : base(message)
    {
    }

    /// <summary>Makes an exception with a message and its cause.</summary>
    public PortFullException(string message, Exception? innerException) : base(message, innerException)
    {
    }
}
