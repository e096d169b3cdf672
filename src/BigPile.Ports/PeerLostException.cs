using System;
using System.IO;

namespace BigPile.Ports;

/// <summary>The other end of the port is gone: its process died, or a receiver closed it while the sender waits for space.</summary>
public sealed class PeerLostException : IOException
{
    /// <summary>Makes an exception with a message.</summary>
    public PeerLostException(string message) : base(message)
    {
    }

    /// <summary>Makes an exception with a message and its cause.</summary>
    public PeerLostException(string message, Exception? innerException) : base(message, innerException)
    {
    }
}
