using System;
using System.IO;

namespace BigPile.Ports;

/// <summary>A living process, perhaps this one, has this end of the port.</summary>
public sealed class PortBusyException : IOException
{
    /// <summary>Makes an exception with a message.</summary>
    public PortBusyException(string message) : base(message)
    {
    }

    /// <summary>Makes an exception with a message and its cause.</summary>
    public PortBusyException(string message, Exception? innerException) : base(message, innerException)
    {
    }
}
