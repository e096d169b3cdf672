using System;

namespace BigPile;

/// <summary>A pointer names no live object: it is invalid, was deleted, or belongs to another pile.</summary>
public sealed class PilePointerException : PileException
{
    /// <summary>Makes an exception with a message.</summary>
    public PilePointerException(string message) : base(message)
    {
    }

    /// <summary>Makes an exception with a message and its cause.</summary>
    public PilePointerException(string message, Exception? innerException) : base(message, innerException)
    {
    }
}
