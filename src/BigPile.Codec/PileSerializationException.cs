using System;

namespace BigPile;

/// <summary>A graph can't be written, or bytes can't be read back.</summary>
public class PileSerializationException : PileException
{
    /// <summary>Makes an exception with a message.</summary>
    public PileSerializationException(string message) : base(message)
    {
    }

    /// <summary>Makes an exception with a message and its cause.</summary>
    public PileSerializationException(string message, Exception? innerException) : base(message, innerException)
    {
    }
}
