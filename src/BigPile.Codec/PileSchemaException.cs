using System;

namespace BigPile;

/// <summary>The application's present types can't take the objects of a stored type.</summary>
public sealed class PileSchemaException : PileSerializationException
{
    /// <summary>Makes an exception with a message.</summary>
    public PileSchemaException(string message) : base(message)
    {
    }

    /// <summary>Makes an exception with a message and its cause.</summary>
    public PileSchemaException(string message, Exception? innerException) : base(message, innerException)
    {
    }
}
