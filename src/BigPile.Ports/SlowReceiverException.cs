using System;
using System.IO;

namespace BigPile.Ports;

/// <summary>The receiver was behind by all that its multicast port can have, and the sender has cut it off. It may open another.</summary>
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
