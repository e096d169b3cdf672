using System;
using System.IO;

namespace BigPile.Ports;

/// <summary>
/// The receiver was behind by the whole depth of its multicast port, and the sender has cut it off. Another receiver can be opened.
/// </summary>
public sealed class SlowReceiverException : IOException
{
    /// <summary>Makes an exception with a message.</summary>
    public SlowReceiverException(string message) : base(message)
    {
    }

    /// <summary>Makes an exception with a message and its cause.</summary>
    public SlowReceiverException(string message, Exception? innerException) : base(message, innerException)
    {
    }
}
