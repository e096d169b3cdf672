using System;

namespace BigPile;

/// <summary>The base of every error that a pile reports.</summary>
public class PileException : Exception
{
    /// <summary>Makes an exception with a message.</summary>
    public PileException(string message) : base(message)
    {
    }

    /// <summary>Makes an exception with a message and its cause.</summary>
    public PileException(string message, Exception? innerException) : base(message, innerException)
    {
    }
}
